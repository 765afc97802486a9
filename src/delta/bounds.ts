export interface Bounds {
  /** Null permits every key. */
  readonly keys: ReadonlySet<string> | null
  /** Null if unbounded. */
  readonly from: string | null
  readonly to: string | null
}

export interface BoundedColumns {
  /** Text column. Null if the table has none. */
  readonly key: string | null
  readonly date: string | null
}

export type Comparison = '=' | '<' | '<=' | '>' | '>='

/** Comparison after exchanging the operands: `a < b` becomes `b > a`. */
export const MIRRORED: Readonly<Record<Comparison, Comparison>> = { '=': '=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' }

export const UNBOUNDED: Bounds = { keys: null, from: null, to: null }

const DAY = /^\d{4}-\d{2}-\d{2}$/

/**
 * For `<` and `>`, the bounds include the compared day. A timestamp gives no bounds, because its
 * day depends on the time zone.
 */
export function boundsOf(name: string, comparison: Comparison, text: string, { key, date }: BoundedColumns): Bounds {
  if (isNamed(name, key)) return comparison === '=' ? { ...UNBOUNDED, keys: new Set([text]) } : UNBOUNDED
  if (!isNamed(name, date) || !DAY.test(text)) return UNBOUNDED
  return { keys: null, from: comparison.startsWith('<') ? null : text, to: comparison.startsWith('>') ? null : text }
}

const isNamed = (name: string, column: string | null): boolean => column !== null && name.toLowerCase() === column.toLowerCase()

/** Returns the intersection. Unbounded for an empty list. */
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

/** Returns the smallest bounds that contain all bounds. Unbounded for an empty list. */
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
