import { afterAll, beforeAll, expect, it } from 'vitest'
import { JUNE, PAST, rowNumberReads } from './row-number-reads.ts'

/** Number of reads per release; TWMD_READS overrides it. */
const READS = Number(process.env['TWMD_READS'] ?? 120)

let r: Awaited<ReturnType<typeof rowNumberReads>>
beforeAll(async () => {
  r = await rowNumberReads({ tickers: 900, reads: READS })
}, 300_000)
afterAll(() => r.close())

it('after a single publication, random reads by row numbers return the same rows as a scan', async () => {
  expect(r.rowsOfRole('delta')).toBe(0)
  await r.compare()
}, 300_000)

it('after days were appended, random reads by row numbers return the same rows as a scan', async () => {
  await r.publish(JUNE.slice(0, 2), 0.95)
  expect(r.rowsOfRole('delta')).toBeLessThan(2_000)
  await r.compare()
  await r.publish(JUNE.slice(2, 21), 0.98)
  expect(r.rowsOfRole('delta')).toBeGreaterThan(16_384)
  await r.compare()
}, 300_000)

it('after old days were revised, random reads by row numbers return the same rows as a scan', async () => {
  await r.publish([PAST[3]!, PAST[40]!], 1)
  await r.compare()
}, 300_000)

it('after appended days were merged, random reads by row numbers return the same rows as a scan', async () => {
  await r.publish(['2026-07-01'], 0.9)
  expect(r.rowsOfRole('delta')).toBe(0)
  await r.compare()
}, 300_000)
