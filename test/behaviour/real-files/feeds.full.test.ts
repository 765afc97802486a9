import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { loadCatalog } from '../../../catalog/index.ts'
import { loadFeeds } from '../../../ingest/feeds/index.ts'
import type { Body, Parsed } from '../../../ingest/formats/index.ts'
import { Refusal } from '../../../src/core/index.ts'
import { refusalOf, rowsOf } from '../../fixtures/feeds/bodies.ts'
import { COUNTS, SHARED } from './counts.ts'
import { emptyBodies, real, realFilesThere, TOO_MANY_QUERIES } from './files.ts'

const feeds = await loadFeeds()
const catalog = await loadCatalog()

function file(name: string): Body {
  const bytes = readFileSync(real(name))
  return { name, bytes: name.endsWith('.gz') ? gunzipSync(bytes) : bytes }
}
const feed = (name: string) => feeds.get(name)!
const parse = (name: string, path: string, requestedDay?: string): Parsed => feed(name).parse(file(path), requestedDay)

describe.skipIf(!realFilesThere)('real files', () => {
  it('every feed reads every row of its real files, with known columns, no missing value and one row per key', () => {
    for (const [name, path, requestedDay, counts] of COUNTS) checkRows(name, path, parse(name, path, requestedDay), counts)
  })

  /** Checks the rows of a file against the expected counts and the columns of their datasets. */
  function checkRows(name: string, path: string, parsed: Parsed, counts: Readonly<Record<string, number>>): void {
    const lists = Object.entries(parsed.kind === 'rows' ? parsed.rows : {})
    expect.soft(Object.fromEntries(lists.map(([slug, { length }]) => [slug, length])), `${name}, ${path}: rows`).toEqual(counts)
    for (const [slug] of lists) {
      const cell = `${name}, ${path}, ${slug}`
      expect.soft(feed(name).datasets, `${cell}: datasets of the feed`).toContain(slug)
      const columns = catalog.get(slug)?.columns ?? {}
      const due = Object.keys(columns).filter(
        column => columns[column]?.derived === undefined && columns[column]?.virtual === undefined && columns[column]?.nullable !== true,
      )
      const rows = rowsOf(parsed, slug)
      const unknown = rows.flatMap(row => Object.keys(row).filter(column => columns[column] === undefined))
      expect.soft([...new Set(unknown)], `${cell}: unknown columns`).toEqual([])
      const incomplete = rows.filter(row => due.some(column => row[column] === null || row[column] === undefined))
      expect.soft(incomplete.slice(0, 3), `${cell}: rows without a required value`).toEqual([])
      const grain = catalog.get(slug)?.grain ?? []
      expect.soft(new Set(rows.map(row => grain.map(column => row[column]).join('|'))).size, `${cell}: keys`).toBe(rows.length)
    }
  }

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

  it('T86 reads the printed trades of 2330 by institution on 2023-01-30', () => {
    expect(positions('twse-t86', 'twse/twse-stocks-institutional.json', '2330')).toEqual([
      ['2023-01-30', 80_641_049, 937_673, 880_408, 82_459_130],
    ])
  })

  it('T86 in the wide form reads the printed trades of 2330 by institution from 2025-11-10 to 2025-11-14', () => {
    expect(positions('twse-t86', 't86/t86_twse_only.csv', '2330')).toEqual([
      ['2025-11-10', -3_910_964, 206_220, 919_175, -2_785_569],
      ['2025-11-11', -5_735_192, 187_455, -43_070, -5_590_807],
      ['2025-11-12', -1_642_179, 335_350, 435_544, -871_285],
      ['2025-11-13', -7_932_358, -202_700, -23_623, -8_158_681],
      ['2025-11-14', -17_020_458, 480_143, 438_059, -16_102_256],
    ])
  })

  it('on every row of the real institutional trades, the institutions add up to the total', () => {
    const sum = (row: Readonly<Record<string, unknown>>) =>
      Number(row['foreign_net_buy']) + Number(row['investment_trust_net_buy']) + Number(row['dealer_net_buy'])
    for (const [name, path] of COUNTS.filter(([, , , counts]) => 'institutional-positioning' in counts)) {
      const rows = rowsOf(parse(name, path), 'institutional-positioning')
      const wrong = rows.filter(row => sum(row) !== row['institutional_net_buy_total'])
      expect.soft(wrong.slice(0, 3), `${name}, ${path}`).toEqual([])
    }
  })

  it('TWSE quotes read the printed indices of 2023-01-30', () => {
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

  it('index names of the daily report match the index list, except two', () => {
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

  it('earnings pages of 2023-Q1 give the same rows as an independent CSV', () => {
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

  it('the list of branches has two codes that differ in case only', () => {
    const rows = rowsOf(parse('broker-branches', 'broker/broker_list_about2024.csv', '2025-03-30'), 'broker-branch-reference')
    const names = (code: string) =>
      rows.filter(row => row['branch_code'] === code).map(row => `${row['parent_broker_name']}-${row['branch_name']}`)
    expect([names('585B'), names('585b')]).toEqual([['統一-永和'], ['統一-內湖']])
    const unresolved = rows.filter(row => String(row['parent_broker_code']).startsWith('name:')).map(row => row['parent_broker_code'])
    expect([...new Set(unresolved)].sort()).toEqual(['name:台銀', 'name:犇亞', 'name:聯邦'])
  })

  it('the known gaps of market-indices state how many indices of the real MI_INDEX are left out', () => {
    const parsed = parse('twse-quotes', 'twse/twse-stocks-historical.json', '2023-01-30')
    const { knownGaps } = catalog.get('market-indices')!
    expect(parsed).toMatchObject({ notes: expect.arrayContaining([expect.stringContaining('152 of 227 indices')]) })
    const gap = knownGaps['thematic_and_leveraged_indices_are_left_out']
    expect(gap).toMatchObject({ en: expect.stringContaining('75 of 227'), zh: expect.stringContaining('227 項中有 75 項') })
  })

  /**
   * By real empty body with headings: the feeds that accept it. No feed reads three of these
   * tables.
   */
  const FEEDS_OF_HEADINGS: Readonly<Record<string, readonly string[]>> = {
    'tpex-indices-historical-no-data.json': [],
    'tpex-market-institutional-no-data.json': ['tpex-market-institutional'],
    'tpex-market-margin-trades-no-data.json': ['tpex-margin', 'tpex-market-margin'],
    'tpex-market-trades-no-data.json': ['tpex-market-classes', 'twse-market-classes'],
    'tpex-stocks-capital-reductions-no-data.json': ['tpex-capital-reductions'],
    'tpex-stocks-dividends-no-data.json': ['tpex-ex-rights'],
    'tpex-stocks-historical-no-data.json': ['tpex-quotes'],
    'tpex-stocks-institutional-no-data.json': ['tpex-institutional'],
    'tpex-stocks-short-sales-no-data.json': ['tpex-lending'],
    'tpex-stocks-splits-no-data.json': ['tpex-etf-reverse-splits', 'tpex-etf-splits', 'tpex-par-changes'],
    'tpex-stocks-values-no-data.json': ['tpex-valuation'],
    'twse-stocks-short-sales-no-data.json': ['twse-lending'],
    'twse-stocks-splits-no-data.json': ['twse-par-changes'],
  }

  it('every feed reads a real empty body as empty, or refuses it if it has the headings of another table', () => {
    const bodies = emptyBodies()
    expect(bodies.length).toBeGreaterThanOrEqual(30)
    for (const { name, parse: read } of feeds.values())
      for (const path of bodies) {
        const owners = FEEDS_OF_HEADINGS[path] ?? [name]
        const kind = kindOf(() => read(file(`empty/${path}`), undefined))
        const rule = kind instanceof Refusal ? kind.facts['rule'] : kind
        expect.soft(rule, `${name}, ${path}`).toBe(owners.includes(name) ? 'empty' : 'wrong_table')
      }
  })

  it('every feed refuses the page that an exchange sends after too many queries, and advises to try again later', () => {
    for (const feedToTest of feeds.values())
      expect
        .soft(refusalOf(feedToTest, file(`empty/${TOO_MANY_QUERIES}`), '2023-03-31'), feedToTest.name)
        .toMatchObject({ rule: 'not_the_publication', message: expect.stringContaining('too many queries: retry later') })
  })

  const kindOf = (parsing: () => Parsed): unknown => {
    try {
      return parsing().kind
    } catch (error) {
      return error
    }
  }

  it('a TPEx body that was fetched too early is read as empty for its day', () => {
    expect(parse('tpex-institutional', 't86/raw/tpex_20260512.json', '2026-05-12')).toMatchObject({ kind: 'empty', date: '2026-05-12' })
  })

  it('T86 refuses a second table in the file if its rows are of a different day', () => {
    const refusal = refusalOf(feed('twse-t86'), file('t86/raw/WRONG_DATE_foreign_20251028.json'), '2025-10-28')
    expect(refusal.rules).toEqual(['wrong_day', 'wrong_table'])
    expect(refusal.message).toContain('date has 2025-12-18, title has 2025-10-28, the request has 2025-10-28')
  })

  const ruleOf = (name: string, body: Body, requestedDay?: string): unknown => {
    try {
      return refusalOf(feed(name), body, requestedDay).rule
    } catch (error) {
      return error
    }
  }

  it('every daily feed refuses a real file if another day is requested', () => {
    for (const [name, path] of COUNTS.filter(([name]) => feed(name).daily !== undefined))
      expect.soft(ruleOf(name, file(path), '2023-01-31'), `${name}, ${path}`).toBe('wrong_day')
  })

  it('every feed refuses the first half of its real files as damaged', () => {
    for (const [name, path, requestedDay] of COUNTS) {
      const { bytes } = file(path)
      const half = { name: path, bytes: bytes.subarray(0, bytes.length / 2) }
      expect.soft(ruleOf(name, half, requestedDay), `${name}, ${path}`).toBe('damaged_body')
    }
  })

  // Each of 70 feeds reads each file, which takes 35 s on an idle machine.
  it('every feed refuses the real files of other publications', { timeout: 280_000 }, () => {
    for (const [owner, path, requestedDay] of COUNTS) {
      const body = beginning(file(path))
      for (const { name, parse: read } of feeds.values())
        if (name !== owner && !SHARED.some(names => names.includes(name) && names.includes(owner)))
          expect
            .soft(
              kindOf(() => read(body, requestedDay)),
              `${name}, ${path}`,
            )
            .toBeInstanceOf(Refusal)
    }
  })

  /** The first 200 lines of a CSV file, which identify its table; other bodies completely. */
  function beginning(body: Body): Body {
    if (!/\.csv(\.gz)?$/.test(body.name)) return body
    const lines = new TextDecoder('latin1').decode(body.bytes).split('\n').slice(0, 200)
    return { name: body.name, bytes: Buffer.from(`${lines.join('\n').trimEnd()}\n`, 'latin1') }
  }
})
