import type { CatalogDataset, DatasetFilter, DatasetSchema, SchemaColumn } from '../../../clients/typescript/src/index.ts'
import type { Query } from '../../api/client.ts'
import type { Sorted } from '../../parts/column-head.tsx'
import { rangesIn, rangesText } from '../../parts/range-text.ts'
import { rangeColumns, withRange } from './ranges.ts'

/** A query of a dataset. The page's address contains the whole query. */
export interface Question {
  /** Values of the filters, keyed by parameter name. Includes `range`. */
  readonly filters: Readonly<Record<string, string>>
  /** Names of the shown columns. Null if all columns are shown. */
  readonly columns: readonly string[] | null
  readonly sort: readonly Sorted[]
  /** Id of the requested release. Null for the served release. */
  readonly release: string | null
  /** True for all keys of one day. False for the days of one key. */
  readonly isDay: boolean
  /** Axes of the chart. Null if the chart is closed. */
  readonly chart: Axes | null
}

export interface Axes {
  readonly x: string
  readonly y: string
}

const OWN = ['columns', 'sort', 'release', 'rows', 'chart']

/** Sets one filter. An empty value removes the filter. */
export function withFilter(filters: Question['filters'], name: string, value: string): Question['filters'] {
  const { [name]: _, ...others } = filters
  return value === '' ? others : { ...others, [name]: value }
}

export function withoutRange({ filters, ...question }: Question, column: string): Question {
  const others = withRange(filters['range'], { column, from: '', to: '', below: false })
  return { ...question, filters: withFilter(filters, 'range', others) }
}

/**
 * Parses the query string of an address.
 *
 * @param search for example `?symbol=2330&sort=-trade_date`
 */
export function questionIn(search: string): Question {
  const sent = new URLSearchParams(search)
  const filters = Object.fromEntries([...sent].filter(([name, value]) => !OWN.includes(name) && value !== ''))
  const list = (name: string) => (sent.get(name) ?? '').split(',').filter(part => part !== '')
  return {
    filters,
    columns: sent.has('columns') ? list('columns') : null,
    sort: list('sort').map(part =>
      part.startsWith('-') ? { column: part.slice(1), direction: 'desc' } : { column: part, direction: 'asc' },
    ),
    release: sent.get('release'),
    isDay: sent.get('rows') === 'day',
    chart: axesIn(list('chart')),
  }
}

const axesIn = ([x, y]: readonly string[]): Axes | null => (x === undefined || y === undefined ? null : { x, y })

const sortText = (sort: readonly Sorted[]): string =>
  sort.map(({ column, direction }) => (direction === 'desc' ? `-${column}` : column)).join(',')

/** Returns the query string for the address. Empty for the default query. */
export function addressOf({ filters, columns, sort, release, isDay, chart }: Question): string {
  const search = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ''))
  if (columns) search.set('columns', columns.join(','))
  if (sort.length > 0) search.set('sort', sortText(sort))
  if (release !== null) search.set('release', release)
  if (isDay) search.set('rows', 'day')
  if (chart) search.set('chart', `${chart.x},${chart.y}`)
  return search.size === 0 ? '' : `?${search}`.replaceAll('%2C', ',').replaceAll('%3A', ':')
}

export interface Described {
  readonly dataset: CatalogDataset
  readonly schema: DatasetSchema
}

/** Returns the column that the date filters use. Undefined if rows have no date. */
export const dayColumn = ({ filters }: CatalogDataset): string | undefined =>
  filters.find(({ operator, type }) => operator === 'from' && type === 'date')?.column

/**
 * Returns the filters in the form. For one key, these are all filters of the dataset. For one day,
 * `date` replaces the filters of key and dates.
 */
export function filtersOf({ dataset }: Described, isDay: boolean): readonly DatasetFilter[] {
  if (!isDay) return dataset.filters
  const day = dayColumn(dataset)!
  const others = dataset.filters.filter(({ required, column, name }) => !required && column !== day && name !== 'latest')
  return [{ name: 'date', column: day, operator: 'eq', type: 'date', required: true }, ...others]
}

/** Names of the parameters that the query can have. */
export const paramsOf = (described: Described, isDay: boolean): readonly string[] => [
  ...filtersOf(described, isDay).map(({ name }) => name),
  ...(rangeColumns(described.schema.columns).length > 0 ? ['range'] : []),
]

/** Adds the required values: the key of the example, and the last day. */
export function completed(question: Question, described: Described): Question {
  const { dataset, schema } = described
  const isDay = question.isDay && dataset.links.cross_section !== undefined
  const available = filtersOf(described, isDay)
  const accepted = Object.entries(question.filters).filter(([name]) => available.some(filter => filter.name === name))
  const numbers = rangeColumns(schema.columns)
  const range = rangesText(rangesIn(question.filters['range']).filter(({ column }) => numbers.some(({ name }) => name === column)))
  const missing = available
    .filter(({ name, required }) => required && question.filters[name] === undefined)
    .map(({ name, column, type }) => {
      const example = schema.columns.find(one => one.name === column)?.example
      return [name, type === 'date' ? (dataset.last_date ?? '') : String(example ?? '')] as const
    })
  const has = (column: string): boolean => schema.columns.some(({ name }) => name === column)
  const columns = question.columns?.filter(has) ?? null
  return {
    filters: trimmed({ ...Object.fromEntries([...missing, ...accepted]), ...(range !== '' && { range }) }),
    columns: columns && columns.length > 0 ? columns : null,
    sort: question.sort.filter(({ column }) => has(column)),
    release: question.release,
    isDay,
    chart: question.chart && has(question.chart.x) && has(question.chart.y) ? question.chart : null,
  }
}

export interface Unknown {
  readonly parameters: readonly string[]
  readonly columns: readonly string[]
}

/** Returns the parts of an address that the dataset does not have. */
export function unknownIn(question: Question, described: Described): Unknown {
  const [params, columns] = [paramsOf(described, completed(question, described).isDay), described.schema.columns]
  const ranged = params.includes('range') ? rangesIn(question.filters['range']).map(({ column }) => column) : []
  const named = [...(question.columns ?? []), ...question.sort.map(({ column }) => column)]
  const numbers = rangeColumns(columns)
  return {
    parameters: Object.keys(question.filters).filter(name => !params.includes(name)),
    columns: [
      ...new Set([
        ...named.filter(name => !columns.some(column => column.name === name)),
        ...ranged.filter(name => !numbers.some(column => column.name === name)),
      ]),
    ],
  }
}

export const pathOf = ({ dataset: { links } }: Described, { isDay }: Question): string =>
  isDay && links.cross_section !== undefined ? links.cross_section : links.read

/** Trims values. Spaces between words remain. */
const trimmed = (filters: Question['filters']): Question['filters'] =>
  Object.fromEntries(Object.entries(filters).map(([name, value]) => [name, value.trim()]))

/** True if two queries select the same rows. Ignores release, columns and order. */
export const isSameRows = (question: Question, other: Question): boolean =>
  question.isDay === other.isDay && addressOf({ ...question, ...HOW_SHOWN }) === addressOf({ ...other, ...HOW_SHOWN })

const HOW_SHOWN = { columns: null, sort: [], release: null, chart: null } as const

/**
 * Returns the columns in the order for a narrow screen: identifying columns, numbers, then all
 * others. A column with the same value in all rows, such as the chosen ticker, identifies no row.
 */
export function figuresFirst<C extends Pick<SchemaColumn, 'name' | 'type'>>(
  columns: readonly C[],
  { dataset, schema }: Described,
  { filters, isDay }: Question,
): readonly C[] {
  const constant = filtersOf({ dataset, schema }, isDay)
    .filter(({ name, operator }) => (operator === 'eq' || operator === 'in') && filters[name] !== undefined && !filters[name].includes(','))
    .map(({ column }) => column)
  const rank = ({ name, type }: C): number =>
    schema.grain.includes(name) && !constant.includes(name) ? 0 : type === 'number' || type === 'integer' ? 1 : 2
  return [...columns].sort((a, b) => rank(a) - rank(b))
}

export const queryOf = ({ filters, columns, sort, release }: Question): Query => ({
  ...trimmed(filters),
  columns: columns?.join(','),
  sort: sortText(sort),
  release,
})

/**
 * Returns the order after a press on a column head: first descending, then ascending, then
 * unsorted.
 *
 * @param more true if the other sort columns stay
 */
export function sortedBy(sort: readonly Sorted[], column: string, more: boolean): readonly Sorted[] {
  const now = sort.find(sorted => sorted.column === column)?.direction
  const next: Sorted | undefined = now === 'asc' ? undefined : { column, direction: now === 'desc' ? 'asc' : 'desc' }
  if (!more) return next ? [next] : []
  if (now === undefined) return [...sort, next!]
  return sort.flatMap(sorted => (sorted.column === column ? (next ?? []) : sorted))
}
