import { heading } from './cells.ts'
import { isObject } from './content.ts'
import { csvLines } from './csv.ts'
import { bodyRefused, type Called, calledIn } from './feed.ts'

/** Rows by column name. Names are normalized by `heading`. */
export interface Records {
  readonly columns: ReadonlySet<string>
  readonly rows: readonly Readonly<Record<string, unknown>>[]
}

/**
 * @throws Refusal damaged_body if a line has another number of cells than the headings; wrong_table
 * for duplicate headings
 */
export function csvRecords(text: string): Records {
  const [first = [], ...lines] = csvLines(text)
  const columns = first.map(heading)
  if (new Set(columns).size !== columns.length) {
    throw bodyRefused(
      'wrong_table',
      {
        en: 'Two columns of the file have the same name, so it is not a file of this feed. If another feed reads this file, use that feed (see twmd ingest --help).',
        zh: '檔案有兩個同名的欄位，因此不屬於此資料來源；若有其他資料來源可讀取此檔案，請改用該來源（見 twmd ingest --help）。',
      },
      { columns },
    )
  }
  const uneven = lines.findIndex(line => line.length !== columns.length)
  if (uneven !== -1) {
    throw bodyRefused('damaged_body', {
      en: `Row ${uneven + 1} has ${lines[uneven]?.length} cells, but the file has ${columns.length} columns. Fetch the file again.`,
      zh: `第 ${uneven + 1} 列有 ${lines[uneven]?.length} 欄，標題則有 ${columns.length} 欄；請重新取得檔案。`,
    })
  }
  return { columns: new Set(columns), rows: lines.map(line => Object.fromEntries(columns.map((column, at) => [column, line[at]]))) }
}

/**
 * Parses a JSON array of objects, as in open data.
 *
 * @throws Refusal wrong_table for any other value
 */
export function jsonRecords(value: unknown): Records {
  if (!Array.isArray(value) || !value.every(isObject)) {
    throw bodyRefused('wrong_table', {
      en: 'The file is not a list of records, so it is not a file of this feed. If another feed reads this file, use that feed (see twmd ingest --help).',
      zh: '檔案內容不是資料列清單，因此不屬於此資料來源；若有其他資料來源可讀取此檔案，請改用該來源（見 twmd ingest --help）。',
    })
  }
  const rows = value.map(row => Object.fromEntries(Object.entries(row).map(([name, cell]) => [heading(name), cell])))
  return { columns: new Set(rows.flatMap(row => Object.keys(row))), rows }
}

/** @throws Refusal wrong_table, which names the missing columns */
export function requireColumns({ columns }: Records, wanted: readonly string[], called: Called): void {
  const missing = wanted.filter(name => !columns.has(heading(name)))
  const table = calledIn(called)
  if (missing.length > 0) {
    throw bodyRefused(
      'wrong_table',
      {
        en: `This is not ${table.en}: it has no ${missing.join(', ')}. If another feed reads this file, use that feed (see twmd ingest --help).`,
        zh: `這不是「${table.zh}」：缺少 ${missing.join('、')}。若有其他資料來源可讀取此檔案，請改用該來源（見 twmd ingest --help）。`,
      },
      { missing, columns: [...columns] },
    )
  }
}

export const textCell = (row: Readonly<Record<string, unknown>>, column: string): string => String(row[heading(column)] ?? '').trim()
