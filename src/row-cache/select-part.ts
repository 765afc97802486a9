import { type Dataset, defaultOrder } from '../../catalog/index.ts'
import { fromParts, quote, type Statement } from '../engine/index.ts'

/** Rows to select from a part. */
export interface PartRows {
  /** Selects only rows of this key. If absent, selects all keys. */
  readonly key?: string
  /**
   * Selects only the first rows of each key in the default order, up to this number. If absent,
   * selects all rows.
   */
  readonly rowsPerKey?: number
  /**
   * True to keep the order of the part, which must be sorted by key. If absent, rows are sorted by
   * key, then in the dataset's default order.
   */
  readonly asStored?: boolean
}

/**
 * Selects rows of one part with all columns of the dataset, including virtual columns. Some series
 * are stored in the reverse of the default order. For them, `asStored` and reversing the rows
 * afterwards takes a third of the time that the engine needs to sort.
 */
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
