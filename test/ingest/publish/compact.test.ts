import { appendFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { diffReleases } from '../../../ingest/history/index.ts'
import { compactRelease } from '../../../ingest/publish/index.ts'
import { damagedParts, stored } from '../../fixtures/publish/store.ts'
import { appendedTrades, BULK_TRADES } from './bulk-trades.ts'
import { type Publisher, publisher } from './publisher.ts'

const SLUG = 'institutional-positioning'
let s: Publisher
let former: ReturnType<typeof stored>
let compacted: ReturnType<typeof stored>
let compaction: Awaited<ReturnType<typeof compactRelease>>
const now = () => stored(s.workspace.releases, SLUG)
const append = (date: string, seed: number) => s.publish(SLUG, appendedTrades(date, seed), { accept: ['row_count_drift'] })
/** Two buckets and two appended days, compacted. */
beforeAll(async () => {
  s = await publisher()
  await s.publishQuery(SLUG, BULK_TRADES)
  await append('2026-06-29', 1)
  await append('2026-06-30', 2)
  former = now()
  compaction = await compactRelease(s.workspace, s.dataset(SLUG))
  compacted = now()
})
afterAll(() => s.close())

it('a compaction moves appended rows into their buckets', () => {
  expect([former.base.length, former.delta.length]).toEqual([2, 1])
  expect(compaction).toMatchObject({ status: 'compacted', rows: 10, buckets: 2, notices: [] })
  expect(compacted.release > former.release).toBe(true)
  expect([compacted.base.map(({ bucket }) => bucket), compacted.delta, compacted.manifest.parent]).toEqual([[0, 1], [], former.release])
  expect(damagedParts(s.workspace.releases, SLUG)).toEqual([])
})

it('a compaction changes no row, and its spans match its parts', async () => {
  const { summary } = await diffReleases(s.workspace, s.dataset(SLUG), former.release, compacted.release)
  expect(summary.rows).toMatchObject({ added: 0, changed: 0, removed: 0, confirmed: 0, unchanged: 30_010 })
  expect([compacted.manifest.months, compacted.spans.slices]).toEqual([former.manifest.months, former.spans.slices])
  const parts = compacted.files.map(file => `'${file}'`)
  const measured = await s.workspace.session.rows(
    `SELECT ticker, min(trade_date)::VARCHAR AS first, max(trade_date)::VARCHAR AS last, count(*)::INTEGER AS rows FROM read_parquet([${parts}]) GROUP BY 1`,
  )
  expect(compacted.spans.base).toEqual(Object.fromEntries(measured.map(row => [row['ticker'], [row['first'], row['last'], row['rows']]])))
})

it('a compaction changes nothing if no rows were appended, and is refused if a part is damaged', async () => {
  expect(await compactRelease(s.workspace, s.dataset(SLUG))).toMatchObject({ status: 'unchanged' })
  await append('2026-07-01', 3)
  const next = now()
  expect([next.manifest.parent, next.base, next.delta.length]).toEqual([compacted.release, compacted.base, 1])
  appendFileSync(next.paths.part(next.base[1]!.sha256), 'x')
  await expect(compactRelease(s.workspace, s.dataset(SLUG))).rejects.toThrow('is damaged; restore it')
  expect(now().release).toBe(next.release)
})
