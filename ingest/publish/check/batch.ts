import type { Dataset } from '../../../catalog/index.ts'
import { closedByRule } from '../../../src/calendar/index.ts'
import type { Source } from '../../../src/releases/index.ts'
import type { Relation } from './relations.ts'

/** Rows to publish, with their sources and options. */
export interface Batch {
  readonly dataset: Dataset
  /**
   * The rows, with the dataset's columns in any type. `_source` is the index of a row's source in
   * `sources`.
   */
  readonly relation: Relation
  readonly sources: readonly Omit<Source, 'rows'>[]
  readonly synthetic: boolean
  /** Rules that rows may break, because the operator passed `--accept`. */
  readonly accept: readonly string[]
  /**
   * True to exclude faulty sources and publish the others. False to refuse the whole batch for any
   * fault.
   */
  readonly sourceBySource: boolean
  readonly calendar: TradingCalendar
  /**
   * Index of each source's first row in `relation`. Missing if faults do not report row numbers.
   */
  readonly firstRows?: readonly number[]
  /**
   * For each source, the minimum number of rows of a complete list. Checked only while no such list
   * is served.
   */
  readonly leastRows?: readonly number[]
  /**
   * Keys and ranges of days for which the batch has all rows. Any other row of these keys and days
   * is removed from the dataset. The dataset's slices are ignored.
   */
  readonly whole?: { readonly keys: readonly string[]; readonly days: readonly DayRange[] }
  /** Keys whose derived columns are outdated because a joined dataset changed. */
  readonly touchedKeys?: readonly string[]
}

/** First and last day, inclusive. */
export type DayRange = readonly [first: string, last: string]

/** A rule that a batch broke: source, column, number of rows, and sample rows. */
export interface BatchFault {
  readonly rule: string
  /** Index of the source in the batch. Null if the fault concerns the whole batch. */
  readonly source: number | null
  readonly column: string | null
  readonly count: number
  readonly samples: readonly unknown[]
  /** What is wrong, and what to do. */
  readonly message: string
  readonly message_zh: string
}

/** Maximum number of sample rows of a fault. */
export const MOST_SAMPLES = 5

/**
 * Returns the number of a row within its source, starting with 1. Empty if faults do not report row
 * numbers.
 *
 * @param at index of the row in the batch
 */
export const rowAt = ({ firstRows }: Batch, source: number, at: number): { readonly row?: number } =>
  firstRows === undefined ? {} : { row: at - firstRows[source]! + 1 }

/**
 * Rules that an operator may accept with `--accept`, because correct data can break them. Other
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

/**
 * Returns the rules that can be accepted for these datasets: `ACCEPTABLE`, and acceptable rules
 * that the datasets declare.
 */
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
 * holidays). No day is in both sets.
 */
export interface TradingCalendar {
  /**
   * Days that are closed according to the calendar dataset, or because an exchange sent an empty
   * file.
   */
  readonly closed: ReadonlySet<string>
  /**
   * Days that are open according to the calendar dataset, although the rules or an empty file
   * suggest otherwise. For example, Saturdays that make up for a holiday.
   */
  readonly open: ReadonlySet<string>
}

export const EMPTY_CALENDAR: TradingCalendar = { closed: new Set(), open: new Set() }

/** True if the market was scheduled to trade on the day. */
export const isSession = (day: string, { closed, open }: TradingCalendar): boolean =>
  open.has(day) || !(closedByRule(day) || closed.has(day))
