import { type HTMLElement, parse } from 'node-html-parser'
import { bodyRefused } from './feed.ts'

export type HtmlRows = readonly (readonly string[])[]

/** Returns the visible text. Decodes entities and trims spaces. */
export const plainText = (fragment: string): string => (/[<&]/.test(fragment) ? parse(fragment).text : fragment).trim()

const cellsOf = (row: HTMLElement): readonly string[] =>
  row.querySelectorAll('th,td').map(cell => cell.text.replaceAll('\u00a0', ' ').trim())

/**
 * Returns the innermost tables, in order. Layout tables are left out. Ignores stray closing tags,
 * as browsers do: pages of MOPS have some.
 *
 * @throws Refusal damaged_body if the page is truncated
 */
export function htmlTables(page: string): readonly HtmlRows[] {
  const count = (tag: RegExp): number => page.match(tag)?.length ?? 0
  const unfinished = count(/<html\b/gi) > count(/<\/html\s*>/gi) || count(/<table\b/gi) > count(/<\/table\s*>/gi)
  if (unfinished)
    throw bodyRefused(
      'damaged_body',
      { en: 'The page is incomplete. Fetch it again.', zh: '頁面不完整；請重新取得。' },
      { characters: page.length },
    )
  return parse(page, { lowerCaseTagName: true })
    .querySelectorAll('table')
    .filter(table => table.querySelector('table') === null)
    .map(table => table.querySelectorAll('tr').map(cellsOf))
}

/** @throws Refusal row_shape if a row lacks cells, as on a truncated page */
export function requireCells(row: readonly string[], headings: readonly string[]): void {
  if (row.length === headings.length) return
  throw bodyRefused('row_shape', {
    en: `The row of ${row[0] ?? 'nothing'} has ${row.length} cells, but the table has ${headings.length} headings. Fetch the page again.`,
    zh: `「${row[0] ?? '空白'}」的資料列有 ${row.length} 欄，標題則有 ${headings.length} 欄；請重新取得頁面。`,
  })
}

export const pageTitle = (page: string): string => plainText(/<title[^>]*>([^<]*)/i.exec(page)?.[1] ?? '')
