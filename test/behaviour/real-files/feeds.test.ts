import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { loadCatalog } from '../../../catalog/index.ts'
import { loadFeeds } from '../../../ingest/feeds/index.ts'
import type { Body, Parsed } from '../../../ingest/formats/index.ts'
import { refusalOf, rowsOf } from '../../fixtures/feeds/bodies.ts'
import { COUNTS } from './counts.ts'
import { real, realFilesThere } from './files.ts'

const feeds = await loadFeeds()
const catalog = await loadCatalog()

function file(name: string): Body {
  const bytes = readFileSync(real(name))
  return { name, bytes: name.endsWith('.gz') ? gunzipSync(bytes) : bytes }
}
const feed = (name: string) => feeds.get(name)!
const parse = (name: string, path: string, asked?: string): Parsed => feed(name).parse(file(path), asked)

describe.skipIf(!realFilesThere)('files the exchanges sent', () => {
  it.each(COUNTS)('%s reads every row of %s', (name, path, asked, counts) => {
    const parsed = parse(name, path, asked)
    expect(parsed.kind === 'rows' && Object.fromEntries(Object.entries(parsed.rows).map(([slug, rows]) => [slug, rows.length]))).toEqual(
      counts,
    )
  })

  it.each(COUNTS)('%s gives %s in columns of its datasets, with a value wherever one is due', (name, path, asked) => {
    const parsed = parse(name, path, asked)
    for (const slug of Object.keys(parsed.kind === 'rows' ? parsed.rows : {})) {
      expect(feed(name).datasets).toContain(slug)
      const columns = catalog.get(slug)?.columns ?? {}
      const due = Object.keys(columns).filter(
        column => columns[column]?.derived === undefined && columns[column]?.virtual === undefined && columns[column]?.nullable !== true,
      )
      const rows = rowsOf(parsed, slug)
      expect(rows.flatMap(row => Object.keys(row).filter(column => columns[column] === undefined))).toEqual([])
      expect(rows.filter(row => due.some(column => row[column] === null || row[column] === undefined))).toEqual([])
      const grain = catalog.get(slug)?.grain ?? []
      expect(new Set(rows.map(row => grain.map(column => row[column]).join('|'))).size).toBe(rows.length)
    }
  })

  const positions = (name: string, path: string, ticker: string) =>
    rowsOf(parse(name, path), 'institutional-positioning')
      .filter(row => row['ticker'] === ticker)
      .map(row => [
        row['trade_date'],
        row['foreign_net_buy'],
        row['investment_trust_net_buy'],
        row['dealer_net_buy'],
        row['institutional_net_buy_total'],
      ])

  it('have 2330 on 2023-01-30 leg by leg', () => {
    expect(positions('twse-t86', 'twse/twse-stocks-institutional.json', '2330')).toEqual([
      ['2023-01-30', 80_641_049, 937_673, 880_408, 82_459_130],
    ])
  })

  it('have 2330 from 2025-11-10 to 2025-11-14 leg by leg', () => {
    expect(positions('twse-t86', 't86/t86_twse_only.csv', '2330')).toEqual([
      ['2025-11-10', -3_910_964, 206_220, 919_175, -2_785_569],
      ['2025-11-11', -5_735_192, 187_455, -43_070, -5_590_807],
      ['2025-11-12', -1_642_179, 335_350, 435_544, -871_285],
      ['2025-11-13', -7_932_358, -202_700, -23_623, -8_158_681],
      ['2025-11-14', -17_020_458, 480_143, 438_059, -16_102_256],
    ])
  })

  it.each(COUNTS.filter(([, , , counts]) => 'institutional-positioning' in counts))('%s %s adds up on every row', (name, path) => {
    const rows = rowsOf(parse(name, path), 'institutional-positioning')
    const sum = (row: Readonly<Record<string, unknown>>) =>
      Number(row['foreign_net_buy']) + Number(row['investment_trust_net_buy']) + Number(row['dealer_net_buy'])
    expect(rows.filter(row => sum(row) !== row['institutional_net_buy_total'])).toEqual([])
  })

  it('have the indices of 2023-01-30', () => {
    const values = rowsOf(parse('twse-quotes', 'twse/twse-stocks-historical.json'), 'market-indices').map(row => [
      row['index_code'],
      row['value'],
    ])
    expect(values).toEqual(
      expect.arrayContaining([
        ['IX0001', 15493.82],
        ['IX0027', 727.95],
        ['IX0039', 1577.05],
      ]),
    )
  })

  it('know the codes of the index list by the names the daily report prints', () => {
    const listed: readonly { symbol: string; name: string }[] = JSON.parse(
      readFileSync(real('index', 'fetched-twse-indices-list.json'), 'utf8'),
    )
    const printed = rowsOf(parse('twse-quotes', 'twse/twse-stocks-historical.json'), 'market-indices')
    const other = printed.filter(row => !listed.some(({ symbol, name }) => symbol === row['index_code'] && name === row['name']))
    expect(other.map(row => [row['index_code'], row['name']])).toEqual([
      ['IX0038', '觀光類指數'],
      ['IR0038', '觀光類報酬指數'],
    ])
  })

  it('have 2330 of 2023-Q1, and every company as an independent reading has it', () => {
    const pages = ['mops/mops-twse-stocks-eps.html', 'mops/mops-tpex-stocks-eps.html']
    const rows = pages.flatMap(path => rowsOf(parse('mops-eps', path, '2023-03-31'), 'income-statements'))
    expect(rows.find(row => row['ticker'] === '2330')).toMatchObject({
      revenue: 508_632_973,
      eps: 7.98,
      industry_schema: 'ci',
      name: '台積電',
    })
    const byTicker = (list: typeof rows) => [...list].sort((a, b) => String(a['ticker']).localeCompare(String(b['ticker'])))
    expect(byTicker(rows)).toEqual(byTicker([...rowsOf(parse('mops-eps', 'earnings/mops_t163sb04_2023Q1.csv'), 'income-statements')]))
  })

  it('have two branches that differ in case alone', () => {
    const rows = rowsOf(parse('broker-branches', 'broker/broker_list_about2024.csv', '2025-03-30'), 'broker-branch-reference')
    const names = (code: string) =>
      rows.filter(row => row['branch_code'] === code).map(row => `${row['parent_broker_name']}-${row['branch_name']}`)
    expect([names('585B'), names('585b')]).toEqual([['統一-永和'], ['統一-內湖']])
    const unresolved = rows.filter(row => String(row['parent_broker_code']).startsWith('name:')).map(row => row['parent_broker_code'])
    expect([...new Set(unresolved)].sort()).toEqual(['name:台銀', 'name:犇亞', 'name:聯邦'])
  })

  const empties = realFilesThere ? readdirSync(real('empty')) : []

  it('hold the 29 kinds of empty answers, or more', () => expect(empties.length).toBeGreaterThanOrEqual(29))

  it.each(empties.flatMap(path => [...feeds.keys()].map(name => [path, name] as const)))('%s is empty to %s', (path, name) => {
    expect(parse(name, `empty/${path}`).kind).toBe('empty')
  })

  it('asked for too early are empty on the day they name', () => {
    expect(parse('tpex-institutional', 't86/raw/tpex_20260512.json', '2026-05-12')).toMatchObject({ kind: 'empty', date: '2026-05-12' })
  })

  it("are refused when they hold another day's rows under another table's name", () => {
    const refusal = refusalOf(feed('twse-t86'), file('t86/raw/WRONG_DATE_foreign_20251028.json'), '2025-10-28')
    expect(refusal.rules).toEqual(['wrong_day', 'wrong_table'])
    expect(refusal.message).toContain('date says 2025-12-18, title says 2025-10-28, asked for 2025-10-28')
  })

  it.each(COUNTS.filter(([name]) => feed(name).daily !== undefined))('%s refuses %s for another day', (name, path) => {
    expect(refusalOf(feed(name), file(path), '2023-01-31').rule).toBe('wrong_day')
  })

  it.each(COUNTS)('%s refuses the first half of %s', (name, path, asked) => {
    const { bytes } = file(path)
    expect(refusalOf(feed(name), { name: path, bytes: bytes.subarray(0, bytes.length / 2) }, asked).rule).toBe('damaged_body')
  })

  it('are refused by the feeds of other tables', () => {
    const taken = COUNTS.flatMap(([owner, path, asked]) =>
      [...feeds.values()]
        .filter(({ name }) => name !== owner)
        .flatMap(other => {
          try {
            other.parse(file(path), asked)
            return [`${other.name} took ${path}`]
          } catch {
            return []
          }
        }),
    )
    expect(taken).toEqual([])
  })
})
