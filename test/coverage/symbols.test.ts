import { afterAll, beforeAll, expect, it } from 'vitest'
import { keyedByTicker, loadCatalog, served, symbolFilter } from '../../catalog/index.ts'
import { CoverageList, SymbolCoverage } from '../../src/http/routes/catalog/schemas.ts'
import { trade } from '../fixtures/publish/rows.ts'
import { stored } from '../fixtures/publish/store.ts'
import { service, type TestService } from '../support.ts'

const catalog = served(await loadCatalog())
let s: TestService
beforeAll(async () => {
  s = await service({ inMemory: false })
  await s.publish('institutional-positioning', [trade('00632R', '2026-06-24', 5), trade('1101', '2026-06-24', 6)])
  await s.publish('institutional-positioning', [trade('00632R', '2026-06-25', 7), trade('2330', '2026-06-25', 8)])
  await s.publish('institutional-positioning', [trade('00632R', '2026-06-26', 9)])
})
afterAll(() => s.close())

async function coverageOf(dataset: string, symbol: string) {
  const response = await s.get(`/v2/coverage/${dataset}?symbol=${encodeURIComponent(symbol)}`)
  expect(response.statusCode, response.body).toBe(200)
  expect(SymbolCoverage.parse(response.json())).toEqual(response.json())
  return response.json()
}

it('coverage of a symbol adds up the rows of base and delta parts', async () => {
  const { base, delta } = stored(s.workspace.releases, 'institutional-positioning')
  expect([base.length > 0, delta.length > 0]).toEqual([true, true])
  expect(await coverageOf('institutional-positioning', '00632R')).toEqual({
    dataset: 'institutional-positioning',
    slug: 'institutional-positioning',
    symbol: '00632R',
    covered: true,
    first_date: '2026-06-24',
    last_date: '2026-06-26',
    row_count: 3,
    warnings: ['not_investment_advice', 'market_not_loaded_tpex'],
  })
})

it('coverage of a symbol matches tickers in any case and branch codes exactly', async () => {
  expect(await coverageOf('institutional-positioning', '00632r')).toMatchObject({ symbol: '00632R', covered: true })
  expect(await coverageOf('broker-branch-reference', '585b')).toMatchObject({ symbol: '585b', covered: true, row_count: 1 })
  expect(await coverageOf('broker-branch-reference', '585c')).toMatchObject({ symbol: '585c', covered: false, row_count: 0 })
})

it('coverage of a symbol matches the key of the dataset, whichever column that is', async () => {
  expect(await coverageOf('bond-yield-curve', '10y')).toMatchObject({
    symbol: '10Y',
    covered: true,
    row_count: 2,
    first_date: '2026-06-29',
  })
  expect(await coverageOf('bond-yield-curve', 'TWGB')).toMatchObject({
    symbol: 'TWGB',
    covered: true,
    row_count: 3,
    last_date: '2026-06-30',
  })
  expect(await coverageOf('securities-firm-master', '9998')).toMatchObject({ covered: true, row_count: 1 })
  expect(await coverageOf('index-classification', 'ix0001')).toMatchObject({ symbol: 'IX0001', covered: true })
})

it('if no branch has the code of a firm, coverage of the firm code counts the branches of the firm', async () => {
  expect(await coverageOf('broker-branch-reference', '5850')).toEqual({
    dataset: 'broker_branch_reference',
    slug: 'broker-branch-reference',
    symbol: '5850',
    covered: true,
    first_date: null,
    last_date: null,
    row_count: 2,
    warnings: ['not_investment_advice'],
  })
  expect(await coverageOf('broker-branch-reference', '5851')).toMatchObject({ symbol: '5851', covered: false, row_count: 0 })
  const [branch] = s.dataset('broker-branch-reference').example
  const rows = ['9901', '9902', '9903'].map(branch_code => ({ ...branch, branch_code, parent_broker_code: 'name:範例' }))
  await s.publish('broker-branch-reference', [...s.dataset('broker-branch-reference').example, ...rows], { accept: ['row_count_drift'] })
  expect(await coverageOf('broker-branch-reference', 'name:範例')).toMatchObject({ covered: true, row_count: 3 })
  expect(await coverageOf('broker-branch-reference', '5850')).toMatchObject({ covered: true, row_count: 2 })
})

it('coverage of an unknown but well-formed symbol is empty', async () => {
  const none = { covered: false, first_date: null, last_date: null, row_count: 0 }
  expect(await coverageOf('institutional-positioning', '9999')).toMatchObject(none)
  expect(await coverageOf('events', '9999')).toMatchObject(none)
  expect(await coverageOf('earnings', 'toString')).toMatchObject(none)
})

it.each([
  ['institutional-positioning', '2330,2317'],
  ['institutional-positioning', ''],
  ['institutional-positioning', '23'],
  ['institutional-positioning', "2330' OR 1=1"],
  ['earnings', '２３３０'],
  ['bond-yield-curve', '2330'],
  ['securities-firm-master', '99999'],
  ['broker-branch-reference', '../..'],
])('coverage of %s refuses the malformed symbol "%s"', async (dataset, symbol) => {
  const response = await s.get(`/v2/coverage/${dataset}?symbol=${encodeURIComponent(symbol)}`)
  expect([response.statusCode, response.json().detail[0].loc]).toEqual([422, ['query', 'symbol']])
})

it('coverage of a symbol counts as many rows as a read returns', async () => {
  for (const symbol of ['2330', '00632R', '1101', '9999']) {
    const rows = await s.get(`/v2/datasets/institutional-positioning?symbol=${symbol}`, s.keyOn('pro'))
    expect((await coverageOf('institutional-positioning', symbol)).row_count).toBe(rows.json().row_count)
  }
})

it('a coverage request for the symbol of an example row returns this symbol, for every dataset with symbols', async () => {
  for (const { slug, example, key, grain } of catalog.filter(symbolFilter)) {
    const symbol = String((example[0] as Record<string, unknown>)[key ?? grain[0]!])
    expect.soft(await coverageOf(slug, symbol), `${slug}, ${symbol}`).toMatchObject({ covered: true })
  }
})

it('coverage of a ticker lists every dataset keyed by ticker, also those without rows of the ticker', async () => {
  const response = await s.get('/v2/coverage?symbol=00632r')
  const body = response.json()
  expect(CoverageList.parse(body)).toEqual(body)
  expect(body.data.map(({ dataset }: { dataset: string }) => dataset)).toEqual(catalog.filter(keyedByTicker).map(({ id }) => id))
  const covered = body.data.filter((row: { covered: boolean }) => row.covered).map(({ dataset }: { dataset: string }) => dataset)
  expect(covered).toEqual(['institutional-positioning'])
  expect(body.data_count).toBe(body.data.length)
})

it.each(['', '23', '10Y', '2330,2317', '%00', '..'])('coverage over all datasets refuses symbol="%s"', async symbol => {
  const response = await s.get(`/v2/coverage?symbol=${symbol}`)
  expect([response.statusCode, response.json().detail.length]).toEqual([422, 1])
})

it('stats count a ticker of several datasets once', async () => {
  const { metrics } = (await s.get('/v2/data-catalog/stats')).json()
  const value = (name: string) => metrics.find((metric: { name: string }) => metric.name === name)
  const overview = (await s.get('/coverage')).json()
  expect(value('total_tickers')).toMatchObject({ value: overview.tickers_count, basis: 'distinct_tickers', method: 'exact', dataset: null })
  expect(value('institutional_positioning_tickers')).toMatchObject({ value: 3, dataset: 'institutional-positioning' })
  expect(value('bond_yield_curve_tickers')).toBeUndefined()
  const tickers = new Set<string>()
  for (const { slug } of catalog.filter(keyedByTicker)) {
    const { base, delta } = stored(s.workspace.releases, slug).spans
    for (const ticker of [...Object.keys(base), ...Object.keys(delta)]) tickers.add(ticker)
  }
  expect(overview.tickers_count).toBe(tickers.size)
})
