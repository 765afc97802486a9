import type { Cadence } from './cadence.ts'
import type { Column, Value } from './column.ts'
import type { Envelope } from './envelope.ts'
import type { FieldView } from './field-view.ts'
import type { Filter } from './filter.ts'
import type { KnownGaps } from './known-gap.ts'
import type { Access } from './price.ts'
import type { Computation, DeriveJoin, Reconciliation } from './publication.ts'
import type { Completeness, Drift, RowRule } from './rule.ts'
import type { Searchable } from './search.ts'

/** Status of a dataset after its first release is published. Until then, it is `building`. */
export const RELEASED_STATUSES = ['verified', 'reference', 'preview'] as const
export type ReleasedStatus = (typeof RELEASED_STATUSES)[number]

/** Families of the datasets in the catalog. */
export const SERVED_FAMILIES = ['macroeconomics', 'market_structure', 'capital_flows', 'companies_events', 'financial_statements'] as const
export const FAMILIES = [...SERVED_FAMILIES, 'internal'] as const
export type Family = (typeof FAMILIES)[number]

export type Order<C extends string = string> = readonly (readonly [column: C, direction: 'asc' | 'desc'])[]

/**
 * Source of a dataset's rows. Envelope A shows `families` and `semantics`. Envelopes B and C show
 * `role` to `notes`. A-bare shows nothing unless the full envelope is requested.
 */
export interface SourceLineage {
  /** Labels of the families of sources, in snake_case. */
  readonly families: readonly string[]
  /** Content of a row, as snake_case words. */
  readonly semantics: string
  /**
   * Label of the selected source's role: `canonical`, `reference`, or a custom label, for example
   * `official_risk_event`.
   */
  readonly role: string
  /** Label of the source from which the rows come, in snake_case. */
  readonly selected: string
  /** Labels of fallback sources, in order of preference. Empty if there are none. */
  readonly fallbacks: readonly string[]
  /** Labels of facts about the use of the source, for example how its rows are joined. */
  readonly notes: readonly string[]
  /** Public page of the source. */
  readonly url: string
  /** The attribution that the licence of the source requires. */
  readonly attribution: string
  /** `attribution` in Chinese. */
  readonly attributionZh: string
}

/** Intended coverage of a dataset. Publication measures the actual coverage. */
export interface Coverage {
  readonly markets: readonly string[]
  /** True if securities that left the market stay in the dataset. */
  readonly delisted: boolean
  /** Kind of coverage, in snake_case. Required if the envelope does not state it. */
  readonly scope?: string
  /**
   * Coverage over time, for example `daily_time_series`. Required if the envelope does not state
   * it.
   */
  readonly type?: string
}

/**
 * Declaration of one dataset. Routes, validation, Parquet schema, checks, prices and documentation
 * are derived from it.
 */
export interface Dataset<C extends string = string> {
  readonly slug: string
  /** Identifier used in envelopes. */
  readonly id: string
  /** Path. Default: `/v2/datasets/<slug>`. */
  readonly path?: string
  readonly title: string
  readonly titleZh: string
  readonly family: Family
  readonly description: string
  /** `description` in Chinese (zh-TW). */
  readonly descriptionZh: string
  /** Absent for an internal dataset, which is stored and released like others but not served. */
  readonly access?: Access
  readonly status: ReleasedStatus
  /** True if reads before the first release answer 200 without rows instead of 503. */
  readonly emptyUntilReleased?: true
  readonly version: string
  readonly columns: Readonly<Record<C, Column>>
  /**
   * Columns that identify a row. They are not nullable. A release never has two rows with equal
   * grain.
   */
  readonly grain: readonly C[]
  /** Column by which most reads filter. A hash of its value determines the bucket of a row. */
  readonly key?: C
  /**
   * Column that contains the parent of the key, for example the firm of a branch.
   * `/v2/coverage?symbol=` matches its values too.
   */
  readonly parent?: C
  /**
   * Column whose maximum is the release's `data_as_of`. If absent, the maximum of `listedOn` is
   * used. If that is absent too, the day of publication.
   */
  readonly date?: C
  /** DuckDB expression for the listing day of a row, if no column contains this day. */
  readonly listedOn?: string
  /**
   * Maximum number of days by which rows may be in the future, for data announced in advance.
   * Default: 1, which tolerates clock differences.
   */
  readonly daysAhead?: number
  /**
   * `replace`: a publication is the whole dataset. `merge`: rows with equal grain are replaced, and
   * other rows stay. With `slice` columns, a publication is complete per slice: if a (market,
   * trade_date) arrives again, its rows replace those of that day. `body` columns, including the
   * date, identify one response of a source that is not a complete slice; publication rejects equal
   * figures under two dates. `months: false` disables files by month. Use this for publications
   * that change the histories of keys, because each would rewrite every month.
   */
  readonly publish: {
    readonly mode: 'replace' | 'merge'
    readonly slice?: readonly C[]
    readonly body?: readonly C[]
    readonly months?: false
  }
  readonly derive?: readonly DeriveJoin[]
  /** SQL over other datasets that computes the rows. Absent if the rows come from files. */
  readonly from?: Computation
  /**
   * Rules for every row: bounds, values, patterns, sums, formulas, references to other datasets,
   * conditions.
   */
  readonly rules?: readonly RowRule<C>[]
  /**
   * Allowed change in the number of rows. Default: the limits of `driftOf`. `any` if the number has
   * no expected value, for example for events.
   */
  readonly drift?: Drift | 'any'
  /**
   * Requires rows on every trading day between the first and the last one. Only for datasets
   * published by market and day. Default: no such check.
   */
  readonly completeness?: Completeness
  /**
   * Comparisons in addition to that of source rows with published rows, which all datasets have.
   */
  readonly reconcile?: readonly Reconciliation[]
  readonly filters: Readonly<Record<string, Filter<C>>>
  /** Fields that `/v2/query` returns from this dataset. Default: none. */
  readonly fields?: readonly FieldView<C>[]
  /**
   * Default order of rows. The grain is appended to it, so that pages never share or skip a row.
   */
  readonly order: Order<C>
  /**
   * Columns by which an answer can be sorted. If the list is empty, reads have no sort parameter.
   */
  readonly sortable: readonly C[]
  readonly envelope: Envelope<C>
  /** Values in the rows that `/v2/search` finds. Default: none. */
  readonly search?: readonly Searchable<C>[]
  /** Meaning of an answer without rows within coverage. Default: `no_match`. */
  readonly empty?: 'no_match' | 'not_captured' | 'not_built'
  readonly lineage: SourceLineage
  readonly knownGaps: KnownGaps
  readonly warnings: readonly string[]
  readonly cadence: Cadence
  /**
   * Stored date column with the day on which a row was announced. Reads as of an earlier day omit
   * the row. A row without a value in this column is never omitted. If absent, a row is known from
   * its first release on.
   */
  readonly knownAt?: C
  readonly coverage: Coverage
  /**
   * Sample rows in the form that reads return, in the default order. The documentation shows them.
   * The tests publish and read them.
   */
  readonly example: readonly Readonly<Record<C, unknown>>[]
  /**
   * Synthetic rows for demonstrations, made from the example rows. `trading_days`, `months` and
   * `quarters` make a series of each example with a different grain. Its amounts and prices change
   * by the same factor, so that sums remain correct. `events` moves the days of the examples.
   * Absent if a generator in `ingest/samples` makes the rows.
   */
  readonly sample?: 'trading_days' | 'months' | 'quarters' | 'events'
  /** The dataset of this cross-section, set by `crossSection`. Files do not declare it. */
  readonly sectionOf?: Dataset
}

/**
 * Returns its argument. Checks at compile time that grain, key, filters, order and envelope use
 * declared columns.
 */
export function defineDataset<const C extends string>(
  dataset: { readonly columns: Readonly<Record<C, Column>> } & Omit<Dataset<NoInfer<C>>, 'columns' | 'sectionOf'>,
): Dataset {
  return dataset as unknown as Dataset
}

/** Example rows from lists of values in the order of the columns. */
export const exampleRows = <C extends string>(
  columns: Readonly<Record<C, Column>>,
  ...rows: readonly (readonly Value[])[]
): readonly Readonly<Record<C, Value>>[] =>
  rows.map(values => Object.fromEntries(Object.keys(columns).map((name, index) => [name, values[index] ?? null])) as Record<C, Value>)

/**
 * True if the key is a security's ticker. Ticker counts and `/v2/coverage?symbol=` combine these
 * datasets.
 */
export const keyedByTicker = ({ key }: Dataset): boolean => key === 'ticker' || key === 'symbol'

/**
 * Known gap of a dataset without an update schedule. Its cadence only serves to detect missing
 * data; no next update is announced.
 */
const UNSCHEDULED = 'no_scheduled_producer'

export const isScheduled = ({ knownGaps }: Dataset): boolean => !Object.hasOwn(knownGaps, UNSCHEDULED)

/**
 * The filter for `symbol`: the parameter of that name, otherwise the parameter that selects keys.
 */
export const symbolFilter = ({ filters, key }: Dataset): Filter | undefined =>
  filters['symbol'] ?? Object.values(filters).find(({ column, op }) => column === key && (op === 'eq' || op === 'in'))

/** Total order of rows: the grain is appended, so that pages never share or skip a row. */
export const closedOrder = ({ grain }: Dataset, order: Order): Order => {
  const sorted = new Set(order.map(([column]) => column))
  return [...order, ...grain.filter(column => !sorted.has(column)).map(column => [column, 'asc'] as const)]
}

const names = new WeakMap<Dataset, readonly string[]>()

/** Names of all columns, in order. Returns the same array each time. */
export function allColumns(dataset: Dataset): readonly string[] {
  const all = names.get(dataset) ?? Object.keys(dataset.columns)
  names.set(dataset, all)
  return all
}

const ranged = new WeakMap<Dataset, readonly string[]>()

/**
 * Names of the numeric columns, in order. Ranges can filter by them. Returns the same array each
 * time.
 */
export function rangeColumns(dataset: Dataset): readonly string[] {
  const isNumber = (name: string): boolean => ['number', 'integer'].includes(dataset.columns[name]!.type)
  const known = ranged.get(dataset) ?? allColumns(dataset).filter(isNumber)
  ranged.set(dataset, known)
  return known
}

const defaults = new WeakMap<Dataset, Order>()

/** Order of a read without a sort parameter. Returns the same array each time. */
export function defaultOrder(dataset: Dataset): Order {
  const order = defaults.get(dataset) ?? closedOrder(dataset, dataset.order)
  defaults.set(dataset, order)
  return order
}

/**
 * Names under which datasets were first stored on disk, if they were renamed later. Entries never
 * change, and names are never reused.
 */
const FIRST_NAMES: Readonly<Record<string, string>> = { 'daily-prices': 'daily-quotes' }

/**
 * Name of a dataset on disk: in its folder of releases, in manifests and in derived data. All other
 * code uses the slug.
 */
export const storedName = (slug: string): string => FIRST_NAMES[slug] ?? slug

/** URL path of the dataset. Internal datasets have no route. */
export const pathOf = (dataset: Dataset): string => dataset.path ?? `/v2/datasets/${dataset.slug}`

/** Version of the dataset in envelopes. Previews are marked, because their schema may change. */
export const versionOf = ({ version, status }: Dataset): string => (status === 'preview' ? `${version}-preview` : version)

/** True for a list of one day, for example a register. A newer list replaces an older one. */
export const isSnapshot = ({ envelope, coverage }: Dataset): boolean =>
  ('coverage' in envelope ? envelope.coverage : coverage.type) === 'current_snapshot'

/**
 * Column with the date of a row's version: the day of a register, or the day on which a table of
 * restated figures was produced. A later version replaces an earlier one. Undefined if rows have no
 * versions.
 */
export function versionDateOf(dataset: Dataset): string | undefined {
  if (isSnapshot(dataset)) return dataset.date
  return Object.entries(dataset.columns).find(([, { type, provenance }]) => type === 'date' && provenance)?.[0]
}

/** Whether reads as of a day also consider the day of announcement of each row. */
export const POINT_IN_TIME = ['none', 'publication_date'] as const

export const pointInTimeOf = ({ knownAt }: Dataset): (typeof POINT_IN_TIME)[number] => (knownAt === undefined ? 'none' : 'publication_date')

/** What `as_of` of a dataset's reads returns, as a sentence in both languages. */
export function asOfWords({ knownAt, columns }: Dataset): { readonly en: string; readonly zh: string } {
  const served = { en: 'Returns the rows of the release that was served at `as_of`', zh: '回傳當時所提供版本的資料列' }
  if (knownAt === undefined) return { en: `${served.en}.`, zh: `${served.zh}。` }
  return {
    en: `${served.en}, without rows whose \`${knownAt}\` is later than \`as_of\`.${columns[knownAt]!.nullable ? ` Rows with null in \`${knownAt}\` are included.` : ''}`,
    zh: `${served.zh}，不含 \`${knownAt}\` 晚於該時點的資料列。${columns[knownAt]!.nullable ? '沒有此日期的資料列仍會回傳。' : ''}`,
  }
}

/**
 * Release shown in envelopes for a dataset without releases. Null, except for a preview, which has
 * a marker.
 */
export const noReleaseVersion = ({ status }: Dataset): string | null => (status === 'preview' ? 'unreleased-preview' : null)

/**
 * Scope and coverage type of a dataset, from its envelope or its coverage.
 *
 * @throws Error if neither states them
 */
export function coverageWords({ slug, envelope, coverage }: Dataset): { readonly scope: string; readonly type: string } {
  const scope = 'scope' in envelope ? envelope.scope : coverage.scope
  const type = 'coverage' in envelope ? envelope.coverage : coverage.type
  if (scope === undefined || type === undefined) {
    throw new Error(`${slug} must declare scope and type in its coverage: its envelope does not state them`)
  }
  return { scope, type }
}
