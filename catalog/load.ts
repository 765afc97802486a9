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
 * Loads all datasets, keyed by slug, including internal ones.
 *
 * @throws Error if a file exports no dataset or exports another slug than its file name, if a
 * declaration uses undeclared names, or if two datasets use the same field name
 */
export async function loadCatalog(dir = new URL('datasets/', import.meta.url)): Promise<Catalog> {
  const files = (await readdir(dir)).filter(name => name.endsWith('.ts')).sort()
  const datasets = await Promise.all(
    files.map(async file => {
      const { default: dataset } = await importFrom(dir, file)
      if (dataset?.slug !== file.slice(0, -'.ts'.length))
        throw new Error(`${file} must default-export the dataset whose slug is the file name`)
      const unknown = namedColumns(dataset).filter(name => !Object.hasOwn(dataset.columns, name))
      if (unknown.length > 0) throw new Error(`${file} uses undeclared columns: ${unknown.join(', ')}`)
      const unstored = virtualColumns(dataset).flatMap(([name]) => (storedOnly(dataset).includes(name) ? [name] : []))
      if (unstored.length > 0) throw new Error(`${file} requires stored columns that it declares as virtual: ${unstored.join(', ')}`)
      if (dataset.knownAt !== undefined && dataset.columns[dataset.knownAt]!.type !== 'date')
        throw new Error(`${file} declares knownAt with ${dataset.knownAt}, which is not a date column`)
      if (dataset.access) coverageWords(dataset)
      const unread = (dataset.search ?? []).flatMap(({ param = [] }) => param).filter(name => !Object.hasOwn(dataset.filters, name))
      if (unread.length > 0) throw new Error(`${file} declares search parameters that are not filters: ${unread.join(', ')}`)
      const names = (dataset.rules ?? []).map(({ name }) => name)
      const twice = names.filter((name, index) => names.indexOf(name) < index)
      if (twice.length > 0) throw new Error(`${file} declares several rules with the same name: ${twice.join(', ')}`)
      return dataset
    }),
  )
  fieldsOf(datasets)
  const catalog = new Map(datasets.map(dataset => [dataset.slug, dataset]))
  for (const dataset of datasets) {
    refuseUnknownReferences(dataset, catalog)
    refuseWrongInputs(dataset, catalog)
  }
  return catalog
}

/** @throws Error that states why the dataset cannot be computed */
function refuseWrongInputs(dataset: Dataset, catalog: Catalog): void {
  const { slug, from, key, date } = dataset
  if (!from) return
  const { inputs, by, lookback, optional = [] } = from
  const fail = (problem: string): never => {
    throw new Error(`${slug}.ts: ${problem}`)
  }
  if (inputs.length === 0) fail('from.inputs is empty; name at least one dataset')
  if (!UNITS.includes(by)) fail(`from.by is '${by}'; use one of ${UNITS.join(', ')}`)
  for (const name of inputs) {
    const input = catalog.get(name) ?? fail(`from.inputs contains the unknown dataset ${name}`)
    const path = cycle(catalog, slug, [name])
    if (path) fail(`from.inputs is a cycle: ${[slug, ...path].join(' is computed from ')}`)
    if (by === 'key' && key === undefined) fail("from.by is 'key', but the dataset declares no key")
    if (by === 'key' && input.key !== key)
      fail(`from.by is 'key', but the key of the input ${name} is ${input.key ?? 'not declared'}, not ${key}`)
    if ((PERIODS.includes(by) || lookback !== undefined) && (date === undefined || input.date === undefined))
      fail(
        `from.${lookback === undefined ? `by is '${by}'` : 'lookback is set'}, but ${date === undefined ? 'the dataset' : `the input ${name}`} declares no date`,
      )
  }
  if (lookback !== undefined && by !== 'key') fail(`from.lookback requires by: 'key', but by is '${by}'`)
  for (const name of optional) if (!inputs.includes(name)) fail(`from.optional contains ${name}, which is not in from.inputs`)
  if (lookback !== undefined && optional.includes(inputs[0]!)) fail(`from.lookback counts rows of ${inputs[0]}, so it cannot be optional`)
}

const PERIODS: readonly string[] = ['day', 'week', 'month']
const UNITS: readonly string[] = [...PERIODS, 'key', 'whole']

/** Returns the slugs of a dependency cycle. Undefined if there is none. */
function cycle(catalog: Catalog, slug: string, path: readonly string[]): readonly string[] | undefined {
  const last = path.at(-1)!
  if (last === slug) return path
  for (const name of catalog.get(last)?.from?.inputs ?? []) {
    if (path.includes(name)) continue
    const found = cycle(catalog, slug, [...path, name])
    if (found) return found
  }
  return undefined
}

function refuseUnknownReferences({ slug, rules = [] }: Dataset, catalog: Catalog): void {
  for (const rule of rules) {
    if (!('on' in rule)) continue
    const other = catalog.get(rule.dataset)
    if (!other) throw new Error(`${slug}.ts: the rule ${rule.name} refers to the unknown dataset ${rule.dataset}`)
    const unknown = Object.keys(rule.on).filter(name => !storedColumns(other).includes(name))
    if (unknown.length > 0)
      throw new Error(`${slug}.ts: the rule ${rule.name} refers to columns that ${other.slug} does not store: ${unknown.join(', ')}`)
  }
}

export const served = (catalog: Catalog): readonly Dataset[] => [...catalog.values()].filter(dataset => dataset.access !== undefined)

/** Returns the cross-sections (all rows of one day). Only daily series have a cross-section. */
export const crossSections = (catalog: Catalog): readonly CrossSection[] => served(catalog).flatMap(dataset => crossSection(dataset) ?? [])

/** Returns the served datasets, and the internal datasets that field queries read. */
export const described = (catalog: Catalog): readonly Dataset[] =>
  [...catalog.values()].filter(dataset => dataset.access !== undefined || dataset.fields !== undefined)

async function importFrom(dir: URL, file: string): Promise<{ readonly default?: Dataset }> {
  try {
    return (await import(new URL(file, dir).href)) as { default?: Dataset }
  } catch (error) {
    throw new Error(`${file} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/**
 * Returns the columns that a declaration uses. The loader checks these names, because the compiler
 * may not have checked a new dataset file.
 */
const namedColumns = (dataset: Dataset): readonly string[] => [
  ...storedOnly(dataset),
  ...dataset.order.map(([column]) => column),
  ...dataset.sortable,
  ...Object.values(dataset.filters).flatMap(({ column, also }) => (also === undefined ? [column] : [column, also])),
  ...(dataset.fields ?? []).flatMap(({ rows }) => rows?.column ?? []),
  ...(dataset.search ?? []).flatMap(({ delistedOn }) => delistedOn ?? []),
]

/**
 * Returns the columns that must be stored, because publication, search and field queries cannot
 * compute them.
 */
const storedOnly = ({ grain, key, parent, date, knownAt, publish, fields, rules = [], search = [] }: Dataset): readonly string[] => [
  ...grain,
  ...(key === undefined ? [] : [key]),
  ...(parent === undefined ? [] : [parent]),
  ...(date === undefined ? [] : [date]),
  ...(knownAt === undefined ? [] : [knownAt]),
  ...(publish.slice ?? []),
  ...(publish.body ?? []),
  ...(fields ?? []).flatMap(viewColumns),
  ...rules.flatMap(ruleColumns),
  ...search.flatMap(({ id, codes = [], title = [], subtitle = [], market = id }) => [id, market, ...codes, ...title, ...subtitle]),
]
