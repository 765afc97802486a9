import { rmSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { Row } from '../../catalog/index.ts'
import { MarketIndices } from '../../src/http/routes/catalog/schemas.ts'
import { releasePaths } from '../../src/releases/index.ts'
import { stored } from '../fixtures/publish/store.ts'
import { scrubbed } from '../fixtures/releases/scrubbed.ts'
import { SECRETS, service, type TestService } from '../support.ts'

let s: TestService
beforeAll(async () => {
  s = await service({ examples: false, inMemory: false })
})
afterAll(() => s.close())
afterEach(async () => {
  rmSync(releasePaths(s.workspace.releases, 'market-indices').home, { recursive: true, force: true })
  await s.releases.refresh()
})

const ask = (token: string = SECRETS.SERVICE_TOKEN, query = '') =>
  s.get(`/v2/homepage/market-indices${query}`, undefined, { authorization: `Bearer ${token}` })
async function shown() {
  const response = await ask()
  expect(response.statusCode, response.body).toBe(200)
  expect(MarketIndices.parse(response.json())).toEqual(response.json())
  return response.json()
}
const close = (index_code: string, name: string, trade_date: string, value: number, rest: Row = {}): Row => ({
  index_code,
  name,
  trade_date,
  value,
  change: null,
  change_pct: null,
  ...rest,
})

it('market indices omit an index without data, and are empty before the first publication', async () => {
  expect(await shown()).toEqual({ as_of: null, data: [], data_count: 0, warnings: [] })
  await s.publish('market-indices', [close('IX0001', '發行量加權股價指數', '2026-06-30', 30_300)])
  expect((await shown()).data.map((row: { index_code: string }) => row.index_code)).toEqual(['IX0001'])
})

it('market indices list the newest closes of exactly three indices, in a fixed order', async () => {
  await s.publish('market-indices', [
    close('IX0039', '金融保險類指數', '2026-06-30', 2_100.5, { change: -10.25, change_pct: -0.49 }),
    close('IX0028', '半導體類指數', '2026-06-30', 900),
    close('IX0027', '電子工業類指數', '2026-06-29', 1_500),
    close('IX0027', '電子工業類指數', '2026-06-30', 1_501),
    close('IX0001', '發行量加權股價指數', '2026-06-30', 30_300, { change: 300, change_pct: 1 }),
    close('IX0001', '發行量加權股價指數', '2026-06-26', 29_000),
  ])
  const source = 'twse_mi_index'
  const day = '2026-06-30'
  expect(await shown()).toEqual({
    as_of: day,
    data: [
      {
        index_code: 'IX0001',
        name: 'TAIEX',
        name_zh: '發行量加權股價指數',
        value: 30_300,
        change: 300,
        change_pct: 1,
        trade_date: day,
        source,
      },
      {
        index_code: 'IX0027',
        name: 'Electronics',
        name_zh: '電子工業類指數',
        value: 1_501,
        change: null,
        change_pct: null,
        trade_date: day,
        source,
      },
      {
        index_code: 'IX0039',
        name: 'Finance and Insurance',
        name_zh: '金融保險類指數',
        value: 2_100.5,
        change: -10.25,
        change_pct: -0.49,
        trade_date: day,
        source,
      },
    ],
    data_count: 3,
    warnings: ['not_investment_advice'],
  })
})

it('market indices find the electronics index under each of its names', async () => {
  await s.publish('market-indices', [close('t00', '加權', '2026-06-30', 15_493.82)])
  for (const [index, name] of ['電子類指數', '電子工業類指數', '電子工業類', '電子'].entries()) {
    await s.publish('market-indices', [close('X27', name, '2026-06-30', 727.95 + index)])
    const { data } = await shown()
    expect
      .soft(
        data.map(({ index_code, value }: Row) => [index_code, value]),
        name,
      )
      .toEqual([
        ['IX0001', 15_493.82],
        ['IX0027', 727.95 + index],
      ])
  }
})

it('market indices take the newest row among all names of an index, and prefer the row with the code of the index', async () => {
  await s.publish('market-indices', [
    close('IX0027', '電子工業類指數', '2026-06-29', 1_500),
    close('X27', '電子類指數', '2026-06-30', 1_501),
    close('IX0028', '電子', '2026-07-01', 1),
  ])
  expect((await shown()).data).toMatchObject([{ index_code: 'IX0027', value: 1_501, trade_date: '2026-06-30' }])
  await s.publish('market-indices', [close('IX0027', '電子工業類指數', '2026-06-30', 1_502)])
  expect((await shown()).data).toMatchObject([{ index_code: 'IX0027', value: 1_502, trade_date: '2026-06-30' }])
})

it('market indices change with each release and mark sample values as synthetic', async () => {
  await s.publish('market-indices', [close('IX0001', '發行量加權股價指數', '2026-06-29', 30_000)], { synthetic: true })
  expect(await shown()).toMatchObject({
    data: [{ value: 30_000, source: 'synthetic_sample' }],
    warnings: ['not_investment_advice', 'synthetic_sample_data'],
  })
  await s.publish('market-indices', [close('IX0001', '發行量加權股價指數', '2026-06-30', 30_300)])
  expect(await shown()).toMatchObject({
    as_of: '2026-06-30',
    data: [{ value: 30_300, source: 'twse_mi_index' }],
    warnings: ['not_investment_advice'],
  })
})

it('market indices answer 503 data_unavailable while no release passes verification', async () => {
  await s.publish('market-indices', [close('IX0001', '發行量加權股價指數', '2026-06-29', 30_000)])
  for (const file of stored(s.workspace.releases, 'market-indices').files) rmSync(file)
  await scrubbed(s.releases)
  const response = await ask()
  expect([response.statusCode, response.json().error.error_code]).toEqual([503, 'data_unavailable'])
})

it('market indices accept only the service token, and no parameter', async () => {
  expect((await ask('another')).json().error.error_code).toBe('invalid_service_token')
  const keyed = await s.get('/v2/homepage/market-indices', s.keyOn('max'))
  expect([keyed.statusCode, keyed.json().error.error_code]).toEqual([401, 'invalid_service_token'])
  expect((await ask(SECRETS.SERVICE_TOKEN, '?index=IX0001')).statusCode).toBe(422)
})
