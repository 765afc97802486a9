import { afterAll, expect, it } from 'vitest'
import { SQL_ATTEMPTS } from '../behaviour/attacks/sql-attempts.ts'
import { service } from '../support.ts'

const s = await service()
const key = s.keyOn('free')
afterAll(s.close)

const post = (q: string) => s.app.inject({ method: 'POST', url: '/v2/sql', headers: { 'x-api-key': key }, payload: { q } })

it.each(SQL_ATTEMPTS.filter(([, refusal]) => /time limit|memory/.test(refusal)))(
  'the service ends %s at its limit, free of charge, and runs the next query',
  async text => {
    const answer = await post(text)
    expect(answer.json().error.error_message).toMatch(/exceeded its time limit|needs more memory/)
    expect([answer.statusCode, answer.headers['x-credits-charged']]).toEqual([
      answer.json().error.error_code === 'query_timeout' ? 504 : 422,
      '0',
    ])
    const next = await post('SELECT 1 AS works')
    expect(next.json().data, next.body).toEqual([{ works: 1 }])
  },
  60_000,
)
