import { afterAll, beforeAll, expect, it } from 'vitest'
import { day } from '../../fixtures/publish/rows.ts'
import { releaseIds, stored } from '../../fixtures/publish/store.ts'
import { type Publisher, publisher } from './publisher.ts'

const SLUG = 'institutional-positioning'
type Publication = Awaited<ReturnType<Publisher['publish']>> & { readonly after: ReturnType<typeof stored> }
const steps = {} as Record<'first' | 'appended' | 'appendedAgain' | 'revised' | 'repeated' | 'newMonth', Publication>
let s: Publisher

/** One history of a time series. Each test checks one of its publications. */
beforeAll(async () => {
  s = await publisher()
  const publish = async (...days: readonly (readonly [date: string, seed: number])[]): Promise<Publication> => {
    const published = await s.publish(
      SLUG,
      days.flatMap(([date, seed]) => day(date, seed)),
    )
    return { ...published, after: stored(s.workspace.releases, SLUG) }
  }
  steps.first = await publish(['2026-06-24', 1], ['2026-06-25', 2])
  steps.appended = await publish(['2026-06-26', 3])
  steps.appendedAgain = await publish(['2026-06-29', 4])
  steps.revised = await publish(['2026-06-26', 7])
  steps.repeated = await publish(['2026-06-25', 2], ['2026-06-26', 7])
  steps.newMonth = await publish(['2026-07-01', 5])
})
afterAll(() => s.close())

const shas = (parts: readonly { readonly sha256: string }[]): readonly string[] => parts.map(({ sha256 }) => sha256)

it('a first publication writes base parts only and has no parent', () => {
  const { status, release, after } = steps.first
  expect([status, after.release, after.manifest.parent]).toEqual(['published', release, null])
  expect([after.base.length, after.delta.length]).toEqual([1, 0])
})

it('an appended day is written to one delta part and leaves the base parts unchanged', () => {
  const { after, changes } = steps.appended
  expect(changes).toMatchObject({ kind: 'new_rows', rows_added: 3, rows_changed: 0, rows_removed: 0 })
  expect(shas(after.base)).toEqual(shas(steps.first.after.base))
  expect(after.delta.map(({ rows, bucket, first_date }) => [rows, bucket, first_date])).toEqual([[3, null, '2026-06-26']])
  expect(after.manifest.parent).toBe(steps.first.release)
})

it('a second appended day replaces the delta part', () => {
  const { after } = steps.appendedAgain
  expect(shas(after.base)).toEqual(shas(steps.first.after.base))
  expect(after.delta.map(({ rows, first_date, last_date }) => [rows, first_date, last_date])).toEqual([[6, '2026-06-26', '2026-06-29']])
})

it('a revision of a day in the delta part rewrites only the delta part', () => {
  const { after, changes } = steps.revised
  expect(changes).toMatchObject({ kind: 'revision', rows_added: 0, rows_changed: 3, rows_removed: 0 })
  expect(shas(after.base)).toEqual(shas(steps.first.after.base))
  expect(after.delta.map(({ rows }) => rows)).toEqual([6])
})

it('publishing rows that are already served creates no release', () => {
  expect(steps.repeated).toMatchObject({ status: 'unchanged', release: steps.revised.release, faults: [] })
  expect(releaseIds(s.workspace.releases, SLUG)).toHaveLength(5)
})

it('a publication in a new month merges the delta part into the buckets', async () => {
  const { after } = steps.newMonth
  expect([after.delta, after.spans.delta]).toEqual([[], {}])
  expect(after.base.map(({ rows, first_date, last_date }) => [rows, first_date, last_date])).toEqual([[15, '2026-06-24', '2026-07-01']])
  expect(await s.rows(SLUG, 'count(*)::INTEGER AS n, count(DISTINCT (ticker, trade_date))::INTEGER AS grains')).toEqual([
    { n: 15, grains: 15 },
  ])
})

it('release ids increase when the clock steps back or stops', async () => {
  let now = new Date(0)
  const other = await publisher({ now: () => now })
  const ids: (string | null)[] = []
  for (const [index, time] of ['2026-07-01T12:00:00Z', '2026-07-01T12:00:00Z', '2026-07-01T11:00:00Z'].entries()) {
    now = new Date(time)
    const row = { market: 'TWSE', date: '2026-06-19', is_open: false, reason: String(index) }
    ids.push((await other.publish('trading-calendar', [row])).release)
  }
  expect(ids).toEqual(['20260701T120000000Z', '20260701T120000001Z', '20260701T120000002Z'])
  expect(stored(other.workspace.releases, 'trading-calendar').release).toBe(ids.at(-1))
  await other.close()
})
