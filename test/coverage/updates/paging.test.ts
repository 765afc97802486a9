import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { day, weekdays } from '../../fixtures/publish/rows.ts'
import { service, type TestService } from '../../support.ts'

const SLUG = 'institutional-positioning'
let s: TestService
beforeAll(async () => {
  s = await service({ inMemory: false })
  for (const [seed, date] of weekdays('2026-06-01', 6).entries()) await s.publish(SLUG, day(date, seed + 10))
})
afterAll(() => s.close())

interface Page {
  readonly data: readonly { readonly update_id: string }[]
  readonly has_more: boolean
  readonly next_cursor: string | null
}
const page = async (path: string): Promise<Page> => (await s.get(path)).json()
const idsOf = ({ data }: Page): readonly string[] => data.map(({ update_id }) => update_id)

it('pages of the updates feed neither repeat nor skip entries while publications arrive between them', async () => {
  const before = idsOf(await page('/v2/updates'))
  expect(before.length).toBeGreaterThan(3)
  const seen: string[] = []
  let next: string | null = '/v2/updates?limit=2'
  for (let seed = 40; next !== null; seed++) {
    const { data, next_cursor }: Page = await page(next)
    seen.push(...data.map(({ update_id }) => update_id))
    next = next_cursor === null ? null : `/v2/updates?limit=2&cursor=${next_cursor}`
    await s.publish(SLUG, day(`2026-07-0${seed % 2 === 0 ? 1 : 2}`, seed), { accept: ['row_count_drift'] })
  }
  expect(seen).toEqual(before)
})

it('the Link header of the updates feed leads to the next page with the same filters', async () => {
  const first = await s.get('/v2/updates?since=2026-06-01&limit=2&category=capital_flows')
  const [, path] = /^<(.+)>; rel="next"$/.exec(String(first.headers['link']))!
  const second = await page(path!)
  expect(second.data).toHaveLength(2)
  expect(idsOf(second)).toEqual(idsOf(await page('/v2/updates?since=2026-06-01&limit=4&category=capital_flows')).slice(2))
  const last = await s.get('/v2/updates?since=2026-06-01&limit=1000')
  expect([last.headers['link'], last.json().has_more, last.json().next_cursor]).toEqual([undefined, false, null])
})

it('the updates feed filters by dataset slug or id, regardless of the days of its publications', async () => {
  const all = await page('/v2/updates?published_since=2000-01-01&limit=1000')
  const own = idsOf(all).filter(id => id.startsWith('institutional-positioning:'))
  expect(own.length).toBeLessThan(all.data.length)
  for (const name of [SLUG, 'institutional_positioning']) expect(idsOf(await page(`/v2/updates?dataset=${name}`))).toEqual(own)
  const first = await page(`/v2/updates?dataset=${SLUG}&limit=2`)
  const rest = await page(`/v2/updates?cursor=${first.next_cursor}`)
  expect([...idsOf(first), ...idsOf(rest)]).toEqual(own)
  expect((await s.get(`/v2/updates?dataset=earnings&cursor=${first.next_cursor}`)).json().error.error_code).toBe('invalid_cursor')
  const unknown = await s.get('/v2/updates?dataset=institutional-positionin')
  expect([unknown.statusCode, unknown.json().error.did_you_mean]).toEqual([404, SLUG])
})

it('the last page of the updates feed has no next cursor, even if it is full', async () => {
  const all = idsOf(await page('/v2/updates?since=2000-01-01'))
  const whole = await page(`/v2/updates?since=2000-01-01&limit=${all.length}`)
  expect([idsOf(whole), whole.has_more]).toEqual([all, false])
  const short = await page(`/v2/updates?since=2000-01-01&limit=${all.length - 1}`)
  const rest = await page(`/v2/updates?cursor=${short.next_cursor}`)
  expect([idsOf(rest), rest.has_more]).toEqual([all.slice(-1), false])
})

describe('Q5: malformed parameters of the updates feed', () => {
  it.each(['limit=-1', 'limit=0', 'limit=1001', 'limit=1e9', 'limit=1.5', 'limit=%205', 'limit=', 'limit=1&limit=2'])(
    'the updates feed refuses %s',
    async query => {
      const { statusCode, body } = await s.get(`/v2/updates?${query}`)
      expect([statusCode, JSON.parse(body).detail[0].loc]).toEqual([422, ['query', 'limit']])
    },
  )
  it.each(['0001-01-01', '2026-02-30', '20260630', '2026-06-30T00:00:00Z', "2026-06-30'--", '', 'today'])(
    'the updates feed refuses since="%s"',
    async since => {
      const { statusCode, body } = await s.get(`/v2/updates?since=${encodeURIComponent(since)}`)
      expect([statusCode, JSON.parse(body).detail[0].type]).toEqual([422, 'date'])
    },
  )
  it('the updates feed refuses an unknown parameter and suggests the nearest name', async () => {
    const { statusCode, body } = await s.get('/v2/updates?from=2026-06-30&limt=3')
    expect([statusCode, JSON.parse(body).detail[1].msg]).toEqual([422, 'limt is not a parameter of this path; did you mean limit?'])
  })
})

describe('cursors of the updates feed', () => {
  const partsOf = (cursor: string): unknown[] => JSON.parse(Buffer.from(cursor, 'base64url').toString())
  const cursorOf = (...fields: unknown[]): string => Buffer.from(JSON.stringify(fields)).toString('base64url')
  const PLACE = '20260701T120000000Z institutional-positioning'

  it.each([
    ['not base64', '*'],
    ['empty', ''],
    ['of another version', cursorOf(2, '2026-06-30', null, PLACE)],
    ['with an impossible day', cursorOf(1, '2026-02-30', null, PLACE)],
    ['with a malformed position', cursorOf(1, '2026-06-30', null, "x' OR 1=1")],
    ['with too many fields', cursorOf(1, '2026-06-30', null, PLACE, 1)],
    ['of a JSON object', Buffer.from('{}').toString('base64url')],
    ['padded', `${cursorOf(1, '2026-06-30', null, PLACE)}==`],
    ['of 8 KB', 'A'.repeat(8_000)],
  ])('the updates feed refuses a cursor %s', async (_, cursor) => {
    const response = await s.get(`/v2/updates?cursor=${encodeURIComponent(cursor)}`)
    expect([response.statusCode, response.json().error.error_code]).toEqual([400, 'invalid_cursor'])
  })

  it('the updates feed refuses a cursor if any field in it was never issued', async () => {
    const { next_cursor } = await page('/v2/updates?category=capital_flows&limit=1')
    const parts = partsOf(next_cursor!)
    expect((await s.get(`/v2/updates?cursor=${cursorOf(...parts)}`)).statusCode).toBe(200)
    const forged = [
      [parts[0], parts[1], 'internal', ...parts.slice(3)],
      [parts[0], parts[1], 'internal', [null, null, null, null, null, null], parts[4]],
      [parts[0], parts[1], 'no such thing', [null, null, null, null, null, null], parts[4]],
      [parts[0], 'yesterday', ...parts.slice(2)],
      [parts[0], '2026-06-30', ...parts.slice(2)],
      [...parts.slice(0, 3), ['2026-02-30', null, null, null, null, null], parts[4]],
      [...parts.slice(0, 3), ['2026-06-30', null, null, null, null, null], parts[4]],
      [...parts.slice(0, 3), [], parts[4]],
      [...parts.slice(0, 4), "x' OR 1=1"],
      [2, ...parts.slice(1)],
    ]
    for (const fields of forged) {
      const response = await s.get(`/v2/updates?cursor=${cursorOf(...fields)}`)
      expect([fields, response.statusCode, response.json().error?.error_code]).toEqual([fields, 400, 'invalid_cursor'])
    }
  })

  it('the updates feed refuses a cursor if the parameters differ from those of the request that returned the cursor', async () => {
    const { next_cursor } = await page('/v2/updates?since=2026-06-01&category=capital_flows&limit=1')
    for (const other of ['since=2026-06-02', 'category=macroeconomics']) {
      const response = await s.get(`/v2/updates?${other}&cursor=${next_cursor}`)
      expect([response.statusCode, response.json().error]).toMatchObject([400, { error_code: 'invalid_cursor', since: '2026-06-01' }])
    }
    expect((await s.get(`/v2/updates?since=2026-06-01&cursor=${next_cursor}`)).statusCode).toBe(200)
  })
})
