import type { Dataset } from '../../../catalog/index.ts'
import { closedByRule } from '../../../src/calendar/index.ts'
import type { Source } from '../../../src/releases/index.ts'
import type { Relation } from './relations.ts'

/** Rows on their way into a release, with what is known of them. */
export interface Batch {
  readonly dataset: Dataset
  /** The rows: the dataset's columns, of any type, and `_source`, each row's position in `sources`. */
  readonly relation: Relation
  readonly sources: readonly Omit<Source, 'rows'>[]
  readonly synthetic: boolean
  /** Rules the operator let pass with `--accept`. */
  readonly accept: readonly string[]
  /** True leaves out a source at fault and publishes the rest; false refuses the whole batch for any fault. */
  readonly sourceBySource: boolean
  readonly calendar: TradingCalendar
  /** Position of each source's first row in `relation`, where a row's place in its source is worth telling. */
  readonly firstRows?: readonly number[]
  /** Fewest rows of a complete list from each source, by position; checked while no such list is served. */
  readonly leastRows?: readonly number[]
  /**
   * Keys, and a span of days, of which the batch has every row there is: previous rows of them that it lacks are removed. It takes the
   * place of the dataset's slices.
   */
  readonly whole?: { readonly keys: readonly string[]; readonly days: readonly [first: string, last: string] | null }
  /** Keys whose derived columns may have changed because a joined dataset did. */
  readonly touchedKeys?: readonly string[]
}

/** One rule a batch broke: which source, which column, how often, and up to five sample rows. */
export interface BatchFault {
  readonly rule: string
  /** Position of the source in the batch, or null where the batch as a whole is at fault. */
  readonly source: number | null
  readonly column: string | null
  readonly count: number
  readonly samples: readonly unknown[]
  /** For a person: what was wrong and what to do next. */
  readonly message: string
  /** The same in Chinese. */
  readonly message_zh: string
}

/** How many rows a fault shows. */
export const MOST_SAMPLES = 5

/** Where a row stands in its source, the first being 1; nothing where that is not worth telling. @param at position in the batch */
export const rowAt = ({ firstRows }: Batch, source: number, at: number): { readonly row?: number } =>
  firstRows === undefined ? {} : { row: at - firstRows[source]! + 1 }

/** Rules an operator may let pass with `--accept`: real data can break them. The others guard the format and cannot be waived. */
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

/** What may be let pass with `--accept` of these datasets: besides what is common to all, the rules that they declare acceptable. */
export const acceptableRules = (datasets: readonly Dataset[]): readonly string[] => [
  ...ACCEPTABLE,
  ...datasets.flatMap(({ rules = [], completeness }) => [
    ...rules.filter(({ severity }) => severity === 'acceptable').map(({ name }) => name),
    ...(completeness?.severity === 'acceptable' ? [MISSING_DAYS] : []),
  ]),
]

export const MISSING_DAYS = 'missing_days'

/** Trading days as data tells them, beyond what the calendar rules know. No day is in both sets. */
export interface TradingCalendar {
  /** Named closed by the calendar dataset, or answered with nothing by an exchange. */
  readonly closed: ReadonlySet<string>
  /** Named open by the calendar dataset: make-up Saturdays, and days wrongly taken for closed. */
  readonly open: ReadonlySet<string>
}

export const EMPTY_CALENDAR: TradingCalendar = { closed: new Set(), open: new Set() }

/** True for a day on which the market should have traded. */
export const isSession = (day: string, { closed, open }: TradingCalendar): boolean =>
  open.has(day) || !(closedByRule(day) || closed.has(day))
