import type { Signal } from '@preact/signals'
import type { CatalogDataset, DatasetCatalog, DatasetSchema, SchemaColumn } from '../../clients/typescript/src/index.ts'
import { say, type Words } from '../parts/language.ts'
import { type Loaded, useAnswer } from './use.ts'

export const useCatalog = (): Signal<Loaded<readonly CatalogDataset[]>> =>
  useAnswer({ path: '/v2/datasets' }, ({ body }) => (body as DatasetCatalog).data)

/** Requests nothing if the slug is null. */
export const useSchema = (slug: string | null): Signal<Loaded<DatasetSchema>> =>
  useAnswer<DatasetSchema>(slug === null ? null : { path: `/v2/datasets/${slug}/schema` })

export const titleOf = ({ title, title_zh }: Pick<CatalogDataset, 'title' | 'title_zh'>): string => say({ en: title, zh: title_zh })

/** Names of the priced products that are no datasets. */
const PRODUCTS: Readonly<Record<string, Words>> = {
  search: { en: 'Search', zh: '搜尋' },
  query: { en: 'Query', zh: '查詢' },
  sql: { en: 'SQL', zh: 'SQL' },
}

/**
 * Returns a function that returns the name of a dataset or product. While the catalog is loading,
 * the function returns a dataset's slug.
 */
export function useTitles(): (slug: string) => string {
  const catalog = useCatalog().value.value
  return slug => {
    const product = PRODUCTS[slug]
    if (product) return say(product)
    const dataset = catalog?.find(one => one.slug === slug)
    return dataset ? titleOf(dataset) : slug
  }
}

interface Described {
  readonly description: string
  readonly description_zh: string
}

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

/** Null if the column has no unit. */
export const unitOf = ({ unit }: Pick<SchemaColumn, 'unit'>): string | null =>
  unit === null ? null : say({ en: unit, zh: UNITS[unit] ?? unit })
