import { type Dataset, defaultOrder, isNewestFirst } from '../../catalog/index.ts'
import { fromParts, quote, type Statement } from '../engine/index.ts'

/** Which rows of a part are wanted. */
export interface Wanted {
  /** Of this key; of every key when absent. */
  readonly key?: string
  /** So many of each key, the first ones in the default order; all when absent. */
  readonly most?: number
}

/**
 * Selects rows of one part with every column of the dataset, those no part stores included: by key, then in the dataset's default order.
 * Where all of them are wanted of a series that is stored the other way round, as they are stored: to turn them round
 * takes a third of the time the engine needs to sort.
 */
export function selectPart(dataset: Dataset, path: string, { key, most }: Wanted): Statement {
  const asStored = most === undefined && isNewestFirst(dataset)
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
