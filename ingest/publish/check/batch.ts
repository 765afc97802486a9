import type { Dataset } from '../../../catalog/index.ts'
import { closedByRule } from '../../../src/calendar/index.ts'
import type { Source } from '../../../src/releases/index.ts'
import type { Relation } from './relations.ts'

export interface Batch {
  readonly dataset: Dataset
  /** Rows with the dataset's columns in any type. `_source` is an index in `sources`. */
  readonly relation: Relation
  readonly sources: readonly Omit<Source, 'rows'>[]
  readonly synthetic: boolean
  /** Rules that the operator accepted with `--accept`. */
  readonly accept: readonly string[]
  /** True to exclude only faulty sources. False to refuse the whole batch. */
  readonly sourceBySource: boolean
  readonly calendar: TradingCalendar
  /** Position of each source's first row. Missing if faults have no row numbers. */
  readonly firstRows?: readonly number[]
  /**
   * Minimum number of rows of a complete list, per source. Checked only until a first list is
   * served.
   */
  readonly leastRows?: readonly number[]
  /**
   * Keys and days for which the batch is complete. Other served rows of these keys and days are
   * removed. The dataset's slices are ignored.
   */
  readonly whole?: { readonly keys: readonly string[]; readonly days: readonly DayRange[] }
  /** Keys whose derived columns are outdated, because a joined dataset changed. */
  readonly touchedKeys?: readonly string[]
}

/** First and last day, inclusive. */
export type DayRange = readonly [first: string, last: string]

export interface BatchFault {
  readonly rule: string
  /** Index of the source. Null if the whole batch is at fault. */
  readonly source: number | null
  readonly column: string | null
  readonly count: number
  readonly samples: readonly unknown[]
  /** What is wrong, and what to do. */
  readonly message: string
  readonly message_zh: string
}

/** Maximum number of sample rows per fault. */
export const MOST_SAMPLES = 5

/**
 * Returns the row number within the source, from 1. Empty if faults have no row numbers.
 *
 * @param at index of the row in the batch
 */
export const rowAt = ({ firstRows }: Batch, source: number, at: number): { readonly row?: number } =>
  firstRows === undefined ? {} : { row: at - firstRows[source]! + 1 }

/**
 * Rules that operators may accept with `--accept`, because correct data can break them. Other
 * rules protect the format and cannot be accepted.
 */
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

/** Returns `ACCEPTABLE` and the acceptable rules of these datasets. */
export const acceptableRules = (datasets: readonly Dataset[]): readonly string[] => [
  ...ACCEPTABLE,
  ...datasets.flatMap(({ rules = [], completeness }) => [
    ...rules.filter(({ severity }) => severity === 'acceptable').map(({ name }) => name),
    ...(completeness?.severity === 'acceptable' ? [MISSING_DAYS] : []),
  ]),
]

export const MISSING_DAYS = 'missing_days'

/**
 * Days on which published data contradicts the fixed rules of the calendar (weekends and fixed
 * holidays are closed). No day is in both sets.
 */
export interface TradingCalendar {
  /** Closed days, from the calendar dataset or from an empty file. */
  readonly closed: ReadonlySet<string>
  /**
   * Open days according to the calendar dataset, although the rules or an empty file suggest
   * otherwise. For example, Saturdays that make up for a holiday.
   */
  readonly open: ReadonlySet<string>
}

export const EMPTY_CALENDAR: TradingCalendar = { closed: new Set(), open: new Set() }

/** True if the market was scheduled to trade on the day. */
export const isSession = (day: string, { closed, open }: TradingCalendar): boolean =>
  open.has(day) || !(closedByRule(day) || closed.has(day))
