import { csvLines } from './csv.ts'
import { bodyRefused } from './feed.ts'

/**
 * The exchange's own CSV as the JSON it publishes beside it: a title line, a heading line with a closing comma, rows, then notes
 * that open with 說明.
 *
 * @throws Refusal wrong_table when the heading is missing; damaged_body when the notes are, since the file then stops before its end
 */
export function exchangeTable(text: string, firstHeading: string): Readonly<Record<string, unknown>> {
  const lines = csvLines(text)
  const head = lines.findIndex(([first]) => first === firstHeading)
  const end = lines.findIndex(([first = ''], at) => at > head && first.startsWith('說明'))
  if (head === -1) throw bodyRefused('wrong_table', `The file has no column ${firstHeading}; give it to the feed of its own table.`)
  if (end === -1) throw bodyRefused('damaged_body', 'The notes that close the file are missing, so its end may be too; fetch it again.')
  const withoutClosingComma = (line: readonly string[]) => (line.at(-1) === '' ? line.slice(0, -1) : line)
  return {
    stat: 'OK',
    title: lines.slice(0, head).flat().join(' '),
    fields: withoutClosingComma(lines[head] ?? []),
    data: lines.slice(head + 1, end).map(withoutClosingComma),
  }
}
