/**
 * Effect of a query parameter on the rows:
 *
 * - `eq`: equals the value
 * - `in`: equals one value of a comma-separated list
 * - `from`, `to`: inclusive bounds
 * - `period`: a fiscal quarter, or a whole year
 * - `first_of`: the value that the caller sends; by default the first entry of `values` that has
 *   rows
 * - `latest`: the newest value only
 */
export const OPERATORS = ['eq', 'in', 'from', 'to', 'period', 'first_of', 'latest'] as const
export type Operator = (typeof OPERATORS)[number]

/** A parameter that filters a read. */
export interface Filter<C extends string = string> {
  /** Column by which the parameter filters. */
  readonly column: C
  /** A second column. A row matches if the value is in either column. Only for `eq`. */
  readonly also?: C
  readonly op: Operator
  readonly doc: string
  readonly required?: true
  /** Second name of the parameter. The envelope repeats the value under both names. */
  readonly echo?: string
  /**
   * Pattern that the whole value must match. Other values are rejected. An unknown value that
   * matches has no rows.
   */
  readonly pattern?: string
  /**
   * `upper` converts the value to upper case: `00632r` finds `00632R`. Never use it for
   * case-sensitive codes. `tai` treats 臺 and 台 as equal, in the value and in the rows; only for
   * `eq`, never for the key.
   */
  readonly fold?: 'upper' | 'tai'
  /** The accepted values. Any if absent. */
  readonly values?: readonly string[]
  /** A value that matches every row, for example the id of a curve that covers all tenors. */
  readonly all?: string
  /** Maximum number of values in a list. Default: 1. */
  readonly max?: number
  /**
   * Reason why the parameter accepts no list, and what to do instead. Messages print this text
   * after the parameter's name; in English, after the name and "takes".
   */
  readonly onlyOne?: { readonly en: string; readonly zh: string }
  readonly example?: string
}
