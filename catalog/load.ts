import { readdir } from 'node:fs/promises'
import { coverageWords, type Dataset, fieldsOf, viewColumns } from './schema/index.ts'

export type Catalog = ReadonlyMap<string, Dataset>

/**
 * Every dataset by slug, internal ones included. A file dropped into `datasets/` is served; nothing else changes.
 *
 * @throws Error when a file's name is not its dataset's slug, a file exports no dataset, or two datasets name one field alike
 */
export async function loadCatalog(dir = new URL('datasets/', import.meta.url)): Promise<Catalog> {
  const files = (await readdir(dir)).filter(name => name.endsWith('.ts')).sort()
  const datasets = await Promise.all(
    files.map(async file => {
      const { default: dataset } = await importFrom(dir, file)
      if (dataset?.slug !== file.slice(0, -'.ts'.length))
        throw new Error(`${file} must export by default the dataset whose slug is its name`)
      const strangers = namedColumns(dataset).filter(name => !Object.hasOwn(dataset.columns, name))
      if (strangers.length > 0) throw new Error(`${file} names columns that it does not declare: ${strangers.join(', ')}`)
      if (dataset.access) coverageWords(dataset)
      const unread = (dataset.search ?? []).flatMap(({ param = [] }) => param).filter(name => !Object.hasOwn(dataset.filters, name))
      if (unread.length > 0) throw new Error(`${file} lets search link by parameters that it does not declare: ${unread.join(', ')}`)
      return dataset
    }),
  )
  fieldsOf(datasets)
  return new Map(datasets.map(dataset => [dataset.slug, dataset]))
}

/** Datasets that are sold and read over HTTP. */
export const served = (catalog: Catalog): readonly Dataset[] => [...catalog.values()].filter(dataset => dataset.access !== undefined)

async function importFrom(dir: URL, file: string): Promise<{ readonly default?: Dataset }> {
  try {
    return (await import(new URL(file, dir).href)) as { default?: Dataset }
  } catch (error) {
    throw new Error(`${file} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Columns a declaration refers to. The compiler holds them too, but a file dropped in is not always compiled. */
const namedColumns = ({ grain, key, date, publish, order, sortable, filters, fields, search = [] }: Dataset): readonly string[] => [
  ...grain,
  ...(key === undefined ? [] : [key]),
  ...(date === undefined ? [] : [date]),
  ...(publish.slice ?? []),
  ...order.map(([column]) => column),
  ...sortable,
  ...Object.values(filters).flatMap(({ column, also }) => (also === undefined ? [column] : [column, also])),
  ...(fields ?? []).flatMap(viewColumns),
  ...search.flatMap(({ id, codes = [], title = [], subtitle = [], market = id }) => [id, market, ...codes, ...title, ...subtitle]),
]
