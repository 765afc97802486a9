import { readdir } from 'node:fs/promises'
import {
  type CrossSection,
  coverageWords,
  crossSection,
  type Dataset,
  fieldsOf,
  ruleColumns,
  storedColumns,
  viewColumns,
  virtualColumns,
} from './schema/index.ts'

export type Catalog = ReadonlyMap<string, Dataset>

/**
 * Loads every dataset by slug, internal ones included. Adding a file to `datasets/` is enough to serve it.
 *
 * @throws Error when a file exports no dataset or one with another slug, a declaration names what it does not declare, or two datasets
 *   use one field name
 */
export async function loadCatalog(dir = new URL('datasets/', import.meta.url)): Promise<Catalog> {
  const files = (await readdir(dir)).filter(name => name.endsWith('.ts')).sort()
  const datasets = await Promise.all(
    files.map(async file => {
      const { default: dataset } = await importFrom(dir, file)
      if (dataset?.slug !== file.slice(0, -'.ts'.length))
        throw new Error(`${file} must export by default the dataset whose slug is its name`)
      const unknown = namedColumns(dataset).filter(name => !Object.hasOwn(dataset.columns, name))
      if (unknown.length > 0) throw new Error(`${file} names columns that it does not declare: ${unknown.join(', ')}`)
      const unstored = virtualColumns(dataset).flatMap(([name]) => (storedOnly(dataset).includes(name) ? [name] : []))
      if (unstored.length > 0) throw new Error(`${file} needs columns stored that it declares virtual: ${unstored.join(', ')}`)
      if (dataset.access) coverageWords(dataset)
      const unread = (dataset.search ?? []).flatMap(({ param = [] }) => param).filter(name => !Object.hasOwn(dataset.filters, name))
      if (unread.length > 0) throw new Error(`${file} lets search link by parameters that it does not declare: ${unread.join(', ')}`)
      const names = (dataset.rules ?? []).map(({ name }) => name)
      const twice = names.filter((name, index) => names.indexOf(name) < index)
      if (twice.length > 0) throw new Error(`${file} gives two rules one name: ${twice.join(', ')}`)
      return dataset
    }),
  )
  fieldsOf(datasets)
  const catalog = new Map(datasets.map(dataset => [dataset.slug, dataset]))
  for (const dataset of datasets) refuseUnknownReferences(dataset, catalog)
  return catalog
}

/** @throws Error when a rule refers to a dataset that there is not, or to columns that it does not store */
function refuseUnknownReferences({ slug, rules = [] }: Dataset, catalog: Catalog): void {
  for (const rule of rules) {
    if (!('on' in rule)) continue
    const other = catalog.get(rule.dataset)
    if (!other) throw new Error(`${slug}.ts: the rule ${rule.name} refers to ${rule.dataset}, and there is no such dataset`)
    const unknown = Object.keys(rule.on).filter(name => !storedColumns(other).includes(name))
    if (unknown.length > 0)
      throw new Error(`${slug}.ts: the rule ${rule.name} refers to columns that ${other.slug} does not store: ${unknown.join(', ')}`)
  }
}

/** Datasets that are sold and read over HTTP. */
export const served = (catalog: Catalog): readonly Dataset[] => [...catalog.values()].filter(dataset => dataset.access !== undefined)

/** Cross-sections of the datasets that are sold, where their rows are a series by day. */
export const crossSections = (catalog: Catalog): readonly CrossSection[] => served(catalog).flatMap(dataset => crossSection(dataset) ?? [])

/** Datasets that answers name: those that are sold, and those whose values field queries send. */
export const described = (catalog: Catalog): readonly Dataset[] =>
  [...catalog.values()].filter(dataset => dataset.access !== undefined || dataset.fields !== undefined)

async function importFrom(dir: URL, file: string): Promise<{ readonly default?: Dataset }> {
  try {
    return (await import(new URL(file, dir).href)) as { default?: Dataset }
  } catch (error) {
    throw new Error(`${file} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Columns a declaration uses. The compiler checks them too, but a file that was just added may never have been compiled. */
const namedColumns = (dataset: Dataset): readonly string[] => [
  ...storedOnly(dataset),
  ...dataset.order.map(([column]) => column),
  ...dataset.sortable,
  ...Object.values(dataset.filters).flatMap(({ column, also }) => (also === undefined ? [column] : [column, also])),
]

/** Columns that more than reads use. */
const storedOnly = ({ grain, key, parent, date, publish, fields, rules = [], search = [] }: Dataset): readonly string[] => [
  ...grain,
  ...(key === undefined ? [] : [key]),
  ...(parent === undefined ? [] : [parent]),
  ...(date === undefined ? [] : [date]),
  ...(publish.slice ?? []),
  ...(publish.body ?? []),
  ...(fields ?? []).flatMap(viewColumns),
  ...rules.flatMap(ruleColumns),
  ...search.flatMap(({ id, codes = [], title = [], subtitle = [], market = id }) => [id, market, ...codes, ...title, ...subtitle]),
]
