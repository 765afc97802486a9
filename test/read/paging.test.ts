import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Row } from '../../catalog/index.ts'
import { weekdays } from '../fixtures/publish/rows.ts'
import { publishRows, service, type TestService } from '../support.ts'

let s: TestService
const [curve, theme] = ['/v2/datasets/bond-yield-curve', '/v2/datasets/theme-taxonomy']
const SESSIONS = weekdays('2026-04-01', 60)
const TENORS = ['2Y', '5Y', '10Y', '20Y', '30Y']

/** One day of the curve, with yields that depend on the number. */
const day = (number: number): readonly Row[] => {
  const date = SESSIONS[number]!
  return TENORS.map(tenor => ({
    ...(s.dataset('bond-yield-curve').example[0] as Row),
    trade_date: date,
    as_of: date,
    tenor_label: tenor,
    maturity_years: Number.parseInt(tenor, 10),
    yield_rate: 1 + number / 100,
  }))
}
/** Three themes per ticker, which differ only in their ids in the sort order. */
const listed = (count: number): readonly Row[] =>
  Array.from({ length: count }, (_, index) => ({
    ...(s.dataset('theme-taxonomy').example[0] as Row),
    symbol: String(1_000 + Math.floor(index / 3)),
    theme_id: `industry_${index % 3}`,
  }))
const keys = (rows: readonly Row[]): readonly unknown[] => rows.map(row => [row['symbol'], row['theme_id']])

beforeAll(async () => {
  s = await service({ examples: false, indexed: false })
  await s.publish('bond-yield-curve', Array.from({ length: 40 }, (_, number) => day(number)).flat())
  await publishRows(s.workspace, s.dir, s.dataset('theme-taxonomy'), listed(1_500))
  await s.releases.refresh()
})
afterAll(() => s.close())

interface Turned {
  readonly rows: readonly Row[]
  readonly releases: ReadonlySet<unknown>
  readonly pages: number
}

/** Follows `Link: …; rel="next"` to the last page. */
async function turn(url: string, key: string, between: (page: number) => Promise<unknown> = async () => {}): Promise<Turned> {
  const [rows, releases]: [Row[], Set<unknown>] = [[], new Set()]
  let pages = 0
  for (let next: string | undefined = url; next !== undefined; pages++) {
    const response = await s.get(next, key)
    expect(response.statusCode).toBe(200)
    const body = response.json()
    rows.push(...(body.data ?? body.envelope.data))
    releases.add(response.headers['x-release'])
    next = /^<(.+)>; rel="next"$/.exec(String(response.headers['link'] ?? ''))?.[1]
    await between(pages)
  }
  return { rows, releases, pages }
}

describe('pages', () => {
  it.each([7, 199, 200, 201])('pages of %i rows return every row once', async limit => {
    const key = s.keyOn('max')
    const whole = (await s.get(`${curve}?symbol=TWGB&limit=1000&columns=trade_date,tenor_label`, key)).json().data
    const { rows, pages } = await turn(`${curve}?symbol=TWGB&limit=${limit}&columns=trade_date,tenor_label`, key)
    expect(whole).toHaveLength(200)
    expect(rows).toEqual(whole)
    expect(pages).toBe(Math.ceil(200 / limit))
  })

  it('pages return every row once when all rows are equal in the sorted column', async () => {
    const key = s.keyOn('max')
    for (const direction of ['asc', 'desc']) {
      const { rows } = await turn(`${theme}?sort_by=as_of_date&sort_order=${direction}&limit=401&columns=symbol,theme_id`, key)
      expect(keys(rows)).toEqual(keys(listed(1_500)))
    }
  })

  it('the next page keeps the parameters of the first page', async () => {
    const key = s.keyOn('max')
    const query =
      'symbol=twgb&start_date=2026-04-11&end_date=2026-04-24&sort_by=maturity_years&sort_order=asc&limit=9&columns=maturity_years,trade_date'
    const { rows } = await turn(`${curve}?${query}`, key)
    expect(rows).toEqual((await s.get(`${curve}?${query.replace('limit=9', 'limit=90')}`, key)).json().data)
    expect(rows).toHaveLength(50)
  })

  it('all pages read one release, even if other releases are published meanwhile', async () => {
    const key = s.keyOn('max')
    const before = (await s.get(`${curve}?symbol=TWGB&limit=1000`, key)).json().data
    const { rows, releases } = await turn(`${curve}?symbol=TWGB&limit=90`, key, page => s.publish('bond-yield-curve', day(50 + page)))
    expect(rows).toEqual(before)
    expect(releases.size).toBe(1)
    const after = await s.get(`${curve}?symbol=TWGB&limit=1000`, key)
    expect(after.json().data).toHaveLength(before.length + 3 * TENORS.length)
    expect(releases).not.toContain(after.headers['x-release'])
  })

  it('the last page and an empty page have no Link header', async () => {
    const key = s.keyOn('max')
    expect((await s.get(`${theme}?limit=1500`, key)).headers).not.toHaveProperty('link')
    expect((await s.get(`${theme}?symbol=9999`, key)).headers).not.toHaveProperty('link')
    expect((await s.get(`${theme}?offset=1500`, key)).headers).not.toHaveProperty('link')
  })
})

describe('the default limit', () => {
  it('a read without limit reports in headers and warnings that more rows match', async () => {
    const response = await s.get(theme, s.keyOn('free'))
    expect(response.headers).toMatchObject({ 'x-row-limit': '50; default; more', 'x-row-count': '50' })
    expect(response.headers).not.toHaveProperty('x-total-rows')
    expect(String(response.headers['x-warnings']).split(', ')).toContain('truncated')
    expect(response.json().warnings).toContain('truncated')
    for (const format of ['csv', 'arrow'])
      expect.soft((await s.get(`${theme}?format=${format}`, s.keyOn('free'))).headers['x-row-limit'], format).toBe('50; default; more')
  })

  it('if a read without limit returns every matching row, it reports the number of rows', async () => {
    const response = await s.get(`${theme}?symbol=1000`, s.keyOn('free'))
    expect(response.headers).toMatchObject({ 'x-row-limit': '50; default', 'x-total-rows': '3' })
    expect(response.json().warnings).not.toContain('truncated')
    expect((await s.get(`${theme}?offset=1490`, s.keyOn('free'))).headers['x-total-rows']).toBe('1500')
    expect((await s.get(`${theme}?offset=2000`, s.keyOn('free'))).headers).not.toHaveProperty('x-total-rows')
  })

  it('a read with limit=50 is not marked as truncated and has its own ETag', async () => {
    const key = s.keyOn('free')
    const [chosen, byDefault] = [await s.get(`${theme}?limit=50`, key), await s.get(theme, key)]
    expect(chosen.headers['x-row-limit']).toBe('1000')
    expect(chosen.json().warnings).not.toContain('truncated')
    expect(chosen.headers.etag).not.toBe(byDefault.headers.etag)
    const headers = { 'if-none-match': byDefault.headers.etag as string }
    expect((await s.get(theme, key, headers)).statusCode).toBe(304)
  })
})

describe('the row limit of a plan', () => {
  it('a read is cut at the row limit of its plan, and the answer states this', async () => {
    const response = await s.get(`${theme}?limit=1001`, s.keyOn('free'))
    const { meta, query, envelope } = response.json()
    expect(meta).toMatchObject({ rows_returned: 1_000, plan: 'free', row_limit: 1_000, is_limited: true })
    expect(envelope.data).toHaveLength(1_000)
    expect(query.limit).toBe(1_000)
    expect(response.headers).toMatchObject({ 'x-row-limit': '1000; limited', 'x-row-count': '1000' })
  })

  it('a read with limit equal to the row limit is not marked as limited', async () => {
    const response = await s.get(`${theme}?limit=1000`, s.keyOn('free'))
    expect(response.json().meta).toMatchObject({ rows_returned: 1_000, is_limited: false })
    expect(response.headers['x-row-limit']).toBe('1000')
  })

  it('a read that returns every matching row is not marked as limited', async () => {
    const response = await s.get(`${theme}?limit=1001&offset=500`, s.keyOn('free'))
    expect(response.json().meta).toMatchObject({ rows_returned: 1_000, is_limited: false })
    expect(response.headers['x-row-limit']).toBe('1000')
  })

  it('each plan has its own row limit', async () => {
    const response = await s.get(`${theme}?limit=100000`, s.keyOn('pro'))
    expect(response.json().meta).toMatchObject({ rows_returned: 1_500, row_limit: 20_000, is_limited: false })
    expect(response.headers['x-row-limit']).toBe('20000')
    expect((await s.get(`${theme}?limit=100000`, s.keyOn('max'))).json().meta).toMatchObject({ row_limit: 100_000, is_limited: false })
  })

  it('rows beyond the row limit are on the next page', async () => {
    const { rows, pages } = await turn(`${theme}?limit=5000`, s.keyOn('free'))
    expect(keys(rows)).toEqual(keys(listed(1_500)))
    expect(pages).toBe(2)
  })
})
