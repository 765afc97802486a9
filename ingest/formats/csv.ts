import { parse } from 'csv-parse/sync'
import { bodyRefused } from './feed.ts'

/** The exchanges write ="0050" so that spreadsheets keep the zeros; the equals sign is not part of the cell. */
const withoutEquals = (text: string): string => text.replace(/(^|,)="([^"\r\n]*)"/gm, '$1"$2"')

/**
 * Lines of a CSV file as cells. Lines may differ in length; blank lines are left out.
 *
 * @throws Refusal damaged_body when quotes do not match or the last line is not ended
 */
export function csvLines(text: string): readonly (readonly string[])[] {
  if (!/[\r\n]$/.test(text)) {
    throw bodyRefused(
      'damaged_body',
      'The last line of the file is not ended, so its end may be missing; fetch it again, or end the line if it is whole.',
    )
  }
  try {
    return parse(withoutEquals(text), { bom: true, relax_column_count: true, skip_empty_lines: true, trim: true })
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    throw bodyRefused('damaged_body', `The CSV is damaged (${cause}); fetch it again.`)
  }
}
