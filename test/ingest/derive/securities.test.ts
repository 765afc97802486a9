import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { service, type TestService } from '../../support.ts'
import { changesOf } from './adjusted.ts'

let s: TestService
beforeAll(async () => {
  s = await service({ examples: false })
  await publish('delistings', [
    delisting('2888', 'TWSE', '2025-07-24', '新光金'),
    delisting('1701', 'TWSE', '2012-05-02', '中化'),
    delisting('6488', 'TPEX', '2026-05-04', '環球晶'),
    delisting('2311', 'TWSE', '2005-01-03', '日月光舊'),
    delisting('2311', 'TWSE', '2018-04-30', '日月光'),
  ])
})
afterAll(() => s.close())

const publish = (slug: string, rows: readonly Row[]) =>
  s.publish(slug, rows, { accept: ['row_count_drift', 'row_count', 'same_body', 'closed_day'] })
const delisting = (ticker: string, market: string, delisting_date: string, company_name: string): Row => ({
  ticker,
  market,
  delisting_date,
  company_name,
  reason: null,
})
const listing = (ticker: string, name: string, market = 'TWSE', as_of_date = '2026-06-30'): Row => ({
  ...(s.dataset('listed-securities').example[0] as Row),
  ticker,
  name,
  market,
  as_of_date,
})

/** Served securities as ticker, market, name, status and last day. */
async function securities(query = ''): Promise<readonly (readonly unknown[])[]> {
  const { envelope } = (await s.get(`/v2/datasets/securities?${query}`, s.keyOn('free'))).json()
  return envelope.data.map((row: Row) => ['ticker', 'market', 'name', 'status', 'delisted_on'].map(name => row[name]))
}

/** The first hit of a search. */
const found = async (text: string): Promise<Record<string, unknown>> =>
  (await s.get(`/v2/search?q=${encodeURIComponent(text)}`, s.keyOn('free'))).json().data[0]

const TSMC = ['2330', 'TWSE', '台積電', 'listed', null]
const SHIN_KONG = ['2888', 'TWSE', '新光金', 'delisted', '2025-07-24']

it('if a release of securities was published before delistings were added, its rows have the status "listed"', async () => {
  expect((await s.get('/v2/datasets/securities', s.keyOn('free'))).statusCode).toBe(503)
  const { example, columns } = s.dataset('securities')
  const stored = Object.fromEntries(Object.entries(example[0]!).filter(([name]) => columns[name]!.virtual === undefined))
  await publish('securities', [stored])
  expect(await securities()).toEqual([TSMC])
})

it('the dataset securities has delisted companies with their last day once the ISIN list is published', async () => {
  const published = await publish('listed-securities', [listing('2330', '台積電'), listing('1701', '中化'), listing('6488', '環球晶')])
  expect(changesOf(published)).toMatchObject({ securities: { rows_added: 4 } })
  expect(await securities()).toEqual([
    ['1701', 'TWSE', '中化', 'listed', null],
    ['2311', 'TWSE', '日月光', 'delisted', '2018-04-30'],
    TSMC,
    SHIN_KONG,
    ['6488', 'TWSE', '環球晶', 'listed', null],
  ])
})

it('securities are filtered by status and by day of delisting', async () => {
  expect((await securities('status=listed')).map(([ticker]) => ticker)).toEqual(['1701', '2330', '6488'])
  expect(await securities('delisted_from=2020-01-01&delisted_to=2025-12-31')).toEqual([SHIN_KONG])
  expect(await securities('security_type=股票&symbol=2330,2888')).toEqual([TSMC])
})

it('search finds a delisted company with its last day, and a listed company without a last day', async () => {
  expect(await found('新光金')).toMatchObject({
    id: '2888',
    title: '新光金',
    delisted_on: '2025-07-24',
    datasets: ['delistings', 'events', 'securities'],
  })
  expect(await found('2330')).toMatchObject({ id: '2330', delisted_on: null })
})

it('a company that leaves the list is delisted, and only its row changes', async () => {
  expect(await securities('symbol=1701')).toEqual([['1701', 'TWSE', '中化', 'listed', null]])
  const left = await publish('listed-securities', [listing('2330', '台積電'), listing('6488', '環球晶')])
  expect(changesOf(left)).toMatchObject({ securities: { rows_added: 0, rows_changed: 1, rows_removed: 0 } })
  expect(await securities('symbol=1701')).toEqual([['1701', 'TWSE', '中化', 'delisted', '2012-05-02']])
})
