/** Bounds of rows by key and day. */
export interface Bounds {
  /** Null for any key. */
  readonly keys: ReadonlySet<string> | null
  /** First and last day, inclusive. Null if unbounded. */
  readonly from: string | null
  readonly to: string | null
}

/** Columns that can have bounds. Null if the table has no such column. */
export interface BoundedColumns {
  /** A text column. */
  readonly key: string | null
  readonly date: string | null
}

export type Comparison = '=' | '<' | '<=' | '>' | '>='

/** Comparisons that are equivalent when the operands are exchanged. */
export const MIRRORED: Readonly<Record<Comparison, Comparison>> = { '=': '=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' }

export const UNBOUNDED: Bounds = { keys: null, from: null, to: null }

const DAY = /^\d{4}-\d{2}-\d{2}$/

/**
 * Returns the bounds of a comparison. `<` and `>` include the day itself. A text that is not a
 * plain day gives no bounds, because a timestamp may be on another day in another time zone.
 */
export function boundsOf(name: string, comparison: Comparison, text: string, { key, date }: BoundedColumns): Bounds {
  if (isNamed(name, key)) return comparison === '=' ? { ...UNBOUNDED, keys: new Set([text]) } : UNBOUNDED
  if (!isNamed(name, date) || !DAY.test(text)) return UNBOUNDED
  return { keys: null, from: comparison.startsWith('<') ? null : text, to: comparison.startsWith('>') ? null : text }
}

const isNamed = (name: string, column: string | null): boolean => column !== null && name.toLowerCase() === column.toLowerCase()

/** Intersection of bounds. Unbounded for an empty list. */
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

/** The smallest bounds that contain all given bounds. Unbounded for an empty list. */
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

/** The later of two days. Null means unbounded. */
const later = (a: string | null, b: string | null): string | null => (a === null || (b !== null && b > a) ? b : a)
const earlier = (a: string | null, b: string | null): string | null => (a === null || (b !== null && b < a) ? b : a)
