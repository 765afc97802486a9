import { afterAll, beforeAll, expect, it } from 'vitest'
import { FORMATS, type Row } from '../../../catalog/index.ts'
import { weekdays } from '../../fixtures/publish/rows.ts'
import { service, type TestService } from '../../support.ts'
import { expectEstimate, MANY_ROWS, publishManyRows } from './dry-runs.ts'

let s: TestService
let key: string
beforeAll(async () => {
  s = await service()
  key = s.keyOn('max')
  await publishManyRows(s)
})
afterAll(() => s.close())

it('dry_run estimates the size of thousands of rows in every format', async () => {
  for (const format of FORMATS)
    for (const limit of [4_000, 700]) await expectEstimate(s, `${MANY_ROWS}&limit=${limit}&format=${format}`, key)
})

it('dry_run estimates the size of long texts and of equal rows in every format', async () => {
  const branch = s.dataset('broker-branch-reference').example[0] as Row
  const days = weekdays('2019-01-01', 1_500).map(date => ({ ...(s.dataset('trading-calendar').example[0] as Row), date }))
  await s.publish(
    'broker-branch-reference',
    Array.from({ length: 300 }, (_, index) => ({
      ...branch,
      branch_code: `Z${100 + index}`,
      address: `臺北市中正區重慶南路一段${index}號`.repeat(4),
    })),
    { accept: ['row_count_drift'] },
  )
  await s.publish('trading-calendar', days, { accept: ['row_count_drift'] })
  for (const slug of ['broker-branch-reference', 'trading-calendar'])
    for (const format of FORMATS) {
      const url = `/v2/datasets/${slug}?limit=5000&format=${format}`
      expect.soft(Number((await s.get(url, key)).headers['x-row-count']), `rows of ${url}`).toBeGreaterThan(200)
      await expectEstimate(s, url, key)
    }
})
