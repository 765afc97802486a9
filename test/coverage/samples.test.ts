import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Row } from '../../catalog/index.ts'
import { CatalogStats, CoverageOverview } from '../../src/http/routes/catalog/schemas.ts'
import { SearchAnswer } from '../../src/http/routes/search/schemas.ts'
import { service, type TestService } from '../support.ts'

const SAMPLES = 'synthetic_sample_data'

let s: TestService
beforeAll(async () => {
  s = await service({ examples: false, inMemory: false })
  await s.publish('theme-taxonomy', s.dataset('theme-taxonomy').example, { synthetic: true })
  await s.publish('securities-firm-master', s.dataset('securities-firm-master').example)
})
afterAll(() => s.close())

it('a search warns of sample data if and only if hits on the page come from sample data', async () => {
  const find = async (q: string) => SearchAnswer.parse((await s.get(`/v2/search?q=${encodeURIComponent(q)}`, s.keyOn('max'))).json())
  const idIn = (slug: string, column: string) => String((s.dataset(slug).example as readonly Row[])[0]![column])
  const [found, real] = [await find(idIn('theme-taxonomy', 'symbol')), await find(idIn('securities-firm-master', 'broker_id'))]
  expect([found.data.length > 0, found.warnings]).toEqual([true, [SAMPLES]])
  expect([real.data.length > 0, real.warnings]).toEqual([true, []])
})

it('stats mark exactly the metrics that count sample rows as synthetic', async () => {
  const { metrics } = CatalogStats.parse((await s.get('/v2/data-catalog/stats')).json())
  const marked = (wanted: boolean) => metrics.filter(({ synthetic }) => synthetic === wanted).map(({ name }) => name)
  expect(marked(true)).toEqual(['total_rows', 'total_tickers', 'theme_taxonomy_rows', 'theme_taxonomy_tickers'])
  expect(marked(false)).toEqual(['securities_firm_master_rows'])
})

it('the totals of coverage are marked as synthetic while any dataset has sample rows', async () => {
  const { synthetic, warnings } = CoverageOverview.parse((await s.get('/coverage')).json())
  expect([synthetic, warnings]).toEqual([true, expect.arrayContaining([SAMPLES])])
})

it('the list of datasets labels datasets with sample data', async () => {
  const cards = (await s.get('/datasets')).body.split('<article').slice(1)
  expect(cards.filter(card => card.includes('<strong>sample data</strong>')).map(card => /coverage\/([a-z-]+)/.exec(card)?.[1])).toEqual([
    'theme-taxonomy',
  ])
})
