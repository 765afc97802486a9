import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Portal, portal } from '../portal.ts'

let p: Portal
/** A new address for each test. */
let email = ''
let people = 0
beforeAll(async () => {
  p = await portal()
})
beforeEach(() => {
  email = `someone${people++}@example.test`
})
afterAll(() => p.close())

const MONTH = 31 * 24 * 60
const mails = async (): Promise<number> => {
  await p.deliver()
  return p.post.mails.filter(({ to }) => to[0] === email).length
}

describe('clock set back by a month', () => {
  it('an address gets a new code after the clock is set back, and earlier codes fail', async () => {
    p.pass(MONTH)
    const ahead = []
    for (let count = 0; count < 5; count++) {
      ahead.push((await p.start(email)).json().flow_id)
      p.pass(1.1)
    }
    const former = await p.codeFor(email)
    expect(await mails()).toBe(5)
    p.pass(-MONTH)
    expect((await p.complete(ahead.at(-1)!, former)).json().error.error_code).toBe('invalid_or_expired_code')
    const { flow_id, resend_after } = (await p.start(email)).json()
    expect(resend_after).toBe(60)
    expect(await mails()).toBe(6)
    expect((await p.complete(flow_id, await p.codeFor(email))).statusCode).toBe(200)
  })

  it('mails from before the clock was set back do not count toward the hourly limit', async () => {
    p.pass(MONTH)
    p.tamper(
      `INSERT INTO mail_outbox (to_address, subject, state, next_at, created_at, kind)
       SELECT 'a@example.test', '', 'sent', created_at, created_at, 'code' FROM
         (SELECT ? AS created_at), (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) SELECT i FROM n)`,
      `${new Date(p.now().getTime() + 8 * 3_600_000).toISOString().slice(0, -1)}+08:00`,
    )
    expect((await p.start(email)).statusCode).toBe(503)
    p.pass(-MONTH)
    expect((await p.start(email)).statusCode).toBe(200)
    p.tamper("DELETE FROM mail_outbox WHERE to_address = 'a@example.test'")
  })

  it('a mail waiting for its next attempt is sent once after the clock is set back', async () => {
    p.pass(MONTH)
    p.post.refuse(450)
    await p.start(email)
    expect(await mails()).toBe(0)
    p.post.refuse(null)
    p.pass(-MONTH)
    expect(await mails()).toBe(1)
    p.pass(60)
    expect(await mails()).toBe(1)
  })

  it('a session from before the clock was set back reveals no secret', async () => {
    p.pass(MONTH)
    const owner = await p.signIn(email)
    const reveal = () => p.as(owner, 'GET', `api-keys/${owner.apiKey!.key_id}/reveal`)
    expect((await reveal()).statusCode).toBe(200)
    p.pass(-MONTH)
    expect((await reveal()).json().error.error_code).toBe('reauth_required')
  })
})
