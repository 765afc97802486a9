/**
 * How a parameter filters rows:
 * - `eq`: equals the value
 * - `in`: equals a value of a comma-separated list
 * - `from`, `to`: inclusive bounds
 * - `period`: a fiscal quarter, or a whole year
 * - `first_of`: like `eq`; the default is the first entry of `values` that has rows
 * - `latest`: only rows with the newest value
 */
export const OPERATORS = ['eq', 'in', 'from', 'to', 'period', 'first_of', 'latest'] as const
export type Operator = (typeof OPERATORS)[number]

export interface Filter<C extends string = string> {
  readonly column: C
  /** Second column, only for `eq`. A row matches if either column has the value. */
  readonly also?: C
  readonly op: Operator
  readonly doc: string
  readonly required?: true
  /** Second name of the parameter in responses. */
  readonly echo?: string
  /**
   * Pattern that the whole value must match. Other values are refused. A value that matches but is
   * unknown has no rows.
   */
  readonly pattern?: string
  /**
   * Treats different spellings as equal.
   * - `upper`: converts the value to upper case. Never for case-sensitive codes.
   * - `tai`: treats 臺 and 台 as equal, in the value and in the rows. Only for `eq`, never for the
   * key.
   */
  readonly fold?: 'upper' | 'tai'
  /** Accepted values. Default: all. */
  readonly values?: readonly string[]
  /** A value that matches every row. */
  readonly all?: string
  /** Maximum values in a list. Default: 1. */
  readonly max?: number
  /**
   * Why the parameter accepts no list, and what to do instead. English messages show this text
   * after the parameter's name and "takes", Chinese ones after the name.
   */
  readonly onlyOne?: { readonly en: string; readonly zh: string }
  readonly example?: string
}
