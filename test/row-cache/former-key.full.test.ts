import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { publishRows, service, type TestService } from '../support.ts'

const SLUG = 'market-indices'
const CODES = ['IR0001', 'IX0001', 'IX0027'] as const
const DAYS = ['2026-06-25', '2026-06-26', '2026-06-29', '2026-06-30'] as const

const row = (code: string, day: string) => ({
  index_code: code,
  name: code,
  trade_date: day,
  value: 100 * (1 + CODES.indexOf(code as never)) + Number(day.slice(-2)),
  change: 1,
  change_pct: 0.5,
})
const rows = DAYS.flatMap(day => CODES.map(code => row(code, day)))

/** Rows are sorted by day, then by index, so the rows of one index are not adjacent. */
describe('releases that were written before the dataset had a key', () => {
  let s: TestService
  const read = async (path: string) => (await s.get(`/v2/datasets/${SLUG}${path}`, s.keyOn('free'))).json().envelope.data
  const values = async (path: string) => (await read(path)).map((each: Record<string, unknown>) => each['value'])

  beforeAll(async () => {
    s = await service({ examples: false })
    const { key: _, ...former } = s.dataset(SLUG)
    await publishRows(s.workspace, s.dir, former, rows)
    await s.releases.refresh()
    await s.columns.refresh()
    await s.newest.refresh()
  })
  afterAll(() => s.close())

  it('reads by key and by day work on a release that was written before its dataset had a key', async () => {
    expect(await values('?index_code=IX0001')).toEqual([230, 229, 226, 225])
    expect(await values('?index_code=IX0027,IR0001&start_date=2026-06-29')).toEqual([130, 330, 129, 329])
    expect(await values('/cross-section?date=2026-06-26')).toEqual([126, 226, 326])
    const { data } = (
      await s.get('/v2/query?entity_type=index&entity_id=IX0027&fields=index.value&as_of_date=2026-06-28', s.keyOn('free'))
    ).json()
    expect(data[0].fields['index.value'].value).toBe(326)
    expect(s.lines.filter(line => line.includes('reading columns'))).toEqual([])
  })

  it('after a dataset gets a key column, its next release returns the same rows as the release before', async () => {
    const next = CODES.map(code => row(code, '2026-07-01'))
    expect((await s.publish(SLUG, next, { accept: ['future_date'] })).status).toBe('published')
    expect(await values('?index_code=IX0001')).toEqual([201, 230, 229, 226, 225])
    expect(await values('/cross-section?date=2026-07-01')).toEqual([101, 201, 301])
  })
})
