import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { publishCalendar } from '../../../ingest/calendar/index.ts'
import { ingest } from '../../fixtures/ingest/bodies.ts'
import { service, type TestService } from '../../support.ts'
import { real, realFilesThere } from './files.ts'

const LISTS = ['twse', 'tpex'].map(market => real('equities', `${market}_equities.csv.gz`))
const QUOTES = real('twse', 'twse-stocks-historical.json')

/** Other names of industries in lists, with the official name. */
const OFFICIAL: Readonly<Record<string, string>> = {
  金融業: '金融保險業',
  農業科技: '農業科技業',
  建材營造: '建材營造業',
  貿易百貨: '貿易百貨業',
  其他: '其他業',
}

describe.skipIf(!realFilesThere)('real reference data', () => {
  let s: TestService
  beforeAll(async () => {
    s = await service({ examples: false, now: () => new Date('2026-03-27T12:00:00Z') })
    await ingest(s, 'isin', LISTS, { requestedDay: '2026-03-26' })
    await ingest(s, 'twse-quotes', [QUOTES])
  }, 120_000)
  afterAll(() => s.close())

  const page = async (path: string) => (await s.get(path, s.keyOn('max'))).json().envelope.data as Record<string, unknown>[]

  it.each([
    ['TWSE', LISTS[0]!, 35_241],
    ['TPEX', LISTS[1]!, 11_484],
  ] as const)('the API serves every cell of the real list of %s', async (market, path, count) => {
    const listed = parse(gunzipSync(readFileSync(path)), { columns: true, bom: true }) as Record<string, string>[]
    const printed = listed.map(({ type, code, name, ISIN, start, group, CFI }) => ({
      ticker: code,
      market,
      name: name!.normalize('NFKC').trim(),
      security_type: type!.normalize('NFKC'),
      isin: ISIN,
      industry: OFFICIAL[group!] ?? (group || null),
      listed_on: start!.replaceAll('/', '-'),
      cfi: CFI || null,
      as_of_date: '2026-03-26',
      source_name: 'twse_isin_list',
      delisted_on: null,
      status: 'listed',
    }))
    const served: Record<string, unknown>[] = []
    for (let offset = 0; offset < count; offset += 20_000)
      served.push(...(await page(`/v2/datasets/securities?market=${market}&limit=20000&offset=${offset}`)))
    expect(printed).toHaveLength(count)
    expect(served).toEqual(printed.toSorted((a, b) => (a.ticker! < b.ticker! ? -1 : 1)))
  })

  it('real securities are filtered by ticker in any case, by ISIN and by listing day', async () => {
    expect((await page('/v2/datasets/securities?symbol=00632r,2330')).map(row => row['isin'])).toEqual(['TW00000632R5', 'TW0002330008'])
    expect(await page('/v2/datasets/securities?isin=TW0002330008')).toMatchObject([{ ticker: '2330', listed_on: '1994-09-05' }])
    const young = await page('/v2/datasets/securities?security_type=股票&listed_from=2026-01-01')
    expect(young.length).toBeGreaterThan(0)
    expect(young.filter(row => String(row['listed_on']) < '2026-01-01')).toEqual([])
  })

  it('every closed weekday of the public XTAI calendar is served as closed with a reason', async () => {
    await publishCalendar(s.workspace)
    await s.releases.refresh()
    const range = 'market=TWSE&is_open=false&start_date=2007-01-01&end_date=2027-12-31&limit=100000'
    const { data } = (await s.get(`/v2/datasets/trading-calendar?${range}`, s.keyOn('max'))).json() as { data: Record<string, unknown>[] }
    const reasons = new Map(data.map(row => [row['date'], row['reason']]))
    const [, ...closed] = readFileSync(real('calendar', 'xtai_closed_weekdays_2007-2027.csv'), 'utf8').trim().split('\n')
    expect(closed).toHaveLength(339)
    expect(closed.filter(day => !reasons.get(day.trim()))).toEqual([])
  })

  it('the API serves every index with a code as the real daily report prints it', async () => {
    const tables = (JSON.parse(readFileSync(QUOTES, 'utf8')) as { tables: { fields?: string[]; data?: string[][] }[] }).tables
    const printed = new Map(
      tables.flatMap(({ fields, data }) => (fields?.[1] === '收盤指數' ? (data ?? []).map(row => [row[0], row] as const) : [])),
    )
    const rows = await page('/v2/datasets/market-indices/cross-section?date=2023-01-30&limit=1000')
    const signs = (cell: string): number => (cell.includes('>-<') ? -1 : 1)
    expect(rows.map(row => [row['value'], row['change'], row['change_pct']])).toEqual(
      rows.map(({ name }) => {
        const [, value, sign, points, percent] = printed.get(String(name))!
        const figure = (cell: string): number => Number(cell.replaceAll(',', ''))
        return [figure(value!), signs(sign!) * figure(points!), signs(sign!) * Math.abs(figure(percent!))]
      }),
    )
    expect([rows.filter(({ kind }) => kind === 'price').length, rows.filter(({ kind }) => kind === 'total_return').length]).toEqual([
      43, 32,
    ])
    expect(rows.find(({ index_code }) => index_code === 'IR0001')).toMatchObject({ name: '發行量加權股價報酬指數', value: 32_208.37 })
  })
})
