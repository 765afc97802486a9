import type { Order } from '../../catalog/index.ts'

/** False where the order is the default one, true where only its first column is turned round; undefined for any other. */
export function isReversed(order: Order, natural: Order): boolean | undefined {
  if (order === natural) return false
  const sameRest =
    order.length === natural.length &&
    order.every(([name, direction], at) => name === natural[at]![0] && (at === 0 || direction === natural[at]![1]))
  return sameRest ? order[0]![1] !== natural[0]![1] : undefined
}
