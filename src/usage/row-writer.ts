import type { Database } from '../state/index.ts'

type Values = (string | number)[]

/** Rows of one statement: running one costs as much as some of its values do, and of longer ones nothing more is gained. */
const AT_ONCE = 8

/**
 * Writes rows eight at a time, and those that are left one by one. To be called in a transaction: where a row fails, the ones before it
 * stay.
 *
 * @param into `INSERT INTO table (columns)`
 * @param columns how many those are
 * @param putValues adds the values of a row, one for each column
 * @param conflict `ON CONFLICT …`; when absent, a row that is there already is an error
 */
export function createRowWriter<Row>(
  db: Database,
  into: string,
  columns: number,
  putValues: (values: Values, row: Row) => void,
  conflict = '',
): (rows: readonly Row[]) => void {
  const places = `(${Array(columns).fill('?').join(', ')})`
  const statementOf = (rows: number) => db.prepare<[Values]>(`${into} VALUES ${Array(rows).fill(places).join(', ')} ${conflict}`)
  const [many, one] = [statementOf(AT_ONCE), statementOf(1)]
  const valuesOf = (rows: readonly Row[], from: number, until: number): Values => {
    const values: Values = []
    for (let index = from; index < until; index++) putValues(values, rows[index]!)
    return values
  }
  return rows => {
    const alone = rows.length - (rows.length % AT_ONCE)
    for (let from = 0; from < alone; from += AT_ONCE) many.run(valuesOf(rows, from, from + AT_ONCE))
    for (let index = alone; index < rows.length; index++) one.run(valuesOf(rows, index, index + 1))
  }
}
