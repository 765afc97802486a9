import { afterEach, describe, expect, it } from 'vitest'
import { day } from '../../fixtures/publish/rows.ts'
import { releaseIds, stored, storedRows } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'

const SLUG = 'institutional-positioning'
let s: TestService
afterEach(() => s.close())

const shas = (parts: readonly { readonly sha256: string }[]): readonly string[] => parts.map(({ sha256 }) => sha256)
const publish = (...days: readonly (readonly [date: string, seed: number])[]) =>
  s.publish(
    SLUG,
    days.flatMap(([date, seed]) => day(date, seed)),
  )

describe('a publication of a time series', () => {
  it('that is the first of its dataset has base parts only and no parent', async () => {
    s = await service({ examples: false })
    expect((await s.get(`/v2/datasets/${SLUG}?symbol=2330`, s.keyOn('pro'))).json().error.error_code).toBe('dataset_building')
    const { status, release } = await publish(['2026-06-24', 1])
    const first = stored(s.workspace.releases, SLUG)
    expect([status, first.release, first.manifest.parent]).toEqual(['published', release, null])
    expect([first.base.length, first.delta.length]).toEqual([1, 0])
    expect((await s.get(`/v2/datasets/${SLUG}?symbol=2330`, s.keyOn('pro'))).json().row_count).toBe(1)
  })

  it('of a new day writes one delta part and keeps every base part', async () => {
    s = await service({ examples: false })
    await publish(['2026-06-24', 1], ['2026-06-25', 2])
    const base = stored(s.workspace.releases, SLUG)
    await publish(['2026-06-26', 3])
    const appended = stored(s.workspace.releases, SLUG)
    expect(shas(appended.base)).toEqual(shas(base.base))
    expect(appended.delta.map(({ rows, bucket, first_date }) => [rows, bucket, first_date])).toEqual([[3, null, '2026-06-26']])
    expect(appended.manifest.parent).toBe(base.release)
  })

  it('of a second new day replaces the delta, so that there are never two', async () => {
    s = await service({ examples: false })
    await publish(['2026-06-24', 1])
    const base = stored(s.workspace.releases, SLUG)
    for (const [date, seed] of [
      ['2026-06-25', 2],
      ['2026-06-26', 3],
      ['2026-06-29', 4],
    ] as const)
      await publish([date, seed])
    const last = stored(s.workspace.releases, SLUG)
    expect(shas(last.base)).toEqual(shas(base.base))
    expect(last.delta.map(({ rows, first_date, last_date }) => [rows, first_date, last_date])).toEqual([[9, '2026-06-25', '2026-06-29']])
  })

  it('that corrects a day still in the delta rewrites the delta alone', async () => {
    s = await service({ examples: false })
    await publish(['2026-06-24', 1])
    await publish(['2026-06-25', 2])
    const before = stored(s.workspace.releases, SLUG)
    const { changes } = await publish(['2026-06-25', 7])
    const after = stored(s.workspace.releases, SLUG)
    expect(changes).toMatchObject({ kind: 'revision', rows_added: 0, rows_changed: 3, rows_removed: 0 })
    expect(shas(after.base)).toEqual(shas(before.base))
    expect(after.delta.map(({ rows }) => rows)).toEqual([3])
  })

  it('in a new month folds the delta into its buckets', async () => {
    s = await service({ examples: false })
    await publish(['2026-05-28', 1])
    await publish(['2026-05-29', 2])
    expect(stored(s.workspace.releases, SLUG).delta).toHaveLength(1)
    await publish(['2026-06-01', 3])
    const folded = stored(s.workspace.releases, SLUG)
    expect(folded.delta).toEqual([])
    expect(folded.base.map(({ rows, first_date, last_date }) => [rows, first_date, last_date])).toEqual([[9, '2026-05-28', '2026-06-01']])
    expect(Object.keys(folded.spans.delta)).toEqual([])
    expect(await storedRows(s.workspace.session, s.workspace.releases, SLUG, 'count(*)::INTEGER AS n')).toEqual([{ n: 9 }])
  })

  it('whose rows are all served already makes no release', async () => {
    s = await service({ examples: false })
    const first = await publish(['2026-06-24', 1], ['2026-06-25', 2])
    for (const days of [
      [['2026-06-25', 2]],
      [
        ['2026-06-24', 1],
        ['2026-06-25', 2],
      ],
    ] as const) {
      expect(await publish(...days)).toMatchObject({ status: 'unchanged', release: first.release, faults: [] })
    }
    expect(releaseIds(s.workspace.releases, SLUG)).toEqual([first.release])
  })

  it('is named later than the one before it even when the clock steps back or stops', async () => {
    let now = new Date('2026-07-01T12:00:00Z')
    s = await service({ examples: false, now: () => now })
    const ids: (string | null)[] = []
    for (const [seed, at] of ['2026-07-01T12:00:00Z', '2026-07-01T12:00:00Z', '2026-07-01T11:00:00Z', '2026-07-01T12:30:00Z'].entries()) {
      now = new Date(at)
      ids.push((await publish(['2026-06-24', seed + 1])).release)
    }
    expect(ids).toEqual(['20260701T120000000Z', '20260701T120000001Z', '20260701T120000002Z', '20260701T123000000Z'])
    expect(stored(s.workspace.releases, SLUG).release).toBe(ids.at(-1))
  })
})

describe('D3 an old release', () => {
  it('that a reader pinned answers as it did, whatever was published since', async () => {
    s = await service({ examples: false })
    const key = s.keyOn('pro')
    const read = async (release?: string | null) => {
      const { body, headers } = await s.get(`/v2/datasets/${SLUG}?symbol=1101,2330,2454${release ? `&release=${release}` : ''}`, key)
      return { ...JSON.parse(body), release: headers['x-release'] }
    }
    const { release } = await publish(['2026-05-28', 1], ['2026-05-29', 2])
    const before = await read()
    await publish(['2026-05-28', 9])
    await publish(['2026-06-01', 3])
    await publish(['2026-06-02', 4])
    expect((await read()).data).toHaveLength(12)
    const { data, release: answered } = await read(release)
    expect(answered).toBe(release)
    expect(data).toEqual(before.data)
  })
})
