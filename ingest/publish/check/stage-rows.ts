import { type ColumnType, type Dataset, type Row, storedColumns } from '../../../catalog/index.ts'
import { literal, quote, type Session } from '../../../src/engine/index.ts'
import { createTextTable, createView, type Relation } from './relations.ts'

export const createStaging = (session: Session, name: string, columns: readonly string[]): Promise<Relation> =>
  createTextTable(session, name, Object.fromEntries(['_source', ...columns].map(column => [column, []])))

/** Adds rows of one source. Missing columns are null. */
export async function stageRows(
  session: Session,
  dataset: Dataset,
  relation: Relation,
  columns: readonly string[],
  source: number,
  rows: readonly Row[],
): Promise<void> {
  const cells = columns.map(name => rows.map(row => textOf(row[name], dataset.columns[name]?.type)))
  await session.append(relation, [rows.map(() => String(source)), ...cells])
}

/** A CSV file with headings. An empty cell is null; `""` is an empty text. */
export interface SpooledFile {
  readonly file: string
  readonly columns: readonly string[]
  /** Upper bound of the longest row, in bytes. */
  readonly longest: number
}

/** Longest row, in bytes, that the engine reads with default settings. */
const COMMON_ROW = 2_000_000

/** Creates a view. Each use reads the rows from disk. */
export function spooledRows(session: Session, name: string, { file, columns, longest }: SpooledFile): Promise<Relation> {
  const types = columns.map(column => `${literal(column)}: 'VARCHAR'`).join(', ')
  const long = longest > COMMON_ROW ? `, max_line_size = ${longest}` : ''
  return createView(
    session,
    name,
    `SELECT ${columns.map(quote).join(', ')} FROM read_csv(${literal(file)}, auto_detect = false, header = true, delim = ',', quote = '"',
       escape = '"', comment = '', nullstr = '', allow_quoted_nulls = false, hive_partitioning = false, columns = {${types}}${long})`,
  )
}

/**
 * Returns stored columns, and derived columns that the source prints. Publication compares printed
 * values of derived columns with its own.
 */
export const stagedColumns = (dataset: Dataset, rows: readonly Row[]): readonly string[] =>
  storedColumns(dataset).filter(name => dataset.columns[name]!.derived === undefined || (rows[0] !== undefined && name in rows[0]))

function textOf(value: unknown, type: ColumnType | undefined): string | null {
  if (value === null || value === undefined) return null
  return type === 'json' ? JSON.stringify(value) : String(value)
}
