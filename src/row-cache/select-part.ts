import { type Dataset, defaultOrder } from '../../catalog/index.ts'
import { fromParts, quote, type Statement } from '../engine/index.ts'

export interface PartRows {
  readonly key?: string
  /** Maximum number of rows per key. Default: unlimited. */
  readonly rowsPerKey?: number
  /** True to select rows in stored order. Default: sorted by key. */
  readonly asStored?: boolean
}

/** Selects rows of one Parquet file. Reading in stored order is three times as fast as sorting. */
export function selectPart(dataset: Dataset, path: string, { key, rowsPerKey, asStored = false }: PartRows): Statement {
  const columns = Object.entries(dataset.columns).map(([name, { virtual }]) =>
    virtual === undefined ? quote(name) : `${virtual} AS ${quote(name)}`,
  )
  const order = defaultOrder(dataset).map(([name, direction]) => `${quote(name)} ${direction.toUpperCase()} NULLS LAST`)
  const text = [
    `SELECT ${columns.join(', ')}`,
    `FROM ${fromParts([path])}`,
    ...(key === undefined ? [] : [`WHERE ${quote(dataset.key!)} = $1`]),
    ...(rowsPerKey === undefined
      ? []
      : [`QUALIFY row_number() OVER (PARTITION BY ${quote(dataset.key!)} ORDER BY ${order.join(', ')}) <= ${rowsPerKey}`]),
    ...(asStored ? [] : [`ORDER BY ${[quote(dataset.key!), ...order].join(', ')}`]),
  ].join('\n')
  return { text, values: key === undefined ? [] : [key], once: true }
}
