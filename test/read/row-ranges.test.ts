import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { Release } from '../../src/releases/index.ts'
import { JUNE, ROW_NUMBER, rowNumberReads, SLUG } from './row-number-reads.ts'

let r: Awaited<ReturnType<typeof rowNumberReads>>
beforeAll(async () => {
  r = await rowNumberReads({ tickers: 240, reads: 25 })
})
afterAll(() => r.close())

it('random reads by row numbers return the same rows as a scan, for a release with and without a delta part', async () => {
  expect(r.rowsOfRole('delta')).toBe(0)
  await r.compare()
  await r.publish(JUNE.slice(0, 2), 0.95)
  expect(r.rowsOfRole('delta')).toBeGreaterThan(0)
  await r.compare()
})

it('a read of one ticker requests only the rows of its page from the engine', async () => {
  const read = vi.spyOn(r.s.pool, 'read')
  const { statusCode } = await r.s.get(`/v2/datasets/${SLUG}?symbol=1102&limit=5`, r.s.keyOn('max'))
  const [{ text, values }] = read.mock.calls[0]!
  read.mockRestore()
  expect([statusCode, text.includes(ROW_NUMBER)]).toEqual([200, true])
  const [first, last] = values.slice(1, 3).map(Number)
  expect(last! - first!).toBe(5)
})

it('if the spans of a part disagree with its rows, a read scans the whole part', async () => {
  const plan = r.plan({ symbol: '1102' })
  const { base, delta } = r.current().spans
  const [from, last, rows] = base['1102']!
  const release: Release = { ...r.current(), spans: { base: { ...base, '1102': [from, last, rows - 1] }, delta } }
  expect((await r.answer(plan)).used).toBe(true)
  expect((await r.answer({ ...plan, release })).used).toBe(false)
})
