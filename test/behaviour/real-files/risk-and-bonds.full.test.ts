import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ingest, outcomes } from '../../fixtures/ingest/bodies.ts'
import { service, type TestService } from '../../support.ts'
import { real, realFilesThere } from './files.ts'

const WARNINGS = real('risk', 'stock_warnings_2026-04_2026-05.csv')
const BONDS = real('bond', 'twgovbondlist_daily_2021_2024.csv.gz')
const TRADES = real('bond', 'ebts_outright.json')

describe.skipIf(!realFilesThere)('real warnings and bonds', () => {
  let s: TestService
  beforeAll(async () => {
    s = await service({ examples: false, now: () => new Date('2026-08-20T12:00:00Z') })
  })
  afterAll(() => s.close())

  it('the API serves every real warning with its day and reason', async () => {
    expect(outcomes(await ingest(s, 'risk-archive', [WARNINGS])).map(([, , outcome]) => outcome)).toEqual(['published'])
    const [heading, ...lines] = readFileSync(WARNINGS, 'utf8')
      .replace(/^\ufeff/, '')
      .trim()
      .split(/\r?\n/)
    expect(heading).toContain('stock_id,warning_type,announced_date')
    expect(lines).toHaveLength(215)
    for (const row of lines) {
      const [symbol = '', , day] = row.split(',')
      const rows: readonly Record<string, unknown>[] = (
        await s.get(`/v2/datasets/company-risk-events?symbol=${symbol}&limit=100`, s.keyOn('max'))
      ).json().envelope.data
      const found = rows.filter(({ event_date }) => event_date === day)
      expect([symbol, found.length > 0 && found.some(({ description }) => row.includes(String(description)))]).toEqual([symbol, true])
    }
  })

  it('the yield curve covers 814 real days with yields of the listed bonds', async () => {
    await ingest(s, 'government-bonds', [BONDS])
    const printed = new Map(
      gunzipSync(readFileSync(BONDS))
        .toString('utf8')
        .trim()
        .split(/\r?\n/)
        .slice(1)
        .map(row => {
          const [day = '', bond = '', ...cells] = row.split(',')
          return [`${day} ${bond}`, Number(cells.at(-1))]
        }),
    )
    expect(printed.size).toBe(106_150)
    const key = s.keyOn('max')
    const read = async (offset: number) =>
      (await s.get(`/v2/datasets/bond-yield-curve?symbol=TWGB&limit=1000&offset=${offset}`, key)).json().data as {
        trade_date: string
        yield_rate: number
        lineage: { bond_code: string }
      }[]
    const rows = (await Promise.all([0, 1, 2, 3, 4].map(page => read(page * 1_000)))).flat()
    expect(rows).toHaveLength(814 * 5)
    for (const { trade_date, yield_rate, lineage } of rows) expect(yield_rate).toBe(printed.get(`${trade_date} ${lineage.bond_code}`))
  })

  it('ingest publishes the yield curve of the real bond trades of 2026', async () => {
    const { publications } = await ingest(s, 'government-bonds', [TRADES])
    expect(publications).toMatchObject([{ dataset: 'bond-yield-curve', outcome: { status: 'published', faults: [] } }])
  })
})
