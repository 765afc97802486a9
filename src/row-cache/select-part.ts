import { type Dataset, defaultOrder } from '../../catalog/index.ts'
import { fromParts, quote, type Statement } from '../engine/index.ts'

export interface PartRows {
  /** Key whose rows are selected. If absent, the rows of all keys are selected. */
  readonly key?: string
  /**
   * Maximum number of rows per key. The first rows in the default order are selected. Default:
   * unlimited.
   */
  readonly rowsPerKey?: number
  /**
   * True to select the rows in the order of the part, which must be sorted by key. If absent, rows
   * are sorted by key, then in the dataset's default order.
   */
  readonly asStored?: boolean
}

/**
 * Builds the statement that selects rows of one part, with all columns including virtual columns.
 * Some series are stored in reverse order. For these, selecting rows with `asStored` and reversing
 * them takes a third of the time that the engine needs to sort them.
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
