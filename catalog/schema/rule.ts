/**
 * Effect of rows that break a rule:
 *
 * - `error`: publication always fails
 * - `acceptable`: publication fails unless the operator accepts the rule by name, for rules that
 *   real data can break
 * - `warning`: publication succeeds and reports the rows
 */
export const SEVERITIES = ['error', 'acceptable', 'warning'] as const
export type Severity = (typeof SEVERITIES)[number]

interface Named {
  /** Snake_case name, unique within the dataset. Reports and manifests identify the rule by it. */
  readonly name: string
  /** The rule and its reason, in one sentence. Reports end with this sentence. */
  readonly doc: string
  /** `doc` in Chinese. */
  readonly docZh: string
  /** Default: `error`. */
  readonly severity?: Severity
}

/**
 * A value within bounds, which are inclusive by default. Days are written `YYYY-MM-DD`. Null
 * satisfies all bounds.
 */
export interface Bounds<C extends string = string> extends Named {
  /** One column, or several with equal bounds. */
  readonly column: C | readonly C[]
  readonly min?: number | string
  readonly max?: number | string
  /** Lower bound that is itself not allowed. */
  readonly above?: number | string
  /** Upper bound that is itself not allowed. */
  readonly below?: number | string
}

/** One of the listed values. Null is allowed. */
export interface AllowedValues<C extends string = string> extends Named {
  readonly column: C
  readonly values: readonly (string | number)[]
}

/** Text that matches a pattern from its first to its last character. Null is allowed. */
export interface TextPattern<C extends string = string> extends Named {
  readonly column: C
  readonly pattern: string
}

/**
 * A column that equals a sum of other columns, in every row that has all of them. Compared in
 * decimals to the twelfth digit, not in floating point.
 */
export interface Sum<C extends string = string> extends Named {
  readonly column: C
  readonly sum: readonly C[]
  /** Columns that are subtracted from the sum. */
  readonly less?: readonly C[]
  /** Largest allowed difference, in the column's unit. Default: 0. */
  readonly tolerance?: number
}

/**
 * A column that equals a formula over other columns within a tolerance, for example a published
 * ratio and its rounded quotient.
 */
export interface Formula<C extends string = string> extends Named {
  readonly column: C
  /**
   * DuckDB expression over the dataset's stored columns. Null means that there is nothing to
   * compare.
   */
  readonly equals: string
  /** Largest allowed difference, in the column's unit. */
  readonly tolerance: number
}

/**
 * Values that must occur in the served release of another dataset. Not checked while that dataset
 * has no release, or between samples and real rows.
 */
export interface Reference<C extends string = string> extends Named {
  readonly dataset: string
  /**
   * Column of the other dataset → column of this dataset. Rows with a null in one of these columns
   * are not compared.
   */
  readonly on: Readonly<Record<string, C>>
  /**
   * Limits the comparison to rows whose day in this column is not before the other release's
   * `data_as_of`. A current list lacks entries that were removed earlier.
   */
  readonly since?: C
}

/**
 * Any other rule: a DuckDB expression over the dataset's stored columns that is true for every row.
 * Null counts as true.
 */
export interface Condition extends Named {
  readonly holds: string
}

/** A condition that rows must meet, checked at publication. */
export type RowRule<C extends string = string> =
  | Bounds<C>
  | AllowedValues<C>
  | TextPattern<C>
  | Sum<C>
  | Formula<C>
  | Reference<C>
  | Condition

/**
 * Limits of the number of rows, relative to the expected number. If a response is outside these
 * limits, it is probably truncated, or belongs to another day or table.
 */
export interface Drift {
  /** Minimum rows of a day, relative to the median of the adjacent days. Default: 0.75. */
  readonly least?: number
  /** Maximum rows of a day, relative to that median. Default: 1.5. */
  readonly most?: number
  /**
   * Minimum rows of a list, relative to the served list, or of a day that is replaced, relative to
   * the served day. Default: 0.95.
   */
  readonly kept?: number
}

/**
 * Default limits. Valid days differ from adjacent days by a few percent. When exchanges returned
 * the data of another day, the number of rows differed by a third.
 */
const DRIFT: Required<Drift> = { least: 0.75, most: 1.5, kept: 0.95 }

/** Limits of a dataset's number of rows. With `any`, every number is allowed. */
export const driftOf = ({ drift }: { readonly drift?: Drift | 'any' }): Required<Drift> =>
  drift === 'any' ? { least: 0, most: Number.POSITIVE_INFINITY, kept: 0 } : { ...DRIFT, ...drift }

/** Severity if a trading day between other days has no rows. */
export interface Completeness {
  /** Use `warning` if days arrive in any order and a later publication can fill the gap. */
  readonly severity: Severity
}

/** Columns of the dataset that a rule names. Conditions and formulas are SQL and may use more. */
export function ruleColumns(rule: RowRule): readonly string[] {
  if ('holds' in rule) return []
  if ('on' in rule) return [...Object.values(rule.on), ...(rule.since === undefined ? [] : [rule.since])]
  if ('sum' in rule) return [rule.column, ...rule.sum, ...(rule.less ?? [])]
  return typeof rule.column === 'string' ? [rule.column] : rule.column
}

/** Words for the bounds of a rule, in reading order. */
const BOUNDS = [
  ['min', 'at least', '不小於'],
  ['above', 'more than', '大於'],
  ['max', 'at most', '不大於'],
  ['below', 'less than', '小於'],
] as const

/** Short description of a rule without its reason: `volume, turnover: at least 0`. */
export function ruleStatement(rule: RowRule): string {
  if ('holds' in rule) return rule.holds
  const within = 'tolerance' in rule && rule.tolerance ? ` (within ${rule.tolerance})` : ''
  if ('sum' in rule) return `${sumOf(rule)}${within}`
  if ('equals' in rule) return `${rule.column} = ${rule.equals}${within}`
  if ('on' in rule) {
    const [theirs, ours] = [Object.keys(rule.on), Object.values(rule.on)]
    return `${ours.join(', ')} in ${rule.dataset} (${theirs.join(', ')})${rule.since === undefined ? '' : `, for rows with ${rule.since} on or after the date of that dataset`}`
  }
  if ('values' in rule) return `${rule.column}: one of ${rule.values.join(', ')}`
  if ('pattern' in rule) return `${rule.column}: matches ${rule.pattern}`
  const bounds = BOUNDS.flatMap(([key, said]) => (rule[key] === undefined ? [] : [`${said} ${rule[key]}`]))
  return `${ruleColumns(rule).join(', ')}: ${bounds.join(' and ')}`
}

/** The rule in Chinese words. Names, patterns and SQL are unchanged. */
export function ruleStatementZh(rule: RowRule): string {
  if ('holds' in rule) return rule.holds
  const within = 'tolerance' in rule && rule.tolerance ? `（容許差異 ${rule.tolerance}）` : ''
  if ('sum' in rule) return `${sumOf(rule)}${within}`
  if ('equals' in rule) return `${rule.column} = ${rule.equals}${within}`
  if ('on' in rule) {
    const [theirs, ours] = [Object.keys(rule.on), Object.values(rule.on)]
    return `${ours.join('、')} 見於 ${rule.dataset}（${theirs.join('、')}）${rule.since === undefined ? '' : `，僅適用於 ${rule.since} 不早於該資料集日期的資料列`}`
  }
  if ('values' in rule) return `${rule.column}：${rule.values.join('、')} 之一`
  if ('pattern' in rule) return `${rule.column}：符合 ${rule.pattern}`
  const bounds = BOUNDS.flatMap(([key, , said]) => (rule[key] === undefined ? [] : [`${said} ${rule[key]}`]))
  return `${ruleColumns(rule).join('、')}：${bounds.join(' 且')}`
}

const sumOf = ({ column, sum, less = [] }: Sum): string => `${column} = ${[sum.join(' + '), ...less].join(' - ')}`
