import { afterAll, beforeAll, expect, it } from 'vitest'
import { FOUND_TYPES, PLAN_IDS, type PlanId } from '../../catalog/index.ts'
import { service, type TestService } from '../support.ts'

let s: TestService
let keys: Readonly<Record<PlanId, string>>
beforeAll(async () => {
  s = await service({ inMemory: false })
  keys = Object.fromEntries(PLAN_IDS.map(plan => [plan, s.keyOn(plan)])) as Record<PlanId, string>
})
afterAll(() => s.close())

interface Hit {
  readonly type: string
  readonly id: string
  readonly title: string
  readonly subtitle: string | null
  readonly url: string
}
const search = async (q: string, more = '', plan: PlanId = 'max'): Promise<readonly Hit[]> =>
  (await s.get(`/v2/search?q=${encodeURIComponent(q)}${more}`, keys[plan])).json().data

const QUERIES = ['2330', '2881', '10Y', 'IX0001', 'IX0027', '指數', '半導體', 'sector', '9800', '585', '台', 'yield', 'buy']
const found = async (plan: PlanId): Promise<readonly Hit[]> => (await Promise.all(QUERIES.map(q => search(q, '&limit=60', plan)))).flat()

it.each(PLAN_IDS)('every search hit on plan %s has a URL that answers 200', async plan => {
  const hits = await found(plan)
  expect(new Set(hits.map(({ type }) => type))).toEqual(new Set(FOUND_TYPES))
  for (const url of new Set(hits.map(({ url }) => url))) expect([url, (await s.get(url, keys[plan])).statusCode]).toEqual([url, 200])
})

it('the hit of an index links to its closes', async () => {
  const [{ url }] = (await search('IX0027', '&type=index')) as [Hit]
  expect(url).toBe('/v2/datasets/market-indices?index_code=IX0027')
  expect((await s.get(url, s.keyOn('free'))).json().envelope.data[0].value).toBe(1_584)
})

it('a search finds companies and themes by their English names', async () => {
  expect(await search('TSMC')).toMatchObject([{ type: 'symbol', id: '2330', title: '台積電', market: 'TWSE' }])
  expect(await search('tsm', '&type=symbol')).toMatchObject([{ id: '2330' }])
  expect(await search('Semiconductor', '&type=theme')).toMatchObject([{ id: 'industry_24', title: '半導體業' }])
  expect((await search('semicon'))[0]).toMatchObject({ type: 'theme', id: 'industry_24' })
})

it('a search hit has a name in both languages', async () => {
  expect(await search('2330', '&type=symbol')).toMatchObject([{ title_en: 'TSMC', title_zh: '台積電' }])
  expect(await search('industry_24', '&type=theme')).toMatchObject([{ title_en: 'Semiconductor', title_zh: '半導體業' }])
  expect((await search('daily_prices', '&type=dataset'))[0]).toMatchObject({ title_en: 'Daily prices', title_zh: '個股日成交資訊' })
  expect(await search('2881', '&type=symbol')).toMatchObject([{ title_en: null, title_zh: '富邦金' }])
})

it('no search hit mixes languages in its subtitle', async () => {
  const mixed = (await found('max')).filter(({ subtitle }) => /\p{Script=Han}/u.test(subtitle ?? '') && /[a-z]{2}/.test(subtitle ?? ''))
  expect(mixed.map(({ id, subtitle }) => [id, subtitle])).toEqual([])
  expect(await search('industry_24', '&type=theme')).toMatchObject([{ id: 'industry_24', title: '半導體業', subtitle: '產業' }])
  expect((await search('broad_market', '&type=index')).map(({ id }) => id)).toContain('IX0001')
})
