/** One rule a batch broke: which source, which column, how often, and a few rows to look at. */
export interface BatchFault {
  readonly rule: string
  /** Position of the source in the batch, or null where the batch as a whole is at fault. */
  readonly source: number | null
  readonly column: string | null
  readonly count: number
  readonly samples: readonly unknown[]
  /** What was wrong and what to do next. */
  readonly message: string
}

/** Rules an operator may let pass by name, because a day can really look like that. The others guard the format itself. */
export const ACCEPTABLE = [
  'row_count_drift',
  'dates_backwards',
  'same_body',
  'closed_day',
  'contradicts_rows',
  'future_date',
  'schema_change',
  'derived_as_given',
] as const
