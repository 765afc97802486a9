import type { Dataset } from '../../../catalog/index.ts'
import { closedByRule } from '../../../src/calendar/index.ts'
import type { Source } from '../../../src/releases/index.ts'
import type { Relation } from './relations.ts'

/** Rows to publish, with their origin and options. */
export interface Batch {
  readonly dataset: Dataset
  /**
   * The rows. They have the dataset's columns in any type, and `_source`, the index of the row's
   * source in `sources`.
   */
  readonly relation: Relation
  readonly sources: readonly Omit<Source, 'rows'>[]
  readonly synthetic: boolean
  /** Rules that the operator accepted with `--accept`. Rows may break them. */
  readonly accept: readonly string[]
  /**
   * True to exclude faulty sources and publish the others. False to refuse the whole batch for any
   * fault.
   */
  readonly sourceBySource: boolean
  readonly calendar: TradingCalendar
  /** Index of each source's first row in `relation`. Absent if faults do not report row numbers. */
  readonly firstRows?: readonly number[]
  /**
   * Minimum rows of a complete list per source, by index. Checked only while no such list is
   * served.
   */
  readonly leastRows?: readonly number[]
  /**
   * Keys and ranges of days for which the batch has all rows. Previous rows of these keys and days
   * that are not in the batch are removed. Replaces the dataset's slices.
   */
  readonly whole?: { readonly keys: readonly string[]; readonly days: readonly DayRange[] }
  /** Keys whose derived columns are outdated because a joined dataset changed. */
  readonly touchedKeys?: readonly string[]
}

/** First and last day, inclusive. */
export type DayRange = readonly [first: string, last: string]

/** A rule that a batch broke, with source, column, count, and up to five sample rows. */
export interface BatchFault {
  readonly rule: string
  /** Index of the source in the batch. Null if the fault concerns the whole batch. */
  readonly source: number | null
  readonly column: string | null
  readonly count: number
  readonly samples: readonly unknown[]
  /** The fault and the next step. */
  readonly message: string
  /** The message in Chinese. */
  readonly message_zh: string
}

/** Maximum number of sample rows of a fault. */
export const MOST_SAMPLES = 5

/**
 * Number of a row within its source, starting with 1. Empty if it is not reported.
 *
 * @param at index of the row in the batch
 */
export const rowAt = ({ firstRows }: Batch, source: number, at: number): { readonly row?: number } =>
  firstRows === undefined ? {} : { row: at - firstRows[source]! + 1 }

/**
 * Rules that an operator may accept with `--accept`, because real data can break them. Other rules
 * protect the format and cannot be accepted.
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
 * Rules that can be accepted for these datasets: the rules that all datasets have, and acceptable
 * rules of these datasets.
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
 * Trading days that published data states differently than the calendar's rules. No day is in both
 * sets.
 */
export interface TradingCalendar {
  /**
   * Days that are closed according to the calendar dataset, or to an empty response of an exchange.
   */
  readonly closed: ReadonlySet<string>
  /**
   * Days that are open according to the calendar dataset: make-up Saturdays, and days that were
   * wrongly considered closed.
   */
  readonly open: ReadonlySet<string>
}

export const EMPTY_CALENDAR: TradingCalendar = { closed: new Set(), open: new Set() }

/** True for a day on which the market was scheduled to trade. */
export const isSession = (day: string, { closed, open }: TradingCalendar): boolean =>
  open.has(day) || !(closedByRule(day) || closed.has(day))
