/**
 * What a query parameter does to the rows.
 *
 * eq equals · in one of a comma list · from, to inclusive bounds · period a fiscal quarter or a whole year ·
 * first_of the first value of `values` that the filtered rows have, unless the caller names one · latest keep the newest value only.
 */
export type Operator = 'eq' | 'in' | 'from' | 'to' | 'period' | 'first_of' | 'latest'

export interface Filter<C extends string = string> {
  /** Column the parameter filters. */
  readonly column: C
  /** A second column: a row matches when either does. Only for `eq`. */
  readonly also?: C
  readonly op: Operator
  readonly doc: string
  readonly required?: true
  /** Name the envelope echoes it under; the parameter's own name when absent. */
  readonly echo?: string
  /** The whole value must match; a value of another shape is refused, a well-shaped unknown one has no rows. */
  readonly pattern?: string
  /** Letters are matched in upper case: `00632r` finds `00632R`. Never for codes that are case-sensitive. */
  readonly fold?: 'upper'
  /** The only values accepted. */
  readonly values?: readonly string[]
  /** A value that means every row, for example a curve id over all its tenors. */
  readonly all?: string
  /** Most values in one comma list. */
  readonly max?: number
  readonly example?: string
}
