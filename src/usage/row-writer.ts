import type { Database } from '../state/index.ts'

type Values = (string | number)[]

const BATCH_ROWS = 8

/**
 * Writes several rows per INSERT. Call in a transaction.
 *
 * @param into `INSERT INTO table (columns)`
 * @param columns number of columns
 * @param pushValues appends the values of a row
 * @param conflict `ON CONFLICT …`. Default: duplicate rows are errors
 */
export function createRowWriter<Row>(
  db: Database,
  into: string,
  columns: number,
  pushValues: (values: Values, row: Row) => void,
  conflict = '',
): (rows: readonly Row[]) => void {
  const places = `(${Array(columns).fill('?').join(', ')})`
  const prepareInsert = (rows: number) => db.prepare<[Values]>(`${into} VALUES ${Array(rows).fill(places).join(', ')} ${conflict}`)
  const batch = prepareInsert(BATCH_ROWS)
  const single = prepareInsert(1)
  const valuesOf = (rows: readonly Row[], from: number, until: number): Values => {
    const values: Values = []
    for (let index = from; index < until; index++) pushValues(values, rows[index]!)
    return values
  }
  return rows => {
    const batched = rows.length - (rows.length % BATCH_ROWS)
    for (let from = 0; from < batched; from += BATCH_ROWS) batch.run(valuesOf(rows, from, from + BATCH_ROWS))
    for (let index = batched; index < rows.length; index++) single.run(valuesOf(rows, index, index + 1))
  }
}
