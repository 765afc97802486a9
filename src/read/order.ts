import { allColumns, type Dataset, type Order } from '../../catalog/index.ts'
import { type Fault, nearest } from '../core/index.ts'
import { type BoundFilter, fault, oneOf, type SingleValues } from './filters.ts'

/**
 * The order that the caller requested. The columns that identify a row are appended later, so that
 * every position is defined.
 */
export interface SentOrder {
  readonly order: Order
  /** Null if not sent. */
  readonly sent: string | null
}

/**
 * Reads `sort`, or `sort_by` and `sort_order`. Adds errors to `faults`. Rows with equal values
 * follow the default order.
 * @param latest the filter that selects only the newest row; cannot be combined with `sort`
 */
export function readOrder(dataset: Dataset, single: SingleValues, latest: BoundFilter | undefined, faults: Fault[]): SentOrder {
  const { sort } = single
  if (sort === undefined) return { order: latest ? [[latest.column, 'desc']] : sortedBy(dataset, single, faults), sent: null }
  const order = namedColumns(dataset, sort, faults)
  const conflicting = [latest?.param, 'sort_by', 'sort_order'].find(name => name !== undefined && single[name] !== undefined)
  if (conflicting !== undefined) {
    const words = {
      en: `sort and ${conflicting} cannot be combined: send one of them`,
      zh: `sort 不得與 ${conflicting} 併用；請只傳送其中之一`,
    }
    faults.push(fault('sort', words, 'range', sort))
  }
  return {
    order: [...order, ...dataset.order.filter(([column]) => !order.some(([name]) => name === column))],
    sent: order.map(([column, direction]) => (direction === 'desc' ? `-${column}` : column)).join(','),
  }
}

/** A leading minus sign means descending order. */
function namedColumns(dataset: Dataset, text: string, faults: Fault[]): Order {
  const all = allColumns(dataset)
  const order = text.split(',').map(part => {
    const name = part.trim()
    return name.startsWith('-') ? ([name.slice(1), 'desc'] as const) : ([name, 'asc'] as const)
  })
  const unknown = order.find(([column]) => !all.includes(column))
  if (unknown) {
    const guess = nearest(unknown[0], all)
    const words = {
      en: `sort accepts ${all.join(', ')}, with a minus sign for descending order${guess ? `; did you mean ${guess}?` : ''}`,
      zh: `sort 可指定的欄位：${all.join('、')}，遞減排序時加上減號${guess ? `；您是指 ${guess} 嗎？` : ''}`,
    }
    faults.push(fault('sort', words, 'enum', unknown[0]))
  } else if (new Set(order.map(([column]) => column)).size !== order.length) {
    faults.push(fault('sort', { en: 'sort contains a column twice', zh: 'sort 重複指定同一欄位' }, 'repeated_value', text))
  }
  return order
}

function sortedBy(dataset: Dataset, single: SingleValues, faults: Fault[]): Order {
  const { sort_by: sortBy, sort_order: direction = 'desc' } = single
  if (direction !== 'asc' && direction !== 'desc') {
    const words = { en: "sort_order must be 'asc' or 'desc'", zh: "sort_order 必須是 'asc' 或 'desc'" }
    faults.push(fault('sort_order', words, 'enum', direction))
    return dataset.order
  }
  if (sortBy === undefined)
    return single['sort_order'] === undefined ? dataset.order : [[dataset.order[0]![0], direction], ...dataset.order.slice(1)]
  if (!dataset.sortable.includes(sortBy)) {
    faults.push(fault('sort_by', oneOf('sort_by', dataset.sortable), 'enum', sortBy))
    return dataset.order
  }
  return [[sortBy, direction], ...dataset.order.filter(([column]) => column !== sortBy)]
}

/**
 * True if only the direction of the first column differs. False for equal orders. Undefined for
 * other orders.
 */
export function isReversed(order: Order, natural: Order): boolean | undefined {
  if (order === natural) return false
  const sameRest =
    order.length === natural.length &&
    order.every(([name, direction], index) => name === natural[index]![0] && (index === 0 || direction === natural[index]![1]))
  return sameRest ? order[0]![1] !== natural[0]![1] : undefined
}
