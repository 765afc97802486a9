/** Lists of official tables, and how datasets cover each table. */

import { readFileSync } from 'node:fs'
import { type Coverage, RULES } from './rules.ts'

export interface OfficialTable {
  readonly source: (typeof SOURCES)[number]['name']
  readonly path: string
  /** Chinese title. */
  readonly title: string
  readonly covered: Coverage
}

/**
 * The lists of open data as of November 2026. `Other` contains tables that are in none of these
 * lists. The paths of `Other` are complete addresses, in most cases without the query.
 */
export const SOURCES = [
  { name: 'TWSE', file: 'twse.tsv', url: 'https://openapi.twse.com.tw/v1/' },
  { name: 'TPEx', file: 'tpex.tsv', url: 'https://www.tpex.org.tw/openapi/v1/' },
  { name: 'TAIFEX', file: 'taifex.tsv', url: 'https://openapi.taifex.com.tw/v1/' },
  { name: 'Other', file: 'other.tsv', url: '' },
] as const

/**
 * Returns the tables of all lists.
 *
 * @throws Error for a table that matches no rule
 */
export function officialTables(): readonly OfficialTable[] {
  return SOURCES.flatMap(({ name, file }) =>
    readFileSync(new URL(file, import.meta.url), 'utf8')
      .trimEnd()
      .split('\n')
      .map(line => {
        const [path, title] = line.split('\t') as [string, string]
        const rule = RULES.find(({ tables }) => tables.test(`${name} ${path} ${title}`))
        if (!rule) throw new Error(`No rule covers ${name} ${path}. Add one to catalog/register/rules.ts.`)
        return { source: name, path, title, covered: rule.covered }
      }),
  )
}
