/** Limits on the keys and days of rows. */
export interface Bounds {
  /** Permitted keys. Null if every key is permitted. */
  readonly keys: ReadonlySet<string> | null
  /** First permitted day. Null if unbounded. */
  readonly from: string | null
  readonly to: string | null
}

/** Names of the columns to which bounds can apply. Null if the table has no such column. */
export interface BoundedColumns {
  /** Name of a text column. */
  readonly key: string | null
  readonly date: string | null
}

export type Comparison = '=' | '<' | '<=' | '>' | '>='

/** Equivalent comparison after the operands are exchanged. For example, `a < b` becomes `b > a`. */
export const MIRRORED: Readonly<Record<Comparison, Comparison>> = { '=': '=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' }

export const UNBOUNDED: Bounds = { keys: null, from: null, to: null }

const DAY = /^\d{4}-\d{2}-\d{2}$/

/**
 * Returns the bounds that follow from a comparison. For `<` and `>`, the bounds include the
 * compared day. A text other than a plain day gives no bounds, because a timestamp may be on
 * another day in another time zone.
 */
export function boundsOf(name: string, comparison: Comparison, text: string, { key, date }: BoundedColumns): Bounds {
  if (isNamed(name, key)) return comparison === '=' ? { ...UNBOUNDED, keys: new Set([text]) } : UNBOUNDED
  if (!isNamed(name, date) || !DAY.test(text)) return UNBOUNDED
  return { keys: null, from: comparison.startsWith('<') ? null : text, to: comparison.startsWith('>') ? null : text }
}

const isNamed = (name: string, column: string | null): boolean => column !== null && name.toLowerCase() === column.toLowerCase()

/** Returns the intersection of bounds. The result is unbounded for an empty list. */
export function allOf(bounds: readonly Bounds[]): Bounds {
  return bounds.reduce(
    (a, b) => ({
      keys: common(a.keys, b.keys),
      from: later(a.from, b.from),
      to: earlier(a.to, b.to),
    }),
    UNBOUNDED,
  )
}

/**
 * Returns the smallest bounds that contain all bounds in the list. The result is unbounded for an
 * empty list.
 */
export function anyOf(bounds: readonly Bounds[]): Bounds {
  const bounded = (name: keyof Bounds): boolean => bounds.length > 0 && bounds.every(bound => bound[name] !== null)
  return {
    keys: bounded('keys') ? new Set(bounds.flatMap(({ keys }) => [...keys!])) : null,
    from: bounded('from') ? bounds.map(({ from }) => from).reduce(earlier) : null,
    to: bounded('to') ? bounds.map(({ to }) => to).reduce(later) : null,
  }
}

const common = (a: Bounds['keys'], b: Bounds['keys']): Bounds['keys'] =>
  a === null || b === null ? (a ?? b) : new Set([...a].filter(key => b.has(key)))

const later = (a: string | null, b: string | null): string | null => (a === null || (b !== null && b > a) ? b : a)
const earlier = (a: string | null, b: string | null): string | null => (a === null || (b !== null && b < a) ? b : a)
