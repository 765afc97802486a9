import type { CatalogDataset, DatasetFilter, DatasetSchema } from '../../../clients/typescript/src/index.ts'
import type { Query } from '../../api/client.ts'
import type { Sorted } from '../../parts/column-head.tsx'
import { rangeColumns, rangesIn, rangesText, withRange } from './ranges.ts'

/** What is asked of a dataset: all of it stands in the address of the page. */
export interface Question {
  /** Values of filters by the name of their parameter, `range` among them; those without a value are left out. */
  readonly filters: Readonly<Record<string, string>>
  /** Columns shown; null for all. */
  readonly columns: readonly string[] | null
  readonly sort: readonly Sorted[]
  /** The release asked; null for the served one. */
  readonly release: string | null
  /** Every key of one day, instead of a key's days. */
  readonly isDay: boolean
}

/** Parameters of the page's address that are no filters. */
const OWN = ['columns', 'sort', 'release', 'rows']

/** Filters with one of another value; an empty one leaves it out. */
export function withFilter(filters: Question['filters'], name: string, value: string): Question['filters'] {
  const { [name]: _, ...others } = filters
  return value === '' ? others : { ...others, [name]: value }
}

/** The question without the range of a column. */
export function withoutRange({ filters, ...question }: Question, column: string): Question {
  const others = withRange(filters['range'], { column, from: '', to: '', below: false })
  return { ...question, filters: withFilter(filters, 'range', others) }
}

/** The question in an address. @param search for example `?symbol=2330&sort=-trade_date` */
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
  }
}

const sortText = (sort: readonly Sorted[]): string =>
  sort.map(({ column, direction }) => (direction === 'desc' ? `-${column}` : column)).join(',')

/** The address of a question, without its path; empty where it asks nothing in particular. */
export function addressOf({ filters, columns, sort, release, isDay }: Question): string {
  const search = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ''))
  if (columns) search.set('columns', columns.join(','))
  if (sort.length > 0) search.set('sort', sortText(sort))
  if (release !== null) search.set('release', release)
  if (isDay) search.set('rows', 'day')
  return search.size === 0 ? '' : `?${search}`.replaceAll('%2C', ',').replaceAll('%3A', ':')
}

/** A dataset with its columns. */
export interface Described {
  readonly dataset: CatalogDataset
  readonly schema: DatasetSchema
}

/** The column of days, whose span filters narrow; undefined where rows have none. */
export const dayColumn = ({ filters }: CatalogDataset): string | undefined =>
  filters.find(({ operator, type }) => operator === 'from' && type === 'date')?.column

/** The filters a question may use: those of the key and of days, or those beside the one day of every key. */
export function filtersOf({ dataset }: Described, isDay: boolean): readonly DatasetFilter[] {
  if (!isDay) return dataset.filters
  const day = dayColumn(dataset)!
  const others = dataset.filters.filter(({ required, column, name }) => !required && column !== day && name !== 'latest')
  return [{ name: 'date', column: day, operator: 'eq', type: 'date', required: true }, ...others]
}

/** Names of the parameters a question may use. */
export const paramsOf = (described: Described, isDay: boolean): readonly string[] => [
  ...filtersOf(described, isDay).map(({ name }) => name),
  ...(rangeColumns(described.schema.columns).length > 0 ? ['range'] : []),
]

/** The question with what it must say and does not: the key of the example, or the last day. */
export function completed(question: Question, described: Described): Question {
  const { dataset, schema } = described
  const isDay = question.isDay && dataset.links.cross_section !== undefined
  const known = filtersOf(described, isDay)
  const kept = Object.entries(question.filters).filter(([name]) => known.some(filter => filter.name === name))
  const numbers = rangeColumns(schema.columns)
  const range = rangesText(rangesIn(question.filters['range']).filter(({ column }) => numbers.some(({ name }) => name === column)))
  const missing = known
    .filter(({ name, required }) => required && question.filters[name] === undefined)
    .map(({ name, column, type }) => {
      const example = schema.columns.find(one => one.name === column)?.example
      return [name, type === 'date' ? (dataset.last_date ?? '') : String(example ?? '')] as const
    })
  const has = (column: string): boolean => schema.columns.some(({ name }) => name === column)
  const columns = question.columns?.filter(has) ?? null
  return {
    filters: trimmed({ ...Object.fromEntries([...missing, ...kept]), ...(range !== '' && { range }) }),
    columns: columns && columns.length > 0 ? columns : null,
    sort: question.sort.filter(({ column }) => has(column)),
    release: question.release,
    isDay,
  }
}

/** What an address asks for that the dataset does not have. */
export interface Unknown {
  /** Parameters no filter is called by. */
  readonly parameters: readonly string[]
  /** Columns, to be shown or to sort by, or of numbers whose range is asked for. */
  readonly columns: readonly string[]
}

/** What `completed` leaves out of a question: an address may be of another dataset, or misspelt. */
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

/** Where rows of a question are read. */
export const pathOf = ({ dataset: { links } }: Described, { isDay }: Question): string =>
  isDay && links.cross_section !== undefined ? links.cross_section : links.read

/** A space typed after a word is part of no value; one between words is. */
const trimmed = (filters: Question['filters']): Question['filters'] =>
  Object.fromEntries(Object.entries(filters).map(([name, value]) => [name, value.trim()]))

/** True where two questions are about the same rows of a release or another: columns and order are how these are shown. */
export const isSameRows = (one: Question, other: Question): boolean =>
  one.isDay === other.isDay && addressOf({ ...one, ...HOW_SHOWN }) === addressOf({ ...other, ...HOW_SHOWN })

const HOW_SHOWN = { columns: null, sort: [], release: null } as const

/** What is sent to read a question, without a window. */
export const queryOf = ({ filters, columns, sort, release }: Question): Query => ({
  ...trimmed(filters),
  columns: columns?.join(','),
  sort: sortText(sort),
  release,
})

/** Pressing a head sorts by its column from the greatest on, then from the least, then no more. @param more keeps the other columns of the order */
export function sortedBy(sort: readonly Sorted[], column: string, more: boolean): readonly Sorted[] {
  const now = sort.find(sorted => sorted.column === column)?.direction
  const next: Sorted | undefined = now === 'asc' ? undefined : { column, direction: now === 'desc' ? 'asc' : 'desc' }
  if (!more) return next ? [next] : []
  if (now === undefined) return [...sort, next!]
  return sort.flatMap(sorted => (sorted.column === column ? (next ?? []) : sorted))
}
