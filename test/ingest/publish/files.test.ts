import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Dataset, pathOf, type Row } from '../../../catalog/index.ts'
import { publishFiles } from '../../../ingest/index.ts'
import { refusalOf } from '../../fixtures/publish/refusal.ts'
import { quote } from '../../fixtures/publish/rows.ts'
import { stored, storedRows } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'

const QUOTES = 'daily-prices'
let s: TestService
beforeAll(async () => {
  s = await service()
})
afterAll(() => s.close())

function write(name: string, content: string | Uint8Array): string {
  const file = join(s.dir, name)
  writeFileSync(file, content)
  return file
}

const FORMATS = ['csv', 'csv.gz', 'csv.zst', 'ndjson', 'jsonl.gz', 'ndjson.zst', 'json', 'parquet'] as const

/** The same rows as a file of each form, as common tools write them. */
async function partitionFile(on: TestService, dataset: Dataset, rows: readonly Row[], format: (typeof FORMATS)[number]): Promise<string> {
  const file = join(on.dir, `${dataset.slug}.${format}`)
  const names = Object.keys(dataset.columns)
  const text = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))
  const cell = (value: unknown): string =>
    value === null ? '' : /[",\n]/.test(text(value)) ? `"${text(value).replaceAll('"', '""')}"` : text(value)
  const csv = [names.join(','), ...rows.map(row => names.map(name => cell(row[name])).join(',')), ''].join('\r\n')
  const ndjson = rows.map(row => `${JSON.stringify(row)}\n`).join('')
  const packed = {
    'csv.gz': gzipSync(csv),
    'csv.zst': zstdCompressSync(csv),
    'jsonl.gz': gzipSync(ndjson),
    'ndjson.zst': zstdCompressSync(ndjson),
  }
  const forms = { csv, ndjson, ...packed, json: JSON.stringify(rows, null, 2) }
  if (format !== 'parquet') writeFileSync(file, forms[format])
  else {
    const json = write('rows.json', forms.json)
    const dates = names.filter(name => dataset.columns[name]!.type === 'date').map(name => `"${name}"::DATE AS "${name}"`)
    await on.workspace.session.run(
      `COPY (SELECT * ${dates.length > 0 ? `REPLACE (${dates.join(', ')})` : ''} FROM read_json('${json}', sample_size = -1)) TO '${file}' (FORMAT parquet, COMPRESSION zstd)`,
    )
  }
  return file
}

describe('a dataset has byte-identical answers whichever file format its rows came in:', () => {
  it.each(['securities-firm-master', 'broker-branch-reference', 'bond-yield-curve', 'company-earnings'])('%s', async slug => {
    const answers: string[] = []
    for (const format of FORMATS) {
      const fresh = await service({ examples: false })
      const dataset = fresh.dataset(slug)
      const file = await partitionFile(fresh, dataset, dataset.example, format)
      expect(await publishFiles(fresh.workspace, dataset, [file], { accept: [], synthetic: false })).toMatchObject({ status: 'published' })
      await fresh.releases.refresh()
      const symbol = { 'bond-yield-curve': '?symbol=TWGB', 'company-earnings': '?symbol=2330' }[slug] ?? ''
      const { body } = await fresh.get(`${pathOf(dataset)}${symbol}`, fresh.keyOn('max'))
      answers.push(body.replaceAll(/req_\w+/g, 'req'))
      await fresh.close()
    }
    expect(JSON.parse(answers[0]!).data ?? JSON.parse(answers[0]!).envelope.data).toEqual(s.dataset(slug).example)
    expect(new Set(answers).size).toBe(1)
  })
})

describe('text in a file', () => {
  const names = Object.keys(quote('1101', '2026-06-30', 1))
  const csv = (...rows: readonly Row[]): string =>
    [names.join(','), ...rows.map(row => names.map(name => row[name]).join(',')), ''].join('\n')
  const quotes = () =>
    storedRows(s.workspace.session, s.workspace.releases, QUOTES, 'ticker, name', "WHERE trade_date = '2026-06-30' ORDER BY ticker")

  it.each(['csv', 'ndjson'])('keeps every zero and letter of codes, tax numbers and names (%s)', async format => {
    const firms = s.dataset('securities-firm-master')
    const rows = firms.example.map((row, index) => ({ ...row, tax_id: ['03027502', '00000002'][index] }))
    await publishFiles(s.workspace, firms, [await partitionFile(s, firms, rows, format as 'csv')], { accept: [], synthetic: false })
    await s.releases.refresh()
    const { data } = (await s.get(pathOf(firms), s.keyOn('free'))).json()
    expect(data.map((row: Row) => row['tax_id'])).toEqual(['03027502', '00000002'])
    const tickers = ['0050', '006208', '00632R', '2330']
    const rowsOf = tickers.map(ticker => quote(ticker, '2026-06-30', 1, { name: '1.50' }))
    const file = write(`tickers.${format}`, format === 'csv' ? csv(...rowsOf) : rowsOf.map(row => JSON.stringify(row)).join('\n'))
    await publishFiles(s.workspace, s.dataset(QUOTES), [file], { accept: [], synthetic: false })
    expect(await quotes()).toEqual(tickers.map(ticker => ({ ticker, name: '1.50' })))
  })

  it('of a CSV is taken literally: apostrophes, semicolons and number signs separate and hide nothing', async () => {
    const texts = ["'open", 'a;b;c;d', "close'", '#4', 'NULL']
    const file = write('marks.csv', csv(...texts.map((name, index) => quote(`${1101 + index}`, '2026-06-30', 1, { name }))))
    await publishFiles(s.workspace, s.dataset(QUOTES), [file], { accept: ['row_count_drift'], synthetic: false })
    expect((await quotes()).map(row => row['name'])).toEqual(texts)
  })
})

describe('a file’s own name and place', () => {
  it('mean nothing: stars, brackets and folders named a=b are taken literally', async () => {
    const folder = join(s.dir, 'market=TPEX', 'date=2020-01-01')
    mkdirSync(folder, { recursive: true })
    const file = join(folder, "it's [final] *台?.csv")
    writeFileSync(file, 'market,date,is_open\nTWSE,2026-06-22,false\n')
    writeFileSync(join(folder, "it's f x台y.csv"), 'market,date,is_open\nTWSE,2026-06-23,false\n')
    expect(await publishFiles(s.workspace, s.dataset('trading-calendar'), [file], { accept: [], synthetic: false })).toMatchObject({
      changes: { rows_added: 1, date_from: '2026-06-22', date_to: '2026-06-22' },
    })
    expect(stored(s.workspace.releases, 'trading-calendar').manifest.sources[0]!.name).toBe("it's [final] *台?.csv")
  })
})

describe('a number where a code belongs has lost its zeros, and its file is refused', () => {
  const row = { ...quote('0050', '2026-06-30', 1), ticker: 50 }
  it.each(['ndjson', 'json', 'parquet'] as const)('in %s', async format => {
    const { faults } = await refusalOf(s, QUOTES, [await partitionFile(s, s.dataset(QUOTES), [row], format)])
    expect(faults).toMatchObject([{ rule: 'type', message: expect.stringContaining('ticker must be text') }])
  })

  it.each([
    ['a list', "['0050']"],
    ['a record', "{'code': 50}"],
  ])('and so is %s where text belongs', async (_, value) => {
    const file = join(s.dir, 'nested.parquet')
    const rows = `read_parquet('${await partitionFile(s, s.dataset(QUOTES), [quote('0050', '2026-06-30', 1)], 'parquet')}')`
    await s.workspace.session.run(`COPY (SELECT * REPLACE (${value} AS name) FROM ${rows}) TO '${file}' (FORMAT parquet)`)
    const { faults } = await refusalOf(s, QUOTES, [file])
    expect(faults[0]).toMatchObject({ rule: 'type', column: 'name', message: expect.stringContaining('not text') })
  })

  it('but a text column without any value may be of any type', async () => {
    const firms = s.dataset('securities-firm-master')
    const file = join(s.dir, 'nulls.parquet')
    const rows = `read_parquet('${await partitionFile(s, firms, firms.example, 'parquet')}')`
    await s.workspace.session.run(`COPY (SELECT * REPLACE (NULL::INTEGER AS business_status) FROM ${rows}) TO '${file}' (FORMAT parquet)`)
    expect(await publishFiles(s.workspace, firms, [file], { accept: [], synthetic: false })).not.toMatchObject({ status: 'refused' })
  })
})

describe('a file is refused and quarantined', () => {
  const head = 'market,date,is_open,reason'
  const lines = Array.from({ length: 20_000 }, (_, index) => `TWSE,2026-06-19,false,${Math.sin(index)}\n`).join('')
  const cases: readonly (readonly [rule: string, name: string, what: string, content: string | Uint8Array])[] = [
    ['unreadable', 'half.csv', 'that breaks off within a row', `${head}\nTWSE,2026-06-19,false,x\nTWSE,2026-`],
    ['unreadable', 'quote.csv', 'with a quote never closed', `${head}\nTWSE,2026-06-19,false,"x\n`],
    [
      'unreadable',
      'big5.csv',
      'of Big5 text',
      Buffer.concat([Buffer.from(`${head}\nTWSE,2026-06-19,false,`), Buffer.from([0xba, 0xdd, 0xa4, 0xc8])]),
    ],
    ['unreadable', 'half.json', 'of JSON that breaks off', '[{"market":"TWSE","date":"2026-06-19"'],
    ['unreadable', 'object.json', 'of JSON that is no list', '{"market":"TWSE"}'],
    ['unreadable', 'half.ndjson', 'whose last line breaks off', '{"market":"TWSE"}\n{"market":'],
    ['unreadable', 'text.parquet', 'that is no Parquet', 'PAR1 and nothing else PAR1'],
    ['unreadable', 'half.csv.gz', 'whose compression breaks off', gzipSync(`${head}\n`.repeat(5_000)).subarray(0, 60)],
    // The engine's own reader takes what there is for all there is.
    [
      'unreadable',
      'half.csv.zst',
      'that is packed and breaks off after a line',
      zstdCompressSync(`${head}\n${lines}`).subarray(0, -20_000),
    ],
    ['no_rows', 'head.csv', 'with a heading alone', `${head}\n`],
    ['no_rows', 'empty.ndjson', 'without a line', ''],
    ['no_rows', 'empty.json', 'with an empty list', '[]'],
    ['unknown_column', 'page.csv', 'that is a web page', '<html><body>因為安全性考量，您所執行的頁面無法呈現</body></html>'],
    ['unknown_column', 'other.csv', 'with another heading', 'market,day,is_open\nTWSE,2026-06-19,false\n'],
    ['unknown_format', 'calendar.xlsx', 'whose ending says nothing', 'PK'],
  ]
  it.each(cases)('D5 as %s: %s %s', async (rule, name, _, content) => {
    const { faults } = await refusalOf(s, 'trading-calendar', [write(name, content)])
    expect(faults[0]!.rule).toBe(rule)
    expect(faults[0]!.message).not.toContain(s.dir)
  })

  it('with the words of the engine, which are English, as a quotation in the Chinese sentence', async () => {
    const { faults } = await refusalOf(s, 'trading-calendar', [write('quoted.parquet', 'PAR1 and nothing else PAR1')])
    const [, said] = /could not be read as \S+: (.+)$/s.exec(faults[0]!.message)!
    expect(faults[0]!.message_zh).toMatch(/讀取 quoted\.parquet：「.+」$/s)
    expect(faults[0]!.message_zh).toContain(`「${said}」`)
  })

  it('as brotli when a Parquet file is compressed with it', async () => {
    const file = join(s.dir, 'brotli.parquet')
    await s.workspace.session.run(
      `COPY (SELECT 'TWSE' AS market, DATE '2026-06-19' AS date, false AS is_open) TO '${file}' (FORMAT parquet, COMPRESSION brotli)`,
    )
    const { faults } = await refusalOf(s, 'trading-calendar', [file])
    expect(faults).toMatchObject([{ rule: 'brotli', message: expect.stringContaining('zstd') }])
  })

  it('as type when Parquet carries a day no text can', async () => {
    const file = join(s.dir, 'far.parquet')
    await s.workspace.session.run(
      `COPY (SELECT * REPLACE ('infinity'::DATE AS change_date) FROM read_parquet('${await partitionFile(s, s.dataset('securities-firm-master'), s.dataset('securities-firm-master').example, 'parquet')}')) TO '${file}' (FORMAT parquet)`,
    )
    const { faults } = await refusalOf(s, 'securities-firm-master', [file])
    expect(faults).toMatchObject([{ rule: 'type', column: 'change_date', samples: [{ change_date: 'infinity' }] }])
  })
})
