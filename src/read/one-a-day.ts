import type { Dataset, Order } from '../../catalog/index.ts'

/** True for rows of which a key has at most one a day, and whose default order is by day, newest first, then by key. */
export const isOneADay = ({ key, date, grain }: Dataset, natural: Order): boolean =>
  key !== undefined &&
  date !== undefined &&
  grain.length === 2 &&
  grain.includes(key) &&
  grain.includes(date) &&
  natural[0]![0] === date &&
  natural[0]![1] === 'desc' &&
  natural[1]?.[0] === key &&
  natural[1][1] === 'asc'

/** False where the order is the default one, true where only its first column is turned round; undefined for any other. */
export function isReversed(order: Order, natural: Order): boolean | undefined {
  if (order === natural) return false
  const sameRest =
    order.length === natural.length &&
    order.every(([name, direction], at) => name === natural[at]![0] && (at === 0 || direction === natural[at]![1]))
  return sameRest ? order[0]![1] !== natural[0]![1] : undefined
}
