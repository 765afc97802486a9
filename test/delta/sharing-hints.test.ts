import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bucketOf, type Part } from '../../src/releases/index.ts'
import { APPENDED, DAYS, SLUG } from '../behaviour/compatibility/months.ts'
import { service, type TestService } from '../support.ts'

/** A release with two buckets (330 tickers on 80 days) and a delta part (one more day). */
let s: TestService
let parts: readonly Part[]
let buckets = 0
beforeAll(async () => {
  s = await service({ examples: false, inMemory: false })
  cpSync(join('test/behaviour/compatibility/months', SLUG), join(s.dir, 'releases', SLUG), { recursive: true })
  await s.releases.refresh()
  ;({ parts, buckets } = s.releases.current(s.dataset(SLUG)).manifest)
})
afterAll(() => s.close())

async function listed(body: object) {
  const answer = await s.app.inject({
    method: 'POST',
    url: '/delta-sharing/shares/pro/schemas/twmd/tables/institutional_positioning/query',
    headers: { authorization: `Bearer ${s.keyOn('pro')}`, 'content-type': 'application/json' },
    payload: body,
  })
  const lines = answer.body.trimEnd().split('\n')
  const shas: readonly string[] = lines.flatMap(line => JSON.parse(line).file?.id ?? [])
  return { parts: shas.map(sha => parts.find(({ sha256 }) => sha256 === sha)!), credits: Number(answer.headers['x-credits-charged']) }
}
const placesOf = async (body: object) => (await listed(body)).parts.map(({ role, bucket }) => (role === 'delta' ? role : bucket))
const sql = (...predicateHints: readonly string[]) => ({ predicateHints })
const BEFORE = DAYS.at(-1)!
const firstBucket = bucketOf('1101', 2)

it('the fixture release has two buckets and a delta part', () => {
  expect(parts.map(({ role, bucket }) => [role, bucket])).toEqual([
    ['base', 0],
    ['base', 1],
    ['delta', null],
  ])
  expect(buckets).toBe(2)
})

it.each([
  ['everything', {}, [0, 1, 'delta']],
  ['a ticker', sql("ticker = '1101'"), [firstBucket, 'delta']],
  ['a ticker in days before the delta part', sql("ticker = '1101'", `trade_date <= '${BEFORE}'`), [firstBucket]],
  ['the last day', sql(`trade_date >= '${APPENDED}'`), ['delta']],
  ['days before the first row', sql("trade_date < '2020-01-01'"), []],
  ['a ticker that does not exist', sql("ticker = '9999'"), []],
  ['an unsupported predicate', sql("ticker LIKE '1%'"), [0, 1, 'delta']],
  ['at most ten rows', { limitHint: 10 }, [0]],
  ['at most zero rows', { limitHint: 0 }, []],
  ['at most a million rows of the last day', { ...sql(`trade_date = '${APPENDED}'`), limitHint: 1_000_000 }, ['delta']],
  [
    'a ticker in a JSON hint',
    {
      jsonPredicateHints: JSON.stringify({
        op: 'equal',
        children: [
          { op: 'column', name: 'TICKER', valueType: 'string' },
          { op: 'literal', value: '1101', valueType: 'string' },
        ],
      }),
    },
    [firstBucket, 'delta'],
  ],
])('a shared-table query for %s lists only parts that may have matching rows', async (_, body, expected) =>
  expect(await placesOf(body)).toEqual(expected),
)

it('a shared-table query by ticker lists the base part and the delta part that have rows of the ticker', async () => {
  for (const ticker of ['1101', '1102', '1200', '1430']) {
    const { parts: found } = await listed(sql(`ticker = '${ticker}'`))
    const rows = await s.get(`/v2/datasets/${SLUG}?symbol=${ticker}&limit=100`, s.keyOn('pro'))
    expect(rows.json().data).toHaveLength(81)
    expect(found.filter(({ role, bucket }) => role === 'delta' || bucket === bucketOf(ticker, buckets))).toHaveLength(2)
  }
})

it('hints lower the price of a shared-table query to the price of the listed rows', async () => {
  const [all, few, none] = [await listed({}), await listed(sql(`trade_date >= '${APPENDED}'`)), await listed({ limitHint: 0 })]
  const { credits } = s.dataset(SLUG).access!
  expect([all.credits, few.credits, none.credits]).toEqual([2 * credits, credits, credits])
})
