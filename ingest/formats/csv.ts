import { parse } from 'csv-parse/sync'
import { bodyRefused } from './feed.ts'

/**
 * Converts ="0050" to "0050". The exchanges write the sign so that spreadsheets preserve the zeros.
 */
const withoutEquals = (text: string): string => text.replace(/(^|,)="([^"\r\n]*)"/gm, '$1"$2"')

/**
 * Splits a CSV file into cells. Skips blank lines; lines may differ in length.
 *
 * @throws Refusal damaged_body if quotes do not match or the last line is incomplete
 */
export function csvLines(text: string): readonly (readonly string[])[] {
  if (!/[\r\n]$/.test(text)) {
    throw bodyRefused('damaged_body', {
      en: 'The last line has no line break, so the file may be incomplete. Fetch it again, or add the line break if the file is complete.',
      zh: '檔案最後一行沒有換行，內容可能不完整；請重新取得，若確認完整，補上換行即可。',
    })
  }
  try {
    return parse(withoutEquals(text), { bom: true, relax_column_count: true, skip_empty_lines: true, trim: true })
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    throw bodyRefused('damaged_body', { en: `The CSV is damaged (${cause}). Fetch it again.`, zh: `CSV 已損毀（${cause}）；請重新取得。` })
  }
}

/**
 * Converts an exchange's CSV file to the form of its JSON: a title line, a heading line with a
 * trailing comma, rows, and notes after 說明.
 *
 * @throws Refusal wrong_table if the heading line is missing; damaged_body if the notes are
 * missing, because the file is then truncated
 */
export function exchangeTable(text: string, firstHeading: string): Readonly<Record<string, unknown>> {
  const lines = csvLines(text)
  const head = lines.findIndex(([first]) => first === firstHeading)
  const end = lines.findIndex(([first = ''], at) => at > head && first.startsWith('說明'))
  if (head === -1)
    throw bodyRefused('wrong_table', {
      en: `The file has no column ${firstHeading}. If another feed reads this file, use that feed (see twmd ingest --help).`,
      zh: `檔案沒有 ${firstHeading} 欄位；若有其他資料來源可讀取此檔案，請改用該來源（見 twmd ingest --help）。`,
    })
  if (end === -1)
    throw bodyRefused('damaged_body', {
      en: 'The notes at the end of the file are missing, so it may be incomplete. Fetch it again.',
      zh: '檔案末尾缺少註記，內容可能不完整；請重新取得。',
    })
  const withoutClosingComma = (line: readonly string[]) => (line.at(-1) === '' ? line.slice(0, -1) : line)
  return {
    stat: 'OK',
    title: lines.slice(0, head).flat().join(' '),
    fields: withoutClosingComma(lines[head] ?? []),
    data: lines.slice(head + 1, end).map(withoutClosingComma),
  }
}
