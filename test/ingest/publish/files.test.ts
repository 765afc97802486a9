import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { refusalOf } from '../../fixtures/publish/refusal.ts'
import { quote } from '../../fixtures/publish/rows.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { FORMS, fileOf } from './file-forms.ts'
import { type Publisher, publisher } from './publisher.ts'

const QUOTES = 'daily-prices'
const FIRMS = 'securities-firm-master'
const CALENDAR = 'trading-calendar'
let s: Publisher
beforeAll(async () => {
  s = await publisher()
  await s.publishSomeCalendar()
  await s.publish(FIRMS, s.dataset(FIRMS).example)
})
afterAll(() => s.close())

it('the same rows are read equally from every file format', async () => {
  const rows = [{ market: 'TWSE', date: '2025-01-01', is_open: false, reason: '元旦' }]
  for (const form of FORMS) {
    const checked = await s.checkFile(CALENDAR, await fileOf(s, CALENDAR, rows, form))
    expect.soft([checked.status, checked.faults], form).toEqual(['unchanged', []])
  }
})

it.each(['csv', 'ndjson'] as const)('text of a %s file keeps its leading zeros, letters and number-like names', async form => {
  const fresh = await publisher()
  const tickers = ['0050', '006208', '00632R', '2330']
  const rows = tickers.map(ticker => quote(ticker, '2026-06-30', 1, { name: '1.50' }))
  await fresh.publishFiles(QUOTES, [await fileOf(fresh, QUOTES, rows, form)])
  expect(await fresh.rows(QUOTES, 'ticker, name', 'ORDER BY ticker')).toEqual(tickers.map(ticker => ({ ticker, name: '1.50' })))
  await fresh.close()
})

it('CSV text with apostrophes, semicolons, number signs and NULL is read literally', async () => {
  const texts = ["'open", 'a;b;c;d', "close'", '#4', 'NULL']
  const rows = texts.map((name, index) => quote(`${1101 + index}`, '2026-06-29', 1, { name }))
  await s.publishFiles(QUOTES, [await fileOf(s, QUOTES, rows, 'csv')])
  const names = await s.rows(QUOTES, 'name', "WHERE trade_date = '2026-06-29' ORDER BY ticker")
  expect(names.map(row => row['name'])).toEqual(texts)
})

it('stars, brackets and folders named a=b in a path are taken literally', async () => {
  const folder = join(s.dir, 'market=TPEX', 'date=2020-01-01')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, "it's [final] *台?.csv")
  writeFileSync(file, 'market,date,is_open\nTWSE,2026-06-22,false\n')
  writeFileSync(join(folder, "it's f x台y.csv"), 'market,date,is_open\nTWSE,2026-06-23,false\n')
  expect(await s.publishFiles(CALENDAR, [file])).toMatchObject({
    changes: { rows_added: 1, date_from: '2026-06-22', date_to: '2026-06-22' },
  })
  expect(stored(s.workspace.releases, CALENDAR).manifest.sources[0]!.name).toBe("it's [final] *台?.csv")
})

describe('text columns', () => {
  it('a number in a code column is refused in ndjson, json and parquet, because its zeros are lost', async () => {
    const row = { ...quote('0050', '2026-06-30', 1), ticker: 50 }
    for (const form of ['ndjson', 'json', 'parquet'] as const) {
      const { faults } = await s.checkFile(QUOTES, await fileOf(s, QUOTES, [row], form))
      expect.soft(faults, form).toMatchObject([{ rule: 'type', message: expect.stringContaining('ticker must be text') }])
    }
  })

  it('a list or a record in a text column is refused', async () => {
    const plain = await fileOf(s, QUOTES, [quote('0050', '2026-06-30', 1)], 'parquet')
    for (const value of ["['0050']", "{'code': 50}"]) {
      const file = join(s.dir, 'nested.parquet')
      await s.workspace.session.run(
        `COPY (SELECT * REPLACE (${value} AS name) FROM read_parquet('${plain}')) TO '${file}' (FORMAT parquet)`,
      )
      const { faults } = await s.checkFile(QUOTES, file)
      expect.soft(faults[0], value).toMatchObject({ rule: 'type', column: 'name', message: expect.stringContaining('not text') })
    }
  })

  it('a text column without values may have any Parquet type', async () => {
    const file = join(s.dir, 'nulls.parquet')
    const rows = `read_parquet('${await fileOf(s, FIRMS, s.dataset(FIRMS).example, 'parquet')}')`
    await s.workspace.session.run(`COPY (SELECT * REPLACE (NULL::INTEGER AS business_status) FROM ${rows}) TO '${file}' (FORMAT parquet)`)
    expect((await s.checkFile(FIRMS, file)).faults).toEqual([])
  })
})

const head = 'market,date,is_open,reason'
const lines = Array.from({ length: 20_000 }, (_, index) => `TWSE,2026-06-19,false,${Math.sin(index)}\n`).join('')
const big5 = Buffer.concat([Buffer.from(`${head}\nTWSE,2026-06-19,false,`), Buffer.from([0xba, 0xdd, 0xa4, 0xc8])])
const refused: readonly (readonly [what: string, rule: string, name: string, content: string | Uint8Array])[] = [
  ['a CSV cut off within a row', 'unreadable', 'half.csv', `${head}\nTWSE,2026-06-19,false,x\nTWSE,2026-`],
  ['a CSV with an unclosed quote', 'unreadable', 'quote.csv', `${head}\nTWSE,2026-06-19,false,"x\n`],
  ['a CSV in Big5', 'unreadable', 'big5.csv', big5],
  ['a cut JSON file', 'unreadable', 'half.json', '[{"market":"TWSE","date":"2026-06-19"'],
  ['a JSON file without a list', 'unreadable', 'object.json', '{"market":"TWSE"}'],
  ['an NDJSON file with a cut last line', 'unreadable', 'half.ndjson', '{"market":"TWSE"}\n{"market":'],
  ['a Parquet file without Parquet content', 'unreadable', 'text.parquet', 'PAR1 and nothing else PAR1'],
  ['a cut gzip file', 'unreadable', 'half.csv.gz', gzipSync(`${head}\n`.repeat(5_000)).subarray(0, 60)],
  // The engine's own reader accepts a truncated file as complete.
  ['a zstd file cut after a line', 'unreadable', 'half.csv.zst', zstdCompressSync(`${head}\n${lines}`).subarray(0, -20_000)],
  ['a CSV with only a heading', 'no_rows', 'head.csv', `${head}\n`],
  ['an empty NDJSON file', 'no_rows', 'empty.ndjson', ''],
  ['an empty JSON list', 'no_rows', 'empty.json', '[]'],
  ['a web page', 'unknown_column', 'page.csv', '<html><body>因為安全性考量，您所執行的頁面無法呈現</body></html>'],
  ['a CSV with another heading', 'unknown_column', 'other.csv', 'market,day,is_open\nTWSE,2026-06-19,false\n'],
  ['an Excel file', 'unknown_format', 'calendar.xlsx', 'PK'],
]
it.each(refused)('D5: %s is refused as %s and quarantined', async (_, rule, name, content) => {
  const { faults } = await refusalOf(s, CALENDAR, [s.file(name, content)])
  expect(faults[0]!.rule).toBe(rule)
  expect(faults[0]!.message).not.toContain(s.dir)
})

it('the Chinese message of an unreadable file quotes the English message of the engine', async () => {
  const { faults } = await s.checkFile(CALENDAR, s.file('quoted.parquet', 'PAR1 and nothing else PAR1'))
  const [, cause] = /could not be read as \S+: (.+)$/s.exec(faults[0]!.message)!
  expect(faults[0]!.message_zh).toMatch(/讀取 quoted\.parquet：「.+」$/s)
  expect(faults[0]!.message_zh).toContain(`「${cause}」`)
})

it('a Parquet file compressed with brotli is refused with the codecs to use', async () => {
  const file = join(s.dir, 'brotli.parquet')
  const row: Row = { market: "'TWSE'", date: "DATE '2026-06-19'", is_open: 'false' }
  const select = Object.entries(row).map(([name, value]) => `${value} AS ${name}`)
  await s.workspace.session.run(`COPY (SELECT ${select}) TO '${file}' (FORMAT parquet, COMPRESSION brotli)`)
  expect((await s.checkFile(CALENDAR, file)).faults).toMatchObject([{ rule: 'brotli', message: expect.stringContaining('zstd') }])
})

it('a Parquet date of infinity is refused as a wrong type', async () => {
  const file = join(s.dir, 'far.parquet')
  const rows = `read_parquet('${await fileOf(s, FIRMS, s.dataset(FIRMS).example, 'parquet')}')`
  await s.workspace.session.run(`COPY (SELECT * REPLACE ('infinity'::DATE AS change_date) FROM ${rows}) TO '${file}' (FORMAT parquet)`)
  const { faults } = await s.checkFile(FIRMS, file)
  expect(faults).toMatchObject([{ rule: 'type', column: 'change_date', samples: [{ change_date: 'infinity' }] }])
})
