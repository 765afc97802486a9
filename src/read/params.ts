import type { Dataset, Order } from '../../catalog/index.ts'
import { type Fault, nearest, parameterRefusal } from '../core/index.ts'
import { clip, fault } from './fault.ts'
import { readFilters } from './filters.ts'
import type { BoundFilter } from './plan.ts'

/** Query string as parsed: a repeated name arrives as a list. */
export type ReadParams = Readonly<Record<string, string | readonly string[] | undefined>>

export const DEFAULT_LIMIT = 50
export const MOST_ROWS = 100_000
export const MOST_OFFSET = 1_000_000_000

/** Parameters every read takes, beside the dataset's own filters. */
export const COMMON_PARAMS = ['limit', 'offset', 'sort_by', 'sort_order', 'columns', 'format', 'release'] as const

export interface ReadRequest {
  readonly filters: readonly BoundFilter[]
  readonly columns: readonly string[]
  readonly sort: Order
  readonly limit: number
  readonly offset: number
  /** One row by request: no page follows it. */
  readonly single: boolean
  readonly sent: Readonly<Record<string, string | null>>
}

/** @throws Refusal invalid_parameter or unbounded_read, naming every parameter that is wrong */
export function readParams(dataset: Dataset, query: ReadParams): ReadRequest {
  const faults: Fault[] = []
  const single = singleValues(dataset, query, faults)
  const { filters, sent } = readFilters(dataset, single, faults)
  const limit = wholeNumber('limit', single['limit'], DEFAULT_LIMIT, [1, MOST_ROWS], faults)
  const offset = wholeNumber('offset', single['offset'], 0, [0, MOST_OFFSET], faults)
  const latest = filters.find(({ op }) => op === 'latest')
  const sort = latest ? ([[latest.column, 'desc']] as const) : sortOrder(dataset, single, faults)
  if (latest && offset > 0) faults.push(fault('offset', `${latest.param} has one row; leave offset out`, 'range', single['offset']))
  const columns = chosenColumns(dataset, single['columns'], faults)
  if (single['format'] !== undefined && single['format'] !== 'json') {
    faults.push(fault('format', "format must be 'json'", 'enum', single['format']))
  }
  if (faults.length > 0)
    throw parameterRefusal(dataset.id, faults, faults.some(({ type }) => type === 'missing') ? 'unbounded_read' : 'invalid_parameter')
  const rows = filters.filter(({ op }) => op !== 'latest')
  return { filters: rows, columns, sort, limit: latest ? 1 : limit, offset, single: latest !== undefined, sent }
}

/** Made once a dataset: every read looks through them. */
const params = new WeakMap<Dataset, readonly string[]>()

function paramsOf(dataset: Dataset): readonly string[] {
  const known = params.get(dataset) ?? [...Object.keys(dataset.filters), ...COMMON_PARAMS]
  params.set(dataset, known)
  return known
}

/** Refuses unknown and repeated names; what remains has one value per name. */
function singleValues(dataset: Dataset, query: ReadParams, faults: Fault[]): Readonly<Record<string, string | undefined>> {
  const known = paramsOf(dataset)
  const single: Record<string, string> = {}
  for (const [name, value] of Object.entries(query)) {
    if (!known.includes(name)) {
      const guess = nearest(name, known)
      const msg = `${clip(name)} is not a parameter of ${dataset.slug}${guess ? `; did you mean ${guess}?` : `; known: ${known.join(', ')}`}`
      faults.push(fault(clip(name), msg, 'unknown_parameter'))
    } else if (typeof value !== 'string') {
      faults.push(
        fault(name, `${name} was sent more than once; send it once, with commas where it takes several values`, 'repeated_parameter'),
      )
    } else single[name] = value
  }
  return single
}

function wholeNumber(
  name: string,
  text: string | undefined,
  absent: number,
  [least, most]: readonly [number, number],
  faults: Fault[],
): number {
  if (text === undefined) return absent
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (value >= least && value <= most) return value
  faults.push(fault(name, `${name} must be an integer from ${least} to ${most}`, 'int_range', text))
  return absent
}

function sortOrder(dataset: Dataset, single: Readonly<Record<string, string | undefined>>, faults: Fault[]): Order {
  const { sort_by: by, sort_order: direction = 'desc' } = single
  if (direction !== 'asc' && direction !== 'desc') {
    faults.push(fault('sort_order', "sort_order must be 'asc' or 'desc'", 'enum', direction))
    return dataset.order
  }
  if (by === undefined)
    return single['sort_order'] === undefined ? dataset.order : [[dataset.order[0]![0], direction], ...dataset.order.slice(1)]
  if (!dataset.sortable.includes(by)) {
    faults.push(fault('sort_by', `sort_by must be one of ${dataset.sortable.join(', ')}`, 'enum', by))
    return dataset.order
  }
  return [[by, direction], ...dataset.order.filter(([column]) => column !== by)]
}

function chosenColumns(dataset: Dataset, text: string | undefined, faults: Fault[]): readonly string[] {
  const all = Object.keys(dataset.columns)
  if (text === undefined) return all
  const chosen = text.split(',').map(name => name.trim())
  const strangers = chosen.filter(name => !all.includes(name))
  if (strangers.length > 0) {
    const guess = nearest(strangers[0]!, all)
    faults.push(fault('columns', `columns may name ${all.join(', ')}${guess ? `; did you mean ${guess}?` : ''}`, 'enum', strangers[0]))
  } else if (new Set(chosen).size !== chosen.length) {
    faults.push(fault('columns', 'columns names one column twice', 'repeated_value', text))
  }
  return chosen
}
