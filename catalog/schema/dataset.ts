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

/**
 * Possible status of a dataset that has a release. Before its first release, a dataset is
 * `building`.
 */
export const RELEASED_STATUSES = ['verified', 'reference', 'preview'] as const
export type ReleasedStatus = (typeof RELEASED_STATUSES)[number]

export const SERVED_FAMILIES = ['macroeconomics', 'market_structure', 'capital_flows', 'companies_events', 'financial_statements'] as const
export const FAMILIES = [...SERVED_FAMILIES, 'internal'] as const
export type Family = (typeof FAMILIES)[number]

export type Order<C extends string = string> = readonly (readonly [column: C, direction: 'asc' | 'desc'])[]

/**
 * Source of a dataset's rows. Envelopes (the metadata around the rows) show parts of it: envelope A
 * shows `families` and `semantics`, envelopes B and C show `role` to `notes`. Envelope A-bare shows
 * nothing, unless the request selects the full envelope.
 */
export interface SourceLineage {
  /** Labels of the kinds of sources, in snake_case. */
  readonly families: readonly string[]
  /** Describes the content of a row, in snake_case. */
  readonly semantics: string
  /**
   * Role of the selected source: `canonical`, `reference`, or a custom label, for example
   * `official_risk_event`.
   */
  readonly role: string
  /** Label of the source that supplies the rows, in snake_case. */
  readonly selected: string
  /** Labels of fallback sources, in order of preference. */
  readonly fallbacks: readonly string[]
  /** Labels that describe how the source is used, for example how its rows are joined. */
  readonly notes: readonly string[]
  readonly url: string
  /** Attribution that the licence of the source requires. */
  readonly attribution: string
  readonly attributionZh: string
}

/** Intended coverage of a dataset. The actual coverage is measured by publication. */
export interface Coverage {
  readonly markets: readonly string[]
  /** True if the dataset retains securities that were delisted. */
  readonly delisted: boolean
  /** Kind of coverage, in snake_case. Required if the envelope contains no scope. */
  readonly scope?: string
  /**
   * Coverage over time, for example `daily_time_series`. Required if the envelope contains no
   * coverage type.
   */
  readonly type?: string
}

/**
 * Declaration of one dataset. Routes, parameter checks, Parquet schema, checks of rows, prices and
 * documentation follow from it.
 */
export interface Dataset<C extends string = string> {
  readonly slug: string
  /** Identifier in responses. */
  readonly id: string
  /** Path. Default: `/v2/datasets/<slug>`. */
  readonly path?: string
  readonly title: string
  readonly titleZh: string
  readonly family: Family
  readonly description: string
  readonly descriptionZh: string
  /**
   * Plan and price. Absent for an internal dataset, which is stored and released but not served.
   */
  readonly access?: Access
  readonly status: ReleasedStatus
  /** True if reads before the first release respond with status 200 and no rows, instead of 503. */
  readonly emptyUntilReleased?: true
  readonly version: string
  readonly columns: Readonly<Record<C, Column>>
  /**
   * Columns that identify a row. None of these columns is nullable. A release never has two rows
   * with equal values in all of them.
   */
  readonly grain: readonly C[]
  /**
   * Column that most reads filter by. Rows are distributed to buckets (files) by a hash of this
   * column.
   */
  readonly key?: C
  /**
   * Column that contains the parent of the key, for example the firm of a branch.
   * `/v2/coverage?symbol=` also searches this column.
   */
  readonly parent?: C
  /**
   * Column whose maximum is the release's `data_as_of`. Without this column, the maximum of
   * `listedOn` is used. Without both, the day of publication is used.
   */
  readonly date?: C
  /**
   * DuckDB expression that computes the listing day of a row. Only if no column contains the
   * listing day.
   */
  readonly listedOn?: string
  /**
   * For data that is announced in advance: maximum number of days between today and the day of a
   * row. Default: 1, which tolerates clock differences.
   */
  readonly daysAhead?: number
  /**
   * With `replace`, a publication is the whole dataset. With `merge`, a publication replaces rows
   * with equal grain and leaves other rows unchanged.
   *
   * `slice` columns declare that a publication is complete per slice. If a (market, trade_date)
   * arrives again, its rows replace all rows of that market and day.
   *
   * `body` columns, including the date, identify one response of a source that returns incomplete
   * slices. Publication rejects equal figures under two dates.
   *
   * `months: false` disables files by month. Use it if publications change the histories of keys,
   * because every month would be rewritten each time.
   */
  readonly publish: {
    readonly mode: 'replace' | 'merge'
    readonly slice?: readonly C[]
    readonly body?: readonly C[]
    readonly months?: false
  }
  readonly derive?: readonly DeriveJoin[]
  /** SQL that computes the rows from other datasets. Absent if the rows come from files. */
  readonly from?: Computation
  /** Rules that publication checks for every row. */
  readonly rules?: readonly RowRule<C>[]
  /**
   * Permitted change in the number of rows. Default: the limits of `driftOf`. `any` disables the
   * check, for data without an expected number of rows such as events.
   */
  readonly drift?: Drift | 'any'
  /**
   * Requires rows on every trading day between the first and the last one. Only for datasets that
   * are published by market and day. Default: not checked.
   */
  readonly completeness?: Completeness
  /**
   * Comparisons with independent figures. In addition, publication always compares source rows with
   * published rows.
   */
  readonly reconcile?: readonly Reconciliation[]
  readonly filters: Readonly<Record<string, Filter<C>>>
  /** Fields that `/v2/query` returns from this dataset. */
  readonly fields?: readonly FieldView<C>[]
  /**
   * Default order of rows. Reads also sort by the grain, so that pages never repeat or skip a row.
   */
  readonly order: Order<C>
  /** Columns that a read can sort by. If the list is empty, reads have no sort parameter. */
  readonly sortable: readonly C[]
  readonly envelope: Envelope<C>
  /** Values that `/v2/search` finds in the rows. */
  readonly search?: readonly Searchable<C>[]
  /** Meaning of a response without rows for days that are covered. Default: `no_match`. */
  readonly empty?: 'no_match' | 'not_captured' | 'not_built'
  readonly lineage: SourceLineage
  readonly knownGaps: KnownGaps
  readonly warnings: readonly string[]
  readonly cadence: Cadence
  /**
   * Date column with the day on which a row was announced. Reads with an earlier `as_of` omit the
   * row. Rows with null in this column are never omitted. Without this column, a row is known since
   * the first release that contains it.
   */
  readonly knownAt?: C
  readonly coverage: Coverage
  /**
   * Example rows as reads return them, in the default order. The documentation shows these rows.
   * The tests publish and read them.
   */
  readonly example: readonly Readonly<Record<C, unknown>>[]
  /**
   * How `twmd` makes synthetic rows for demonstrations from the example rows. `trading_days`,
   * `months` and `quarters` make a series from each example with a different grain. Amounts and
   * prices of a row change by one factor, so that sums remain correct. `events` moves the examples
   * to other days. Absent if a generator in `ingest/samples` makes the rows.
   */
  readonly sample?: 'trading_days' | 'months' | 'quarters' | 'events'
  /** The dataset that a cross-section belongs to. Only `crossSection` sets this field. */
  readonly sectionOf?: Dataset
}

/**
 * Returns its argument. The compiler checks that grain, key, filters, order and envelope use
 * declared columns.
 */
export function defineDataset<const C extends string>(
  dataset: { readonly columns: Readonly<Record<C, Column>> } & Omit<Dataset<NoInfer<C>>, 'columns' | 'sectionOf'>,
): Dataset {
  return dataset as unknown as Dataset
}

/** Returns example rows from lists of values. The values are in the order of the columns. */
export const exampleRows = <C extends string>(
  columns: Readonly<Record<C, Column>>,
  ...rows: readonly (readonly Value[])[]
): readonly Readonly<Record<C, Value>>[] =>
  rows.map(values => Object.fromEntries(Object.keys(columns).map((name, index) => [name, values[index] ?? null])) as Record<C, Value>)

/**
 * Returns true if the key is a security's ticker. Counts of tickers and `/v2/coverage?symbol=`
 * combine all such datasets.
 */
export const keyedByTicker = ({ key }: Dataset): boolean => key === 'ticker' || key === 'symbol'

/**
 * Known gap of a dataset without an update schedule. Its cadence only serves to detect
 * missing data. The next update is not announced.
 */
const UNSCHEDULED = 'no_scheduled_producer'

export const isScheduled = ({ knownGaps }: Dataset): boolean => !Object.hasOwn(knownGaps, UNSCHEDULED)

/**
 * Returns the filter that is named `symbol`. Without such a filter, returns the filter that selects
 * keys.
 */
export const symbolFilter = ({ filters, key }: Dataset): Filter | undefined =>
  filters['symbol'] ?? Object.values(filters).find(({ column, op }) => column === key && (op === 'eq' || op === 'in'))

/**
 * Returns the order with the grain appended. No two rows are equal in this order, so pages never
 * repeat or skip a row.
 */
export const closedOrder = ({ grain }: Dataset, order: Order): Order => {
  const sorted = new Set(order.map(([column]) => column))
  return [...order, ...grain.filter(column => !sorted.has(column)).map(column => [column, 'asc'] as const)]
}

const names = new WeakMap<Dataset, readonly string[]>()

/** Returns the names of all columns, in order. Repeated calls return the same array. */
export function allColumns(dataset: Dataset): readonly string[] {
  const all = names.get(dataset) ?? Object.keys(dataset.columns)
  names.set(dataset, all)
  return all
}

const ranged = new WeakMap<Dataset, readonly string[]>()

/**
 * Returns the names of the numeric columns, in order. Range filters accept these columns. Repeated
 * calls return the same array.
 */
export function rangeColumns(dataset: Dataset): readonly string[] {
  const isNumber = (name: string): boolean => ['number', 'integer'].includes(dataset.columns[name]!.type)
  const known = ranged.get(dataset) ?? allColumns(dataset).filter(isNumber)
  ranged.set(dataset, known)
  return known
}

const defaults = new WeakMap<Dataset, Order>()

/** Returns the order of a read without a sort parameter. Repeated calls return the same array. */
export function defaultOrder(dataset: Dataset): Order {
  const order = defaults.get(dataset) ?? closedOrder(dataset, dataset.order)
  defaults.set(dataset, order)
  return order
}

/**
 * Original names of renamed datasets, keyed by slug. Files on disk have the original name. Entries
 * never change, and names are never reused.
 */
const FIRST_NAMES: Readonly<Record<string, string>> = { 'daily-prices': 'daily-quotes' }

/**
 * Returns the name of a dataset on disk: in the folder of its releases, in manifests and in derived
 * data. All other code uses the slug.
 */
export const storedName = (slug: string): string => FIRST_NAMES[slug] ?? slug

/** Returns the URL path of a dataset. Internal datasets have no route. */
export const pathOf = (dataset: Dataset): string => dataset.path ?? `/v2/datasets/${dataset.slug}`

/**
 * Returns the version of a dataset for envelopes. Previews have a suffix, because their schema may
 * change.
 */
export const versionOf = ({ version, status }: Dataset): string => (status === 'preview' ? `${version}-preview` : version)

/**
 * Returns true if the dataset is a list of one day, for example a register. A newer list replaces
 * an older one.
 */
export const isSnapshot = ({ envelope, coverage }: Dataset): boolean =>
  ('coverage' in envelope ? envelope.coverage : coverage.type) === 'current_snapshot'

/**
 * Returns the column with the date of a row's version. This is the day of a register, or the day on
 * which restated figures were produced. A later version replaces an earlier one. Undefined if rows
 * have no versions.
 */
export function versionDateOf(dataset: Dataset): string | undefined {
  if (isSnapshot(dataset)) return dataset.date
  return Object.entries(dataset.columns).find(([, { type, provenance }]) => type === 'date' && provenance)?.[0]
}

/**
 * Whether reads with `as_of` check the day on which a row was announced, in addition to the
 * release.
 */
export const POINT_IN_TIME = ['none', 'publication_date'] as const

export const pointInTimeOf = ({ knownAt }: Dataset): (typeof POINT_IN_TIME)[number] => (knownAt === undefined ? 'none' : 'publication_date')

/** Returns a sentence about reads of the dataset with `as_of`, in English and Chinese. */
export function asOfWords({ knownAt, columns }: Dataset): { readonly en: string; readonly zh: string } {
  const served = { en: 'Returns the rows of the release that was served at `as_of`', zh: '回傳當時所提供版本的資料列' }
  if (knownAt === undefined) return { en: `${served.en}.`, zh: `${served.zh}。` }
  return {
    en: `${served.en}, without rows whose \`${knownAt}\` is later than \`as_of\`.${columns[knownAt]!.nullable ? ` Rows with null in \`${knownAt}\` are included.` : ''}`,
    zh: `${served.zh}，不含 \`${knownAt}\` 晚於該時點的資料列。${columns[knownAt]!.nullable ? '沒有此日期的資料列仍會回傳。' : ''}`,
  }
}

/**
 * Returns the release that envelopes show before the first release: a marker for a preview,
 * otherwise null.
 */
export const noReleaseVersion = ({ status }: Dataset): string | null => (status === 'preview' ? 'unreleased-preview' : null)

/**
 * Returns the scope and coverage type of a dataset, from the envelope or from `coverage`.
 *
 * @throws Error if both lack one of these texts
 */
export function coverageWords({ slug, envelope, coverage }: Dataset): { readonly scope: string; readonly type: string } {
  const scope = 'scope' in envelope ? envelope.scope : coverage.scope
  const type = 'coverage' in envelope ? envelope.coverage : coverage.type
  if (scope === undefined || type === undefined) {
    throw new Error(`${slug} must declare scope and type in its coverage: its envelope does not state them`)
  }
  return { scope, type }
}
