import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Portal, portal } from '../portal.ts'

let p: Portal
beforeEach(async () => {
  p = await portal()
})
afterEach(() => p.close())

const MONTH = 31 * 24 * 60
const EMAIL = 'someone@example.test'
const mails = async (): Promise<number> => {
  await p.deliver()
  return p.post.mails.length
}

describe('once a clock that went ahead by a month is put back', () => {
  it('an address that had its codes of the hour is mailed another, which works, and the former ones do not', async () => {
    p.pass(MONTH)
    const ahead = []
    for (let count = 0; count < 5; count++) {
      ahead.push((await p.start(EMAIL)).json().flow_id)
      p.pass(1.1)
    }
    const former = await p.codeFor(EMAIL)
    expect(await mails()).toBe(5)
    p.pass(-MONTH)
    expect((await p.complete(ahead.at(-1)!, former)).json().error.error_code).toBe('invalid_or_expired_code')
    const { flow_id, resend_after } = (await p.start(EMAIL)).json()
    expect(resend_after).toBe(60)
    expect(await mails()).toBe(6)
    expect((await p.complete(flow_id, await p.codeFor(EMAIL))).statusCode).toBe(200)
  })

  it('mails of that time are not counted among those of the hour', async () => {
    p.pass(MONTH)
    p.tamper(
      `INSERT INTO mail_outbox (to_address, subject, state, next_at, created_at, kind)
       SELECT 'a@example.test', '', 'sent', created_at, created_at, 'code' FROM
         (SELECT ? AS created_at), (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) SELECT i FROM n)`,
      `${new Date(p.now().getTime() + 8 * 3_600_000).toISOString().slice(0, -1)}+08:00`,
    )
    expect((await p.start(EMAIL)).statusCode).toBe(503)
    p.pass(-MONTH)
    expect((await p.start(EMAIL)).statusCode).toBe(200)
  })

  it('a mail that waits for its next attempt is sent, once', async () => {
    p.pass(MONTH)
    p.post.refuse(450)
    await p.start(EMAIL)
    expect(await mails()).toBe(0)
    p.post.refuse(null)
    p.pass(-MONTH)
    expect(await mails()).toBe(1)
    p.pass(60)
    expect(await mails()).toBe(1)
  })

  it('a session of that time shows no secret', async () => {
    p.pass(MONTH)
    const owner = await p.signIn(EMAIL)
    const reveal = () => p.as(owner, 'GET', `api-keys/${owner.apiKey!.key_id}/reveal`)
    expect((await reveal()).statusCode).toBe(200)
    p.pass(-MONTH)
    expect((await reveal()).json().error.error_code).toBe('reauth_required')
  })
})
