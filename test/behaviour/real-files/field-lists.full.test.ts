import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { bodyOf, rowsOf } from '../../fixtures/feeds/bodies.ts'
import { feeds } from '../../fixtures/ingest/bodies.ts'
import { real, realFilesThere } from './files.ts'

const FORMS = ['ci', 'basi', 'bd', 'fh', 'ins', 'mim']

/** Tables for which no captured file was available, with their feeds. */
const TABLES: readonly (readonly [path: string, feed: string, dataset: string])[] = [
  ...FORMS.map(form => [`/opendata/t187ap07_L_${form}`, 'twse-balance-sheets', 'balance-sheet'] as const),
  ['/opendata/t187ap17_L', 'twse-profitability', 'profitability'],
  ['/opendata/t187ap04_L', 'twse-announcements', 'announcements'],
  ['/exchangeReport/TWT48U_ALL', 'twse-ex-rights-forecast', 'ex-rights-forecast'],
  ['/opendata/t187ap47_L', 'twse-etf-register', 'etf-register'],
]

/** Valid cells by a pattern of field names. */
const CELLS: readonly (readonly [fields: RegExp, cell: string])[] = [
  [/代號$|^Code$/, '9958'],
  [/日期$|日$|^Date$/, '1150630'],
  [/時間$/, '70012'],
  [/^年度$/, '115'],
  [/^季別$/, '2'],
  [/^Exdividend$/, '息'],
]
const cellOf = (field: string): string => CELLS.find(([fields]) => fields.test(field))?.[1] ?? '1'

it.skipIf(!realFilesThere)('feeds find their columns in the published lists of fields, including all six forms of balance sheets', () => {
  const { paths } = JSON.parse(readFileSync(real('swagger/twse_swagger.json'), 'utf8'))
  for (const [path, feed, dataset] of TABLES) {
    const { properties } = paths[path].get.responses['200'].schema.items ?? paths[path].get.responses['200'].schema
    const record = Object.fromEntries(Object.keys(properties).map(field => [field, cellOf(field)]))
    const rows = rowsOf(feeds.get(feed)!.parse(bodyOf([record]), undefined), dataset)
    expect.soft(rows, path).toMatchObject([{ ticker: '9958' }])
    const isFinancial = /_(basi|fh|ins)$/.test(path)
    if (dataset === 'balance-sheet')
      expect.soft(rows, path).toMatchObject([
        {
          period_end: '2026-06-30',
          total_assets: 1_000,
          current_assets: isFinancial ? null : 1_000,
          cash_and_cash_equivalents: isFinancial ? 1_000 : null,
        },
      ])
  }
})

it.skipIf(!realFilesThere)('the feed of final settlement prices finds its columns in all published lists, by names and by labels', () => {
  const lists: Readonly<Record<string, { readonly fields: Readonly<Record<string, string>> }>> = JSON.parse(
    readFileSync(real('swagger/taifex_openapi_fields.json'), 'utf8'),
  )
  const cell = (label: string): string => (/日$/.test(label) ? '20260617' : /價$/.test(label) ? '45120' : 'TX')
  const tables = Object.entries(lists).filter(([path]) => path.includes('/FinalSettlementPrice'))
  expect(tables).toHaveLength(10)
  for (const [path, { fields }] of tables)
    for (const headings of [Object.keys(fields), Object.values(fields)]) {
      const record = Object.fromEntries(Object.values(fields).map((label, index) => [headings[index]!, cell(label)]))
      const rows = rowsOf(feeds.get('taifex-final-settlement')!.parse(bodyOf([record]), undefined), 'final-settlement')
      expect.soft(rows, path).toMatchObject([{ contract: 'TX', settlement_date: '2026-06-17', final_settlement_price: 45_120 }])
    }
})
