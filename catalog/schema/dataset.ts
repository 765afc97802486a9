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
 * Status of a dataset after its first release. Before the first release, the status is `building`.
 */
export const RELEASED_STATUSES = ['verified', 'reference', 'preview'] as const
export type ReleasedStatus = (typeof RELEASED_STATUSES)[number]

export const SERVED_FAMILIES = ['macroeconomics', 'market_structure', 'capital_flows', 'companies_events', 'financial_statements'] as const
export const FAMILIES = [...SERVED_FAMILIES, 'internal'] as const
export type Family = (typeof FAMILIES)[number]

export type Order<C extends string = string> = readonly (readonly [column: C, direction: 'asc' | 'desc'])[]

/**
 * Source of a dataset's rows. Responses show some of these fields, depending on the envelope (the
 * metadata around the rows).
 */
export interface SourceLineage {
  /** Kinds of sources, in snake_case. */
  readonly families: readonly string[]
  /** Content of a row, in snake_case. */
  readonly semantics: string
  /** `canonical`, `reference`, or a custom label such as `official_risk_event`. */
  readonly role: string
  /** Label of the source that supplies the rows, in snake_case. */
  readonly selected: string
  /** Labels of fallback sources, in order of preference. */
  readonly fallbacks: readonly string[]
  /** Labels about the use of the source, such as joins. */
  readonly notes: readonly string[]
  readonly url: string
  /** Attribution that the source's licence requires. */
  readonly attribution: string
  readonly attributionZh: string
}

/** Intended coverage. Publication measures the actual coverage. */
export interface Coverage {
  readonly markets: readonly string[]
  /** True if delisted securities stay in the dataset. */
  readonly delisted: boolean
  /** Kind of coverage, in snake_case. */
  readonly scope?: string
  /** Coverage over time, for example `daily_time_series`. */
  readonly type?: string
}

/** Declaration of a dataset. Determines routes, checks, storage, prices and documentation. */
export interface Dataset<C extends string = string> {
  readonly slug: string
  readonly id: string
  /** Default: `/v2/datasets/<slug>`. */
  readonly path?: string
  readonly title: string
  readonly titleZh: string
  readonly family: Family
  readonly description: string
  readonly descriptionZh: string
  /** Plan and price. Absent for an internal dataset, which is not served. */
  readonly access?: Access
  readonly status: ReleasedStatus
  /** True if reads before the first release return no rows instead of status 503. */
  readonly emptyUntilReleased?: true
  readonly version: string
  readonly columns: Readonly<Record<C, Column>>
  /** Columns that identify a row. Never null, and unique in a release. */
  readonly grain: readonly C[]
  /** Column that most reads filter by. Its hash determines the file of a row. */
  readonly key?: C
  /**
   * Parent of the key, such as the firm of a branch. `/v2/coverage?symbol=` also searches this
   * column.
   */
  readonly parent?: C
  /**
   * Column with the date of a row. Its maximum is the release's `data_as_of`. Without a
   * date column, the maximum of `listedOn` is used, or else the day of publication.
   */
  readonly date?: C
  /** DuckDB expression for the listing day of a row. Needed if no column has the listing day. */
  readonly listedOn?: string
  /**
   * Maximum days between today and the day of a row, for data that is announced in advance.
   * Default: 1, which tolerates clock differences.
   */
  readonly daysAhead?: number
  /**
   * What a publication replaces: the whole dataset (`replace`), or only rows with the same grain
   * (`merge`).
   * - `slice`: a publication also replaces all other rows of its slices, such as a market and day.
   * - `body`: columns that identify one response of the source. Equal figures under two dates are
   * refused.
   * - `months: false`: no files by month, because publications change whole histories.
   */
  readonly publish: {
    readonly mode: 'replace' | 'merge'
    readonly slice?: readonly C[]
    readonly body?: readonly C[]
    readonly months?: false
  }
  readonly derive?: readonly DeriveJoin[]
  /** SQL that computes the rows. Absent if rows come from files. */
  readonly from?: Computation
  readonly rules?: readonly RowRule<C>[]
  /** Permitted change in the number of rows. Default: `driftOf`. `any` disables the check. */
  readonly drift?: Drift | 'any'
  /**
   * Requires rows on every trading day. Only for datasets that are published by market and day.
   * Default: not checked.
   */
  readonly completeness?: Completeness
  /**
   * Comparisons with independent figures. Publication also compares source rows with published
   * rows, for every dataset.
   */
  readonly reconcile?: readonly Reconciliation[]
  readonly filters: Readonly<Record<string, Filter<C>>>
  /** Fields that `/v2/query` returns from this dataset. */
  readonly fields?: readonly FieldView<C>[]
  /** Default order. The grain is appended, so that pages never repeat or skip a row. */
  readonly order: Order<C>
  /** Columns that reads can sort by. If empty, reads have no sort parameter. */
  readonly sortable: readonly C[]
  readonly envelope: Envelope<C>
  /** Values that `/v2/search` finds. */
  readonly search?: readonly Searchable<C>[]
  /** Meaning of a response without rows, if the days are covered. Default: `no_match`. */
  readonly empty?: 'no_match' | 'not_captured' | 'not_built'
  readonly lineage: SourceLineage
  readonly knownGaps: KnownGaps
  readonly warnings: readonly string[]
  readonly cadence: Cadence
  /**
   * Date column with the day of the announcement. Reads with an earlier `as_of` omit the row, but
   * never rows with null. Without this column, a row is known since its first release.
   */
  readonly knownAt?: C
  readonly coverage: Coverage
  /** Example rows in the default order, shown in the documentation. */
  readonly example: readonly Readonly<Record<C, unknown>>[]
  /**
   * How synthetic rows are made from the example rows.
   * - `trading_days`, `months`, `quarters`: a series from each example row; all figures of a row
   *   change by one factor, so that sums remain correct
   * - `events`: the example rows on other days
   * Absent if `ingest/samples` generates the rows.
   */
  readonly sample?: 'trading_days' | 'months' | 'quarters' | 'events'
  /** The dataset to which a cross-section belongs. Only `crossSection` sets this field. */
  readonly sectionOf?: Dataset
}

/** Returns its argument. The compiler checks that all names are declared columns. */
export function defineDataset<const C extends string>(
  dataset: { readonly columns: Readonly<Record<C, Column>> } & Omit<Dataset<NoInfer<C>>, 'columns' | 'sectionOf'>,
): Dataset {
  return dataset as unknown as Dataset
}

/** Converts lists of values to rows. The values are in the order of the columns. */
export const exampleRows = <C extends string>(
  columns: Readonly<Record<C, Column>>,
  ...rows: readonly (readonly Value[])[]
): readonly Readonly<Record<C, Value>>[] =>
  rows.map(values => Object.fromEntries(Object.keys(columns).map((name, index) => [name, values[index] ?? null])) as Record<C, Value>)

/**
 * True if the key is a ticker. Counts of tickers and `/v2/coverage?symbol=` combine all datasets
 * with this key.
 */
export const keyedByTicker = ({ key }: Dataset): boolean => key === 'ticker' || key === 'symbol'

/**
 * Label of the known gap "no update schedule". The cadence of a dataset with this gap only serves
 * to detect missing data.
 */
const UNSCHEDULED = 'no_scheduled_producer'

export const isScheduled = ({ knownGaps }: Dataset): boolean => !Object.hasOwn(knownGaps, UNSCHEDULED)

/** Returns the filter `symbol`, or the filter that selects keys. */
export const symbolFilter = ({ filters, key }: Dataset): Filter | undefined =>
  filters['symbol'] ?? Object.values(filters).find(({ column, op }) => column === key && (op === 'eq' || op === 'in'))

/** Appends the grain, so that pages never repeat or skip a row. */
export const closedOrder = ({ grain }: Dataset, order: Order): Order => {
  const sorted = new Set(order.map(([column]) => column))
  return [...order, ...grain.filter(column => !sorted.has(column)).map(column => [column, 'asc'] as const)]
}

const names = new WeakMap<Dataset, readonly string[]>()

export function allColumns(dataset: Dataset): readonly string[] {
  const all = names.get(dataset) ?? Object.keys(dataset.columns)
  names.set(dataset, all)
  return all
}

const ranged = new WeakMap<Dataset, readonly string[]>()

export function rangeColumns(dataset: Dataset): readonly string[] {
  const isNumber = (name: string): boolean => ['number', 'integer'].includes(dataset.columns[name]!.type)
  const known = ranged.get(dataset) ?? allColumns(dataset).filter(isNumber)
  ranged.set(dataset, known)
  return known
}

const defaults = new WeakMap<Dataset, Order>()

export function defaultOrder(dataset: Dataset): Order {
  const order = defaults.get(dataset) ?? closedOrder(dataset, dataset.order)
  defaults.set(dataset, order)
  return order
}

/**
 * Original names by slug. Files on disk have the original name. Entries never change, and names are
 * never reused.
 */
const FIRST_NAMES: Readonly<Record<string, string>> = { 'daily-prices': 'daily-quotes' }

/** Returns the name on disk: in release folders, manifests and derived data. */
export const storedName = (slug: string): string => FIRST_NAMES[slug] ?? slug

export const pathOf = (dataset: Dataset): string => dataset.path ?? `/v2/datasets/${dataset.slug}`

/** Returns the version in responses. Previews have a suffix, because their schema may change. */
export const versionOf = ({ version, status }: Dataset): string => (status === 'preview' ? `${version}-preview` : version)

/**
 * True if the dataset is a list of one day, such as a register. A newer list replaces an older one.
 */
export const isSnapshot = ({ envelope, coverage }: Dataset): boolean =>
  ('coverage' in envelope ? envelope.coverage : coverage.type) === 'current_snapshot'

/**
 * Returns the column with the date of a row's version. In registers, this is the date of the list.
 * In statements, this is the day on which restated figures were produced. A later version replaces
 * an earlier one. Undefined if rows have no versions.
 */
export function versionDateOf(dataset: Dataset): string | undefined {
  if (isSnapshot(dataset)) return dataset.date
  return Object.entries(dataset.columns).find(([, { type, provenance }]) => type === 'date' && provenance)?.[0]
}

/** Whether reads with `as_of` also check the announcement day of each row. */
export const POINT_IN_TIME = ['none', 'publication_date'] as const

export const pointInTimeOf = ({ knownAt }: Dataset): (typeof POINT_IN_TIME)[number] => (knownAt === undefined ? 'none' : 'publication_date')

export function asOfWords({ knownAt, columns }: Dataset): { readonly en: string; readonly zh: string } {
  const served = { en: 'Returns the rows of the release that was served at `as_of`', zh: '回傳當時所提供版本的資料列' }
  if (knownAt === undefined) return { en: `${served.en}.`, zh: `${served.zh}。` }
  return {
    en: `${served.en}, without rows whose \`${knownAt}\` is later than \`as_of\`.${columns[knownAt]!.nullable ? ` Rows with null in \`${knownAt}\` are included.` : ''}`,
    zh: `${served.zh}，不含 \`${knownAt}\` 晚於該時點的資料列。${columns[knownAt]!.nullable ? '沒有此日期的資料列仍會回傳。' : ''}`,
  }
}

/**
 * Returns the release id in responses before the first release: a marker for a preview, otherwise
 * null.
 */
export const noReleaseVersion = ({ status }: Dataset): string | null => (status === 'preview' ? 'unreleased-preview' : null)

/**
 * Returns scope and coverage type.
 *
 * @throws Error if `envelope` and `coverage` both lack one of these texts
 */
export function coverageWords({ slug, envelope, coverage }: Dataset): { readonly scope: string; readonly type: string } {
  const scope = 'scope' in envelope ? envelope.scope : coverage.scope
  const type = 'coverage' in envelope ? envelope.coverage : coverage.type
  if (scope === undefined || type === undefined) {
    throw new Error(`${slug} must declare scope and type in its coverage: its envelope does not state them`)
  }
  return { scope, type }
}
