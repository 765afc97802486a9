import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ingest } from '../../fixtures/ingest/bodies.ts'
import { service, type TestService } from '../../support.ts'
import { counts } from '../reconciliation/badges.ts'
import { real, realFilesThere } from './files.ts'

const FILE = real('tdcc', 'TDCC_OD_1-5.csv.gz')

describe.skipIf(!realFilesThere)('real shareholder distribution', () => {
  let s: TestService
  beforeAll(async () => {
    s = await service({ examples: false, now: () => new Date('2024-10-27T12:00:00Z') })
    await ingest(s, 'tdcc-distribution', [FILE])
  })
  afterAll(() => s.close())

  it('the API serves every cell of the real shareholder distribution', async () => {
    const read = async (symbols: readonly string[]) =>
      (await s.get(`/v2/datasets/shareholder-distribution?symbol=${symbols.join(',')}&limit=850`, s.keyOn('max'))).json().envelope.data
    const lines = gunzipSync(readFileSync(FILE)).toString('utf8').trim().split('\r\n').slice(1)
    const printed = lines.map(row => {
      const [day = '', code = '', ...figures] = row.split(',')
      return [code.trim(), `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`, ...figures.map(Number)]
    })
    const codes = [...new Set(printed.map(([code]) => String(code)))]
    const served: unknown[] = []
    for (let first = 0; first < codes.length; first += 50) {
      const rows: readonly Record<string, unknown>[] = await read(codes.slice(first, first + 50))
      served.push(...rows.map(row => ['ticker', 'week_date', 'level', 'holders', 'shares', 'percent'].map(name => row[name])))
    }
    expect(printed).toHaveLength(60_792)
    expect(served).toEqual(printed)
  })

  it('the real shareholder distribution agrees with printed totals and truncated percentages', async () => {
    expect(await counts(s, 'shareholder-distribution', 'levels_add_up')).toEqual([60_792, 60_792, 60_792])
    expect(await counts(s, 'shareholder-distribution', 'percent_of_total')).toEqual([60_792, 60_792, 60_792])
  })

  it('the API names every bracket of 00632R, including the difference and the total', async () => {
    const { data } = (await s.get('/v2/datasets/shareholder-distribution?symbol=00632r&level=15,16,17', s.keyOn('pro'))).json().envelope
    const bracket = (row: Record<string, unknown>) => [row['bracket'], row['shares_from'], row['shares_to'], row['shares']]
    expect(data.map(bracket).map((cells: unknown[]) => cells.slice(0, 3))).toEqual([
      ['over-1000000', 1_000_001, null],
      ['difference', null, null],
      ['total', null, null],
    ])
    expect(data.map(bracket).slice(1)).toEqual([
      ['difference', null, null, 50_000],
      ['total', null, null, 8_572_649_000],
    ])
  })
})
