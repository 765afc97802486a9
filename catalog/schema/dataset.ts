import type { Cadence } from './cadence.ts'
import type { Column } from './column.ts'
import type { Coverage } from './coverage.ts'
import type { Envelope } from './envelope.ts'
import type { FieldView } from './field-view.ts'
import type { Filter } from './filter.ts'
import type { Reconciliation } from './reconcile.ts'
import type { Searchable } from './search.ts'

export type PlanId = 'free' | 'pro' | 'max'

/** State a dataset lands in when its first release is published. Before that it is `building`. */
export type LandedStatus = 'verified' | 'reference' | 'preview'

export type Family = 'macroeconomics' | 'market_structure' | 'capital_flows' | 'companies_events' | 'financial_statements' | 'internal'

export type Order<C extends string = string> = readonly (readonly [column: C, direction: 'asc' | 'desc'])[]

export interface Lineage {
  /** Labels of the sources' families, snake_case. */
  readonly families: readonly string[]
  /** One snake_case word group: what a row states. */
  readonly semantics: string
  readonly role: string
  readonly selected: string
  readonly fallbacks: readonly string[]
  readonly notes: readonly string[]
  /** Public page of the source, and the attribution its licence asks for. */
  readonly url: string
  readonly attribution: string
}

/** A join that gives derived columns something to work with: rows of another dataset, matched by equal column names. */
export interface DeriveJoin {
  readonly dataset: string
  readonly on: readonly string[]
  readonly take: readonly string[]
}

/** A rule every row keeps; publication refuses the batch otherwise. `holds` is a DuckDB expression over the dataset's columns. */
export interface RowRule {
  readonly name: string
  readonly holds: string
  readonly doc: string
}

/** Something sold by the call: a dataset, or an endpoint that answers from several. */
export interface Priced {
  readonly slug: string
  /** Identifier as answers send it. */
  readonly id: string
  /** Least plan, and credits an answer costs; absent for what is not sold. */
  readonly access?: { readonly plan: PlanId; readonly credits: number }
}

/** Everything the service knows about one dataset. Routes, validation, Parquet schema, checks, prices and docs come from it. */
export interface Dataset<C extends string = string> {
  readonly slug: string
  /** Identifier as envelopes send it. */
  readonly id: string
  /** `/v2/datasets/<slug>` when absent. */
  readonly path?: string
  readonly title: string
  readonly titleZh: string
  readonly family: Family
  readonly description: string
  /** Price and least plan; absent for an internal dataset, which is stored and released like any other but not served. */
  readonly access?: { readonly plan: PlanId; readonly credits: number }
  readonly status: LandedStatus
  /** A declared dataset that has no source yet answers 200 with no rows instead of 503. */
  readonly planned?: true
  readonly version: string
  readonly columns: Readonly<Record<C, Column>>
  /** Columns that identify one row, none of them nullable. A release never holds two rows with equal grain. */
  readonly grain: readonly C[]
  /** Column whose hash chooses the part a row is stored in: the key that reads are bounded by. */
  readonly key?: C
  /** Column that dates the data: `data_as_of` is its greatest value. Absent: `listedOn`, else the day of publication. */
  readonly date?: C
  /** DuckDB expression, over the columns, of the day a row was listed, where no column is that day. */
  readonly listedOn?: string
  /** How many days beyond today its rows may lie, where they are announced ahead; one, for clocks that differ, when absent. */
  readonly daysAhead?: number
  /**
   * replace: a publication is the whole dataset. merge: rows with equal grain are replaced, others stay.
   * `slice` columns make a publication whole per slice: a (market, trade_date) that arrives again replaces that day.
   * `body` columns name what a source sends as one where that need not be whole, the date among them: figures under two dates are refused.
   */
  readonly publish: { readonly mode: 'replace' | 'merge'; readonly slice?: readonly C[]; readonly body?: readonly C[] }
  readonly derive?: readonly DeriveJoin[]
  readonly rules?: readonly RowRule[]
  /** Comparisons beside the one every dataset has, of the rows its sources hold with the rows published. */
  readonly reconcile?: readonly Reconciliation[]
  readonly filters: Readonly<Record<string, Filter<C>>>
  /** What the field query may ask of entities; nothing when absent. */
  readonly fields?: readonly FieldView<C>[]
  /** Ordering of an answer; the grain closes it so that pages never share or skip a row. */
  readonly order: Order<C>
  readonly sortable: readonly C[]
  readonly envelope: Envelope<C>
  /** What of its rows `/v2/search` finds; nothing when absent. */
  readonly search?: readonly Searchable<C>[]
  /** What an empty answer within coverage means. */
  readonly empty?: 'no_match' | 'not_captured' | 'not_built'
  readonly lineage: Lineage
  readonly knownGaps: readonly string[]
  readonly warnings: readonly string[]
  readonly cadence: Cadence
  /** Whether a past view can be asked for: none, or by the day a figure was announced. */
  readonly pointInTime: 'none' | 'publication_date'
  readonly coverage: Coverage
  /** A few rows as served, in the answer's order: shown by docs, published and read back by the tests. */
  readonly example: readonly Readonly<Record<C, unknown>>[]
}

/** Identity at run time; at compile time it proves that grain, key, filters, order and envelope name real columns. */
export function defineDataset<const C extends string>(
  dataset: { readonly columns: Readonly<Record<C, Column>> } & Omit<Dataset<NoInfer<C>>, 'columns'>,
): Dataset {
  return dataset as unknown as Dataset
}

/** True where the key is a security's ticker: such datasets are counted, and looked up by symbol, together. */
export const keyedByTicker = ({ key }: Dataset): boolean => key === 'ticker' || key === 'symbol'

/** Where the dataset is read. Internal datasets have no path of their own and are never routed. */
export const pathOf = (dataset: Dataset): string => dataset.path ?? `/v2/datasets/${dataset.slug}`
