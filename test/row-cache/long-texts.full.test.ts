import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { weekdays } from '../fixtures/publish/rows.ts'
import { service, type TestService } from '../support.ts'

/** Texts are longer than estimated, so by the estimate all rows fit in memory, but they do not. */
const ROWS = ['2330', '1101', '5483'].flatMap(symbol =>
  weekdays('2025-01-02', 200).map((event_date, index) => ({
    symbol,
    event_date,
    risk_type: 'attention',
    description: `${symbol} ${index} `.repeat(25),
    source_role: 'official',
    lineage: JSON.stringify({ authority: 'TWSE' }),
  })),
)

let s: TestService
beforeAll(async () => {
  s = await service({ inMemory: false, indexed: false, cacheBytes: 110_000 })
  expect((await s.publish('company-risk-events', ROWS)).faults).toEqual([])
})
afterAll(() => s.close())

it('if a part does not fit in memory, it is read once and only its newest rows stay in memory', async () => {
  const read = vi.spyOn(s.pool, 'read')
  for (let times = 0; times < 2; times++) await s.columns.refresh()
  const before = read.mock.calls.length
  for (let times = 0; times < 3; times++) await s.columns.refresh()
  expect(read.mock.calls.length).toBe(before)
  read.mockRestore()
  const { newest, bytes, mostBytes } = s.columns.state()
  expect(newest).toBeGreaterThan(0)
  expect(bytes).toBeLessThanOrEqual(mostBytes)
})
