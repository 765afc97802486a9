/**
 * How a query parameter filters rows:
 *
 * - `eq`: the column equals the value
 * - `in`: the column equals one value of a comma-separated list
 * - `from`, `to`: inclusive bounds
 * - `period`: a fiscal quarter, or a whole year
 * - `first_of`: the column equals the value; the default is the first entry of `values` that has
 *   rows
 * - `latest`: rows with the newest value only
 */
export const OPERATORS = ['eq', 'in', 'from', 'to', 'period', 'first_of', 'latest'] as const
export type Operator = (typeof OPERATORS)[number]

/** Query parameter that filters the rows of a read. */
export interface Filter<C extends string = string> {
  readonly column: C
  /** Second column, only for `eq`. A row matches if either column has the value. */
  readonly also?: C
  readonly op: Operator
  readonly doc: string
  readonly required?: true
  /**
   * Second name of the parameter in the envelope. The envelope shows the value under both names.
   */
  readonly echo?: string
  /**
   * Pattern that the whole value must match. Values that do not match are rejected. A value that
   * matches but is unknown has no rows.
   */
  readonly pattern?: string
  /**
   * Treats different spellings as equal.
   *
   * - `upper`: converts the value to upper case, so that `00632r` finds `00632R`. Never for
   *   case-sensitive codes.
   * - `tai`: treats 臺 and 台 as equal, in the value and in the rows. Only for `eq`, never for the
   *   key.
   */
  readonly fold?: 'upper' | 'tai'
  /** The accepted values. If absent, all values are accepted. */
  readonly values?: readonly string[]
  /** A value that matches every row, for example the id of a yield curve with all tenors. */
  readonly all?: string
  /** Maximum number of values in a list. Default: 1. */
  readonly max?: number
  /**
   * Reason why the parameter accepts no list, and what to do instead. Chinese messages show this
   * text after the parameter's name. English messages show it after the name and the word "takes".
   */
  readonly onlyOne?: { readonly en: string; readonly zh: string }
  readonly example?: string
}
