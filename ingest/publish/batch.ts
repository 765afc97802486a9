import type { Dataset } from '../../catalog/index.ts'
import type { Source } from '../../src/releases/index.ts'
import type { TradingCalendar } from './trading-calendar.ts'

/** Rows on their way into a release: a DuckDB relation with the dataset's columns, of any type, and `_source`, each row's position in `sources`. */
export interface Batch {
  readonly dataset: Dataset
  /** Name of the table or view that holds the rows. */
  readonly relation: string
  readonly sources: readonly Omit<Source, 'rows'>[]
  readonly synthetic: boolean
  /** Rules let pass by the operator. */
  readonly accept: readonly string[]
  /** True: a source at fault is left out and the rest published. False: any fault refuses the batch. */
  readonly sourceBySource: boolean
  readonly calendar: TradingCalendar
  /** Keys whose derived columns may have changed because a joined dataset did. */
  readonly touchedKeys?: readonly string[]
}
