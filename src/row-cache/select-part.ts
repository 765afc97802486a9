import { type Dataset, defaultOrder } from '../../catalog/index.ts'
import { fromParts, quote, type Statement } from '../engine/index.ts'

/** Which rows of a part are wanted. */
export interface Wanted {
  /** Of this key; of every key when absent. */
  readonly key?: string
  /** So many of each key, the first ones in the default order; all when absent. */
  readonly most?: number
  /** In the order in which the part holds them, which must then be by key; by key, then in the dataset's default order when absent. */
  readonly asStored?: boolean
}

/**
 * Selects rows of one part with every column of the dataset, those no part stores included: by key, then in the dataset's default order.
 * A series that is stored the other way round is better taken as it is stored: to turn it round takes a third of the time the engine
 * needs to sort.
 */
export function selectPart(dataset: Dataset, path: string, { key, most, asStored = false }: Wanted): Statement {
  const columns = Object.entries(dataset.columns).map(([name, { virtual }]) =>
    virtual === undefined ? quote(name) : `${virtual} AS ${quote(name)}`,
  )
  const order = defaultOrder(dataset).map(([name, direction]) => `${quote(name)} ${direction.toUpperCase()} NULLS LAST`)
  const text = [
    `SELECT ${columns.join(', ')}`,
    `FROM ${fromParts([path])}`,
    ...(key === undefined ? [] : [`WHERE ${quote(dataset.key!)} = $1`]),
    ...(most === undefined
      ? []
      : [`QUALIFY row_number() OVER (PARTITION BY ${quote(dataset.key!)} ORDER BY ${order.join(', ')}) <= ${most}`]),
    ...(asStored ? [] : [`ORDER BY ${[quote(dataset.key!), ...order].join(', ')}`]),
  ].join('\n')
  return { text, values: key === undefined ? [] : [key], once: true }
}
