/**
 * What happens if rows violate a rule:
 * - `error`: publication fails
 * - `acceptable`: publication fails unless the operator accepts the rule by name
 * - `warning`: publication succeeds and reports the rows
 */
export const SEVERITIES = ['error', 'acceptable', 'warning'] as const
export type Severity = (typeof SEVERITIES)[number]

interface Named {
  /** In snake_case, unique within the dataset. Reports and manifests use the name. */
  readonly name: string
  /** The rule and its reason, in one sentence. */
  readonly doc: string
  readonly docZh: string
  /** Default: `error`. */
  readonly severity?: Severity
}

/** Bounds are inclusive by default. Days are `YYYY-MM-DD`. Null is allowed. */
export interface Bounds<C extends string = string> extends Named {
  /** One column, or several with the same bounds. */
  readonly column: C | readonly C[]
  readonly min?: number | string
  readonly max?: number | string
  /** Exclusive lower bound. */
  readonly above?: number | string
  /** Exclusive upper bound. */
  readonly below?: number | string
}

/** Null is allowed. */
export interface AllowedValues<C extends string = string> extends Named {
  readonly column: C
  readonly values: readonly (string | number)[]
}

/** The pattern must match the whole text. Null is allowed. */
export interface TextPattern<C extends string = string> extends Named {
  readonly column: C
  readonly pattern: string
}

/**
 * Requires that a column equals a sum. Rows with a missing value are not checked. The sum is
 * computed in decimals with twelve digits after the point.
 */
export interface Sum<C extends string = string> extends Named {
  readonly column: C
  readonly sum: readonly C[]
  /** Columns to subtract. */
  readonly less?: readonly C[]
  /** Maximum difference, in the column's unit. Default: 0. */
  readonly tolerance?: number
}

/** Requires that a column equals a formula, within a tolerance. */
export interface Formula<C extends string = string> extends Named {
  readonly column: C
  /** DuckDB expression over stored columns. Rows with a null result are not checked. */
  readonly equals: string
  readonly tolerance: number
}

/**
 * Requires values that exist in another served dataset. Skipped if there is no release, and between
 * samples and real rows.
 */
export interface Reference<C extends string = string> extends Named {
  readonly dataset: string
  /**
   * Columns of this dataset, keyed by the columns of the other dataset that must have the same
   * values. Rows with a null in one of these columns are not checked.
   */
  readonly on: Readonly<Record<string, C>>
  /**
   * Date column. Only rows since the other release's `data_as_of` are checked, because a current
   * list lacks removed entries.
   */
  readonly since?: C
}

/** Requires that the DuckDB expression `holds` is true. Null counts as true. */
export interface Condition extends Named {
  readonly holds: string
}

export type RowRule<C extends string = string> =
  | Bounds<C>
  | AllowedValues<C>
  | TextPattern<C>
  | Sum<C>
  | Formula<C>
  | Reference<C>
  | Condition

/**
 * Limits for the number of rows. Data beyond a limit is probably truncated, or belongs to another
 * day or table.
 */
export interface Drift {
  /** Minimum ratio of a day's rows to the median of adjacent days. Default: 0.75. */
  readonly least?: number
  /** Maximum ratio of a day's rows to the median of adjacent days. Default: 1.5. */
  readonly most?: number
  /** Minimum number of rows of a new version, as a ratio to the previous version. Default: 0.95. */
  readonly kept?: number
}

/** Default limits. Valid days differ by a few percent. Data of a wrong day differed by a third. */
const DRIFT: Required<Drift> = { least: 0.75, most: 1.5, kept: 0.95 }

/** Returns the limits for the number of rows. `any` sets no limits. */
export const driftOf = ({ drift }: { readonly drift?: Drift | 'any' }): Required<Drift> =>
  drift === 'any' ? { least: 0, most: Number.POSITIVE_INFINITY, kept: 0 } : { ...DRIFT, ...drift }

/** Reports a trading day without rows between two days with rows. */
export interface Completeness {
  /** Use `warning` if days arrive in any order, so that a later publication can fill the gap. */
  readonly severity: Severity
}

/** Returns the columns that a rule names. SQL expressions may use more columns. */
export function ruleColumns(rule: RowRule): readonly string[] {
  if ('holds' in rule) return []
  if ('on' in rule) return [...Object.values(rule.on), ...(rule.since === undefined ? [] : [rule.since])]
  if ('sum' in rule) return [rule.column, ...rule.sum, ...(rule.less ?? [])]
  return typeof rule.column === 'string' ? [rule.column] : rule.column
}

const BOUNDS = [
  ['min', 'at least', '不小於'],
  ['above', 'more than', '大於'],
  ['max', 'at most', '不大於'],
  ['below', 'less than', '小於'],
] as const

/** Describes a rule without the reason, for example `volume, turnover: at least 0`. */
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

/** Describes a rule in Chinese. Names, patterns and SQL are not translated. */
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
