import { heading } from './cells.ts'
import { isObject } from './content.ts'
import { csvLines } from './csv.ts'
import { bodyRefused } from './feed.ts'

/** Rows whose cells have names. Names are compared as `heading` folds them. */
export interface Records {
  readonly columns: ReadonlySet<string>
  readonly rows: readonly Readonly<Record<string, unknown>>[]
}

/**
 * A CSV file with one heading line.
 *
 * @throws Refusal damaged_body when a line is shorter or longer than the heading; wrong_table when two columns have one name
 */
export function csvRecords(text: string): Records {
  const [first = [], ...lines] = csvLines(text)
  const columns = first.map(heading)
  if (new Set(columns).size !== columns.length) {
    throw bodyRefused('wrong_table', 'Two columns of the file have the same name; this is not the file the feed reads.', { columns })
  }
  const uneven = lines.findIndex(line => line.length !== columns.length)
  if (uneven !== -1) {
    throw bodyRefused(
      'damaged_body',
      `Row ${uneven + 1} has ${lines[uneven]?.length} cells under ${columns.length} columns; fetch the file again.`,
    )
  }
  return { columns: new Set(columns), rows: lines.map(line => Object.fromEntries(columns.map((column, at) => [column, line[at]]))) }
}

/**
 * A JSON array of objects, the form of the exchanges' open data.
 *
 * @throws Refusal wrong_table when it is anything else
 */
export function jsonRecords(value: unknown): Records {
  if (!Array.isArray(value) || !value.every(isObject)) {
    throw bodyRefused('wrong_table', 'The file is not a list of records; this is not the table the feed reads.')
  }
  const rows = value.map(row => Object.fromEntries(Object.entries(row).map(([name, cell]) => [heading(name), cell])))
  return { columns: new Set(rows.flatMap(row => Object.keys(row))), rows }
}

/**
 * Proof that the records are the wanted table.
 *
 * @throws Refusal wrong_table naming the columns that are missing
 */
export function requireColumns({ columns }: Records, wanted: readonly string[], table: string): void {
  const missing = wanted.filter(name => !columns.has(heading(name)))
  if (missing.length > 0) {
    throw bodyRefused('wrong_table', `This is not ${table}: it has no ${missing.join(', ')}. Give the file to the feed of its own table.`, {
      missing,
      columns: [...columns],
    })
  }
}

/** A cell as trimmed text, empty where it is absent. */
export const textCell = (row: Readonly<Record<string, unknown>>, column: string): string => String(row[heading(column)] ?? '').trim()
