import { afterAll, expect, it } from 'vitest'
import { SQL_ATTEMPTS } from '../behaviour/attacks/sql-attempts.ts'
import { service } from '../support.ts'

const s = await service()
const key = s.keyOn('max')
afterAll(s.close)

/** A query that the engine ends because of its time or memory takes seconds. */
const SLOW = /time limit|memory/

const post = (body: object) => s.app.inject({ method: 'POST', url: '/v2/sql', headers: { 'x-api-key': key }, payload: body })

it('the list of SQL attempts has at least 200 entries', () => expect(SQL_ATTEMPTS.length).toBeGreaterThanOrEqual(200))

it('every SQL attempt is refused with its reason, without a path, and costs nothing', async () => {
  for (const [text, refusal] of SQL_ATTEMPTS.filter(([, refusal]) => !SLOW.test(refusal))) {
    const answer = await post({ q: text })
    const words = answer.json().error?.error_message ?? answer.body
    expect.soft(answer.statusCode, `${text.slice(0, 100)}: ${answer.body.slice(0, 200)}`).toBe(422)
    expect.soft(words, text.slice(0, 100)).toContain(refusal)
    expect.soft(answer.body, text.slice(0, 100)).not.toMatch(/releases\/|\.parquet'|read_parquet\(\[|root:|twmd-/)
    expect.soft(answer.headers['x-credits-charged'], text.slice(0, 100)).toBe('0')
  }
}, 120_000)
