import type { Cadence } from './cadence.ts'
import type { Column } from './column.ts'
import type { Envelope } from './envelope.ts'
import type { FieldView } from './field-view.ts'
import type { Filter } from './filter.ts'
import type { KnownGaps } from './known-gap.ts'
import type { Access } from './price.ts'
import type { DeriveJoin, Reconciliation } from './publication.ts'
import type { Completeness, Drift, RowRule } from './rule.ts'
import type { Searchable } from './search.ts'

/** Status of a dataset once its first release is published. Until then it is `building`. */
export const RELEASED_STATUSES = ['verified', 'reference', 'preview'] as const
export type ReleasedStatus = (typeof RELEASED_STATUSES)[number]

/** Families of the datasets that are sold. */
export const SERVED_FAMILIES = ['macroeconomics', 'market_structure', 'capital_flows', 'companies_events', 'financial_statements'] as const
export const FAMILIES = [...SERVED_FAMILIES, 'internal'] as const
export type Family = (typeof FAMILIES)[number]

/** Past views a dataset may offer. */
export const POINT_IN_TIME = ['none', 'publication_date'] as const

export type Order<C extends string = string> = readonly (readonly [column: C, direction: 'asc' | 'desc'])[]

/** Where a dataset's rows come from. Envelope A shows `families` and `semantics`; B and C show `role` to `notes`; A-bare shows none of it unless asked for in full. */
export interface SourceLineage {
  /** Labels of the families of sources, in snake_case. */
  readonly families: readonly string[]
  /** What a row states, as one snake_case word group. */
  readonly semantics: string
  /** Standing of the chosen source as a label: `canonical`, `reference`, or a word of its own, for example `official_risk_event`. */
  readonly role: string
  /** Label of the source the rows are taken from, in snake_case. */
  readonly selected: string
  /** Labels of sources that would stand in for it, in order of preference; empty where there is none. */
  readonly fallbacks: readonly string[]
  /** Labels of what a reader must know of how the source is used, for example how its rows are joined. */
  readonly notes: readonly string[]
  /** Public page of the source. */
  readonly url: string
  /** The attribution the source's licence requires. */
  readonly attribution: string
  /** The same in Chinese. */
  readonly attributionZh: string
}

/** What a dataset is meant to cover. What it actually holds is measured at publication. */
export interface Coverage {
  readonly markets: readonly string[]
  /** Whether securities that left the market remain in the dataset. */
  readonly delisted: boolean
  /** What kind of thing is covered, as one snake_case word group. Required where the envelope does not state it. */
  readonly scope?: string
  /** How it is covered in time, for example `daily_time_series`. Required where the envelope does not state it. */
  readonly type?: string
}

/** Everything the service knows about one dataset. Routes, validation, Parquet schema, checks, prices and docs derive from it. */
export interface Dataset<C extends string = string> {
  readonly slug: string
  /** Identifier used in envelopes. */
  readonly id: string
  /** `/v2/datasets/<slug>` when absent. */
  readonly path?: string
  readonly title: string
  readonly titleZh: string
  readonly family: Family
  readonly description: string
  /** The same in Chinese, as it is written in Taiwan. */
  readonly descriptionZh: string
  /** Absent for an internal dataset, which is stored and released like any other but not served. */
  readonly access?: Access
  readonly status: ReleasedStatus
  /** A planned dataset has no source yet and answers 200 with no rows instead of 503. */
  readonly planned?: true
  readonly version: string
  readonly columns: Readonly<Record<C, Column>>
  /** Columns that identify a row, none of them nullable. A release never holds two rows with equal grain. */
  readonly grain: readonly C[]
  /** Column whose hash chooses the bucket a row is stored in: the key that most reads filter by. */
  readonly key?: C
  /** Column that names what the key is a part of, as the firm of a branch. Coverage of one symbol answers for its values too. */
  readonly parent?: C
  /** Column whose greatest value is the release's `data_as_of`. Where absent, `listedOn` decides, else the day of publication. */
  readonly date?: C
  /** DuckDB expression over the columns that gives the day a row was listed, where no column holds that day. */
  readonly listedOn?: string
  /** How many days after today rows may be dated, where they are announced in advance. Default 1, which tolerates clock differences. */
  readonly daysAhead?: number
  /**
   * `replace`: a publication is the whole dataset. `merge`: rows with equal grain are replaced, others stay.
   * `slice` columns make a publication complete per slice: a (market, trade_date) that arrives again replaces that day.
   * `body` columns, the date among them, identify what a source sends as one body even where that is not a complete slice. Publication
   * refuses equal figures under two dates.
   * `months: false` lays a series out by key alone: where a publication rewrites histories of keys, it would rewrite every month.
   */
  readonly publish: {
    readonly mode: 'replace' | 'merge'
    readonly slice?: readonly C[]
    readonly body?: readonly C[]
    readonly months?: false
  }
  readonly derive?: readonly DeriveJoin[]
  /** What holds of every row: bounds, values, patterns, sums, formulas, references to other datasets, conditions. */
  readonly rules?: readonly RowRule<C>[]
  /** How far the number of rows may move; the defaults of `Drift` when absent. `any` where it says nothing, as of events. */
  readonly drift?: Drift | 'any'
  /** That every trading day between others has rows; only of a dataset that is published by market and day. Not checked when absent. */
  readonly completeness?: Completeness
  /** Comparisons in addition to the one every dataset has: source rows against published rows. */
  readonly reconcile?: readonly Reconciliation[]
  readonly filters: Readonly<Record<string, Filter<C>>>
  /** Fields that `/v2/query` serves from this dataset; none when absent. */
  readonly fields?: readonly FieldView<C>[]
  /** Default order of an answer. The grain is appended to it, so that pages never share or skip a row. */
  readonly order: Order<C>
  /** Columns an answer can be sorted by; where there are none, a read takes no parameter for it. */
  readonly sortable: readonly C[]
  readonly envelope: Envelope<C>
  /** What `/v2/search` finds among its rows; nothing when absent. */
  readonly search?: readonly Searchable<C>[]
  /** What an empty answer within coverage means; `no_match` when absent. */
  readonly empty?: 'no_match' | 'not_captured' | 'not_built'
  readonly lineage: SourceLineage
  readonly knownGaps: KnownGaps
  readonly warnings: readonly string[]
  readonly cadence: Cadence
  /** Whether reads can return a past view: not at all, or by the day a figure was announced. */
  readonly pointInTime: (typeof POINT_IN_TIME)[number]
  readonly coverage: Coverage
  /** A few rows as served, in the default order. The docs show them; the tests publish them and read them back. */
  readonly example: readonly Readonly<Record<C, unknown>>[]
  /** The dataset this is the cross-section of, as `crossSection` makes it; no file declares it. */
  readonly sectionOf?: Dataset
}

/** The identity function at run time. At compile time it proves that grain, key, filters, order and envelope name declared columns. */
export function defineDataset<const C extends string>(
  dataset: { readonly columns: Readonly<Record<C, Column>> } & Omit<Dataset<NoInfer<C>>, 'columns' | 'sectionOf'>,
): Dataset {
  return dataset as unknown as Dataset
}

/** True where the key is a security's ticker. Ticker counts and `/v2/coverage?symbol=` combine these datasets. */
export const keyedByTicker = ({ key }: Dataset): boolean => key === 'ticker' || key === 'symbol'

/** Known gap of a dataset that nobody brings by a timetable: its cadence says when data is missing, and nothing is announced. */
const UNSCHEDULED = 'no_scheduled_producer'

export const isScheduled = ({ knownGaps }: Dataset): boolean => !Object.hasOwn(knownGaps, UNSCHEDULED)

/** The filter that `symbol` means for a dataset: its own parameter of that name, else the one that selects keys. */
export const symbolFilter = ({ filters, key }: Dataset): Filter | undefined =>
  filters['symbol'] ?? Object.values(filters).find(({ column, op }) => column === key && (op === 'eq' || op === 'in'))

/** An order that decides between any two rows: the grain closes it, so that two pages never share or skip a row. */
export const closedOrder = ({ grain }: Dataset, order: Order): Order => {
  const sorted = new Set(order.map(([column]) => column))
  return [...order, ...grain.filter(column => !sorted.has(column)).map(column => [column, 'asc'] as const)]
}

const names = new WeakMap<Dataset, readonly string[]>()

/** Names of all columns, in order: the same value each time. */
export function allColumns(dataset: Dataset): readonly string[] {
  const all = names.get(dataset) ?? Object.keys(dataset.columns)
  names.set(dataset, all)
  return all
}

const ranged = new WeakMap<Dataset, readonly string[]>()

/** Names of the columns of numbers, in order, whose ranges filter a read. */
export function rangeColumns(dataset: Dataset): readonly string[] {
  const isNumber = (name: string): boolean => ['number', 'integer'].includes(dataset.columns[name]!.type)
  const known = ranged.get(dataset) ?? allColumns(dataset).filter(isNumber)
  ranged.set(dataset, known)
  return known
}

const defaults = new WeakMap<Dataset, Order>()

/** The order of a read that names none: the same value each time. */
export function defaultOrder(dataset: Dataset): Order {
  const order = defaults.get(dataset) ?? closedOrder(dataset, dataset.order)
  defaults.set(dataset, order)
  return order
}

/** Names under which the first releases of datasets were written that are called otherwise now. Never changed, and none is given again. */
const FIRST_NAMES: Readonly<Record<string, string>> = { 'daily-prices': 'daily-quotes' }

/** What a dataset is called on disk: its folder of releases, in manifests and in what is derived from them. Everything else has the slug. */
export const storedName = (slug: string): string => FIRST_NAMES[slug] ?? slug

/** URL path the dataset is read at. Internal datasets are never routed. */
export const pathOf = (dataset: Dataset): string => dataset.path ?? `/v2/datasets/${dataset.slug}`

/** The dataset's version as envelopes send it; a preview is marked, because its schema may still change. */
export const versionOf = ({ version, status }: Dataset): string => (status === 'preview' ? `${version}-preview` : version)

/** True for a list that states one day, such as a register: a newer list supersedes an older one. */
export const isSnapshot = ({ envelope, coverage }: Dataset): boolean =>
  ('coverage' in envelope ? envelope.coverage : coverage.type) === 'current_snapshot'

/** What envelopes send as the release of a dataset without one: nothing, but for the mark that every version of a preview bears. */
export const noReleaseVersion = ({ status }: Dataset): string | null => (status === 'preview' ? 'unreleased-preview' : null)

/**
 * Scope and coverage type of a dataset, from its envelope or its coverage.
 *
 * @throws Error when neither states them
 */
export function coverageWords({ slug, envelope, coverage }: Dataset): { readonly scope: string; readonly type: string } {
  const scope = 'scope' in envelope ? envelope.scope : coverage.scope
  const type = 'coverage' in envelope ? envelope.coverage : coverage.type
  if (scope === undefined || type === undefined) {
    throw new Error(`${slug} must say scope and type in its coverage, since its envelope does not`)
  }
  return { scope, type }
}
