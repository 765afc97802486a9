import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLog } from '../../src/core/index.ts'
import { openMailer, openTransport } from '../../src/mail/index.ts'
import { type Portal, portal } from '../accounts/portal.ts'

let p: Portal
/** The address of each test. */
let email: string
let people = 0
beforeAll(async () => {
  p = await portal()
})
afterAll(() => p.close())
beforeEach(() => {
  email = address()
})

const address = (): string => `someone${++people}@example.test`
const started = async (recipient = email): Promise<string> => {
  const response = await p.start(recipient)
  expect(response.statusCode).toBe(200)
  return response.json().flow_id
}
const outbox = (recipient = email) =>
  p.rows('SELECT state, attempts, sealed IS NULL AS erased FROM mail_outbox WHERE to_address = ? ORDER BY id', recipient) as readonly {
    readonly state: string
    readonly attempts: number
    readonly erased: number
  }[]
const mailsTo = (recipient = email) => p.post.mails.filter(mail => mail.to[0] === recipient)
const WAITING = { state: 'waiting', attempts: 1, erased: 0 }
const SENT_AFTER_ONE = { state: 'sent', attempts: 2, erased: 1 }

describe('a mail server that fails', () => {
  /** Expects the mail to wait, to be sent once when the server accepts it, and its code to work. */
  async function expectSentOnce(flowId: string, failure: string, recipient = email) {
    expect.soft(outbox(recipient), `after ${failure}`).toEqual([WAITING])
    p.pass(0.5)
    await p.deliver()
    expect.soft(mailsTo(recipient), `mails after ${failure}`).toHaveLength(1)
    expect.soft(outbox(recipient), `sent after ${failure}`).toEqual([SENT_AFTER_ONE])
    p.pass(5)
    await p.deliver()
    expect.soft(mailsTo(recipient), `mails five minutes after ${failure}`).toHaveLength(1)
    expect.soft((await p.complete(flowId, await p.codeFor(recipient))).statusCode, `code after ${failure}`).toBe(200)
  }

  it('O6: a sign-in start succeeds while the mail server is down, and the code is sent once the server is back', async () => {
    await p.post.goAway()
    const flow = await started()
    await p.deliver()
    await p.post.comeBack()
    await expectSentOnce(flow, 'an absence')
  })

  it('O6: if the mail server refuses a mail with a 4xx or 5xx status, the mail is retried and sent once', async () => {
    for (const status of [421, 450, 451, 452, 500, 550, 554]) {
      const recipient = address()
      p.post.refuse(status)
      const flow = await started(recipient)
      await p.deliver()
      expect.soft(mailsTo(recipient), `refused with ${status}`).toEqual([])
      p.post.refuse(null)
      await expectSentOnce(flow, `status ${status}`, recipient)
    }
  })

  it('O6: if the connection breaks while a mail is sent, the mail is retried and sent once', async () => {
    const answer = p.post.dawdle()
    const flow = await started()
    const underway = p.deliver()
    await vi.waitUntil(() => p.post.receiving() > 0, 20_000)
    await p.post.goAway()
    await underway
    answer()
    await p.post.comeBack()
    await expectSentOnce(flow, 'a broken connection')
  })

  it('O6: a slow mail server delays no request and gets each mail once', async () => {
    const other = address()
    const answer = p.post.dawdle()
    await started()
    const underway = p.deliver()
    await vi.waitUntil(() => p.post.receiving() > 0, 20_000)
    await started(other)
    const [again, more] = [p.deliver(), p.deliver()]
    answer()
    await Promise.all([underway, again, more])
    expect([email, other].map(to => mailsTo(to).length)).toEqual([1, 1])
  })

  it('O6: a refused mail does not delay the next mail', async () => {
    const [first, second] = [address(), address()]
    await started(first)
    await started(second)
    p.post.refuse(550, first)
    await p.deliver()
    p.post.refuse(null)
    expect([first, second].map(to => mailsTo(to).length)).toEqual([0, 1])
  })

  it('O6: a refused mail is tried seven times at growing intervals, then given up and erased', async () => {
    const attempts = (): number => outbox()[0]!.attempts
    p.post.refuse(451, email)
    await started()
    const tries: number[] = []
    for (let minute = 0; minute <= 90; minute += 0.5) {
      const before = attempts()
      await p.deliver()
      if (attempts() > before) tries.push(minute)
      p.pass(0.5)
    }
    expect(tries).toEqual([0, 0.5, 1.5, 3.5, 8.5, 23.5, 83.5])
    expect(outbox()).toEqual([{ state: 'given_up', attempts: 7, erased: 1 }])
    p.post.refuse(null)
    p.pass(90)
    await p.deliver()
    expect(mailsTo()).toEqual([])
  })

  it('O6: a failed mail is recorded and logged without its text and address', async () => {
    p.post.refuse(550)
    await started()
    const [{ id }] = p.rows('SELECT id FROM mail_outbox WHERE to_address = ?', email) as [{ id: number }]
    await p.deliver()
    p.post.refuse(null)
    expect(p.rows('SELECT last_error FROM mail_outbox WHERE id = ?', id)).toEqual([{ last_error: expect.stringContaining('550') }])
    const failed = p.lines.map(line => JSON.parse(line)).filter(({ event, mail }) => event === 'mail failed' && mail === id)
    expect(failed).toMatchObject([{ attempts: 1 }])
    expect(p.lines.join('')).not.toContain(email)
  })
})

describe('mailed codes in the state file', () => {
  it('O6: a mailed code is erased from the outbox once it is sent', async () => {
    await started()
    expect(outbox()).toEqual([{ state: 'waiting', attempts: 0, erased: 0 }])
    await p.deliver()
    expect(outbox()).toEqual([{ state: 'sent', attempts: 1, erased: 1 }])
  })

  it('K8: a code that waits to be mailed cannot be read in the state file', async () => {
    await p.post.goAway()
    await started()
    await p.deliver()
    const waiting = p.stolen()
    await p.post.comeBack()
    p.pass(1)
    const code = await p.codeFor(email)
    expect(waiting).toContain(email)
    for (const file of [waiting, p.stolen()]) {
      expect(file).not.toContain(code)
      expect(file).not.toContain('Your code is')
    }
  })

  it('K7: if a code is moved to the row of another recipient, it is not sent to that recipient', async () => {
    const [victim, thief] = [address(), address()]
    await started(victim)
    await started(thief)
    p.tamper('UPDATE mail_outbox SET sealed = (SELECT sealed FROM mail_outbox WHERE to_address = ?) WHERE to_address = ?', victim, thief)
    await p.deliver()
    expect([victim, thief].map(to => mailsTo(to).length)).toEqual([1, 0])
  })
})

it('an unreadable state file delays mails and does not stop the mailer', async () => {
  const lines: string[] = []
  const log = createLog('info', { write: line => void lines.push(line) })
  p.tamper('ALTER TABLE mail_outbox RENAME TO away')
  const mailer = openMailer(p.control.outbox, openTransport(p.post.url, 'x@twmd.test'), p.now, log, 5)
  await vi.waitUntil(() => lines.length > 2, 20_000)
  expect(JSON.parse(lines[0]!)).toMatchObject({ event: 'failed', during: 'sending mail' })
  p.tamper('ALTER TABLE away RENAME TO mail_outbox')
  await started()
  await vi.waitUntil(() => mailsTo().length > 0, 20_000)
  await mailer.close()
})
