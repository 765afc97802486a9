/** Keys and days that rows must have to be wanted. */
export interface Bounds {
  /** Null for any key. */
  readonly keys: ReadonlySet<string> | null
  /** First and last day, both included; null where there is none. */
  readonly from: string | null
  readonly to: string | null
}

/** Columns that bounds are about; null where the table has none. */
export interface BoundedColumns {
  /** Of text. */
  readonly key: string | null
  readonly date: string | null
}

export type Comparison = '=' | '<' | '<=' | '>' | '>='

/** The comparison that says the same with its sides exchanged. */
export const MIRRORED: Readonly<Record<Comparison, Comparison>> = { '=': '=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' }

export const UNBOUNDED: Bounds = { keys: null, from: null, to: null }

const DAY = /^\d{4}-\d{2}-\d{2}$/

/**
 * Bounds of the rows whose column compares so with a text. A day is within its own bound even where it is excluded; a text that is no plain
 * day, such as a moment, which is another day elsewhere, bounds nothing.
 */
export function boundsOf(name: string, comparison: Comparison, text: string, { key, date }: BoundedColumns): Bounds {
  if (isNamed(name, key)) return comparison === '=' ? { ...UNBOUNDED, keys: new Set([text]) } : UNBOUNDED
  if (!isNamed(name, date) || !DAY.test(text)) return UNBOUNDED
  return { keys: null, from: comparison.startsWith('<') ? null : text, to: comparison.startsWith('>') ? null : text }
}

const isNamed = (name: string, column: string | null): boolean => column !== null && name.toLowerCase() === column.toLowerCase()

/** Bounds of the rows that lie in all of them; of every row where there are none. */
export function allOf(bounds: readonly Bounds[]): Bounds {
  return bounds.reduce(
    (a, b) => ({
      keys: common(a.keys, b.keys),
      from: greater(a.from, b.from),
      to: lesser(a.to, b.to),
    }),
    UNBOUNDED,
  )
}

/** Bounds of the rows that lie in one of them; of every row where there are none. */
export function anyOf(bounds: readonly Bounds[]): Bounds {
  const bounded = (of: keyof Bounds): boolean => bounds.length > 0 && bounds.every(bound => bound[of] !== null)
  return {
    keys: bounded('keys') ? new Set(bounds.flatMap(({ keys }) => [...keys!])) : null,
    from: bounded('from') ? bounds.map(({ from }) => from).reduce(lesser) : null,
    to: bounded('to') ? bounds.map(({ to }) => to).reduce(greater) : null,
  }
}

const common = (a: Bounds['keys'], b: Bounds['keys']): Bounds['keys'] =>
  a === null || b === null ? (a ?? b) : new Set([...a].filter(key => b.has(key)))

/** Of two days; the one there is where the other is missing. */
const greater = (a: string | null, b: string | null): string | null => (a === null || (b !== null && b > a) ? b : a)
const lesser = (a: string | null, b: string | null): string | null => (a === null || (b !== null && b < a) ? b : a)
