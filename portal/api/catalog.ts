import type { Signal } from '@preact/signals'
import { say } from '../parts/language.ts'
import { type Asked, useAnswer } from './use.ts'

export type ColumnType = 'text' | 'date' | 'timestamp' | 'number' | 'integer' | 'boolean' | 'json'

/** A column as `/v2/datasets/{slug}/schema` describes it. */
export interface Column {
  readonly name: string
  readonly type: ColumnType
  /** For example `shares`, `TWD`, `percent`; null where the value has none. */
  readonly unit: string | null
  readonly label_zh: string
  /** What it means. */
  readonly description: string
  readonly description_zh: string
  readonly nullable: boolean
  /** It says who published the row and when, not what the row says. */
  readonly provenance: boolean
  /** SQL expression it is computed by; null where a source states it. */
  readonly formula: string | null
  readonly filterable: boolean
  /** `range` takes it. */
  readonly range_filterable: boolean
  /** A value as served; null where the example has none. */
  readonly example: unknown
}

export interface Rule {
  readonly name: string
  readonly statement: string
  readonly description: string
  readonly severity: string
}

export interface Schema {
  readonly slug: string
  readonly dataset_version: string
  readonly grain: readonly string[]
  readonly columns: readonly Column[]
  readonly rules: readonly Rule[]
}

/** A parameter that narrows a read. */
export interface Filter {
  readonly name: string
  /** The column it compares. */
  readonly column: string
  /** `eq`, `in` for a list, `from` and `to` for a span; others stand for something of their own, as `latest` does. */
  readonly operator: string
  readonly type: ColumnType
  readonly required: boolean
}

/** A dataset as `/v2/datasets` lists it. */
export interface Dataset {
  readonly dataset: string
  readonly slug: string
  readonly title: string
  readonly title_zh: string
  readonly family: string
  readonly description: string
  readonly description_zh: string
  readonly grain: readonly string[]
  readonly status: string
  readonly minimum_plan: string
  readonly credits_per_call: number
  readonly filters: readonly Filter[]
  readonly sort_by: readonly string[]
  readonly row_count: number | null
  readonly symbols_count: number | null
  readonly first_date: string | null
  readonly last_date: string | null
  readonly release_version: string | null
  readonly data_as_of: string | null
  readonly freshness_state: string
  readonly pit_support: string
  /** Who publishes what it is made from, and where. */
  readonly source: { readonly attribution: string; readonly attribution_zh: string; readonly url: string }
  readonly known_gaps: readonly string[]
  /** The same in sentences. */
  readonly known_gap_notes: readonly ({ readonly label: string } & Described)[]
  readonly warnings: readonly string[]
  readonly links: Readonly<Record<'read' | 'schema' | 'freshness' | 'coverage' | 'reconciliation', string>> & {
    readonly cross_section?: string
  }
}

/** Every dataset on offer. */
export const useCatalog = (): Signal<Asked<readonly Dataset[]>> =>
  useAnswer({ path: '/v2/datasets' }, ({ body }) => (body as { readonly data: readonly Dataset[] }).data)

/** The columns of a dataset; null asks nothing. */
export const useSchema = (slug: string | null): Signal<Asked<Schema>> =>
  useAnswer<Schema>(slug === null ? null : { path: `/v2/datasets/${slug}/schema` })

/** The name of a dataset in the language of the page. */
export const titleOf = ({ title, title_zh }: Pick<Dataset, 'title' | 'title_zh'>): string => say({ en: title, zh: title_zh })

/** What something is, in both languages. */
interface Described {
  readonly description: string
  readonly description_zh: string
}

/** What something is, in the language of the page. */
export const descriptionOf = ({ description, description_zh }: Described): string => say({ en: description, zh: description_zh })

const UNITS: Readonly<Record<string, string>> = {
  'TWD per share': '元／股',
  'TWD thousand': '千元',
  TWD: '元',
  shares: '股',
  percent: '%',
  ratio: '比率',
  days: '日',
  years: '年',
  'index points': '點',
}

/** A unit in the language of the page; null where the column has none. */
export const unitOf = ({ unit }: Pick<Column, 'unit'>): string | null => (unit === null ? null : say({ en: unit, zh: UNITS[unit] ?? unit }))
