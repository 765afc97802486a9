import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openMailer, openTransport } from '../../../src/accounts/index.ts'
import { createLog } from '../../../src/core/index.ts'
import { type Portal, portal } from '../portal.ts'

let p: Portal
beforeEach(async () => {
  p = await portal()
})
afterEach(() => p.close())

const EMAIL = 'someone@example.test'
const started = async (email = EMAIL): Promise<string> => {
  const response = await p.start(email)
  expect(response.statusCode).toBe(200)
  return response.json().flow_id
}
const outbox = () => p.rows('SELECT state, attempts, sealed IS NULL AS erased FROM mail_outbox ORDER BY id')
const WAITING = { state: 'waiting', attempts: 1, erased: 0 }
const SENT_AFTER_ONE = { state: 'sent', attempts: 2, erased: 1 }

describe('O6: a mail server that', () => {
  const later = async () => {
    p.pass(0.5)
    await p.deliver()
  }
  /** The mail waits, goes out once when the server takes it, and its code works. */
  async function expectSentOnce(flowId: string) {
    expect(outbox()).toEqual([WAITING])
    await later()
    expect(p.post.mails).toHaveLength(1)
    expect(outbox()).toEqual([SENT_AFTER_ONE])
    p.pass(5)
    await p.deliver()
    expect(p.post.mails).toHaveLength(1)
    expect((await p.complete(flowId, await p.codeFor(EMAIL))).statusCode).toBe(200)
  }

  it('is down does not keep a start of a sign-in from being answered, nor a code from arriving once it is back', async () => {
    await p.post.goAway()
    const flow = await started()
    await p.deliver()
    await p.post.comeBack()
    await expectSentOnce(flow)
  })

  it.each([421, 450, 451, 452, 500, 550, 554])('answers %i is tried again', async status => {
    p.post.refuse(status)
    const flow = await started()
    await p.deliver()
    expect(p.post.mails).toEqual([])
    p.post.refuse(null)
    await expectSentOnce(flow)
  })

  it('breaks off midway is tried again', async () => {
    const answer = p.post.dawdle()
    const flow = await started()
    const underway = p.deliver()
    await vi.waitUntil(() => p.post.receiving() > 0)
    await p.post.goAway()
    await underway
    answer()
    await p.post.comeBack()
    await expectSentOnce(flow)
  })

  it('is slow delays no request, and is sent each mail once', async () => {
    const answer = p.post.dawdle()
    await started()
    const underway = p.deliver()
    await vi.waitUntil(() => p.post.receiving() > 0)
    await started('another@example.test')
    const [again, more] = [p.deliver(), p.deliver()]
    answer()
    await Promise.all([underway, again, more])
    expect(p.post.mails.map(({ to }) => to[0])).toEqual([EMAIL, 'another@example.test'])
  })

  it('refuses one mail is still given the next', async () => {
    await started('first@example.test')
    await started('second@example.test')
    p.post.refuse(550, 'first@example.test')
    await p.deliver()
    expect(p.post.mails.map(({ to }) => to[0])).toEqual(['second@example.test'])
  })
})

describe('O6: a mail that nobody takes', () => {
  it('is tried at growing intervals, seven times, and then given up with its text', async () => {
    p.post.refuse(451)
    await started()
    const tries: number[] = []
    for (let minute = 0; minute <= 180; minute += 0.5) {
      const before = attempts()
      await p.deliver()
      if (attempts() > before) tries.push(minute)
      p.pass(0.5)
    }
    expect(tries).toEqual([0, 0.5, 1.5, 3.5, 8.5, 23.5, 83.5])
    expect(outbox()).toEqual([{ state: 'given_up', attempts: 7, erased: 1 }])
    p.post.refuse(null)
    await p.deliver()
    expect(p.post.mails).toEqual([])
  })
  const attempts = (): number => (outbox() as [{ attempts: number }])[0].attempts

  it('is on record without its text', async () => {
    p.post.refuse(550)
    await started()
    await p.deliver()
    expect(p.rows('SELECT last_error FROM mail_outbox')).toEqual([{ last_error: expect.stringContaining('550') }])
    const [failed] = p.lines.map(line => JSON.parse(line)).filter(({ event }) => event === 'mail failed')
    expect(failed).toMatchObject({ mail: 1, attempts: 1 })
    expect(p.lines.join('')).not.toContain(EMAIL)
  })
})

describe('O6: a mailed code', () => {
  it('is erased from the outbox once it is sent', async () => {
    await started()
    expect(outbox()).toEqual([{ state: 'waiting', attempts: 0, erased: 0 }])
    await p.deliver()
    expect(outbox()).toEqual([{ state: 'sent', attempts: 1, erased: 1 }])
  })

  it('K8: is not readable in the state file before that either', async () => {
    await p.post.goAway()
    await started()
    await p.deliver()
    const waiting = p.stolen()
    await p.post.comeBack()
    p.pass(1)
    const code = await p.codeFor(EMAIL)
    expect(waiting).toContain(EMAIL)
    for (const file of [waiting, p.stolen()]) {
      expect(file).not.toContain(code)
      expect(file).not.toContain('Your code is')
    }
  })

  it('K7: that was moved to another recipient’s row is not sent to them', async () => {
    await started('victim@example.test')
    await started('thief@example.test')
    p.tamper(
      "UPDATE mail_outbox SET sealed = (SELECT sealed FROM mail_outbox WHERE to_address = 'victim@example.test') WHERE to_address = 'thief@example.test'",
    )
    await p.deliver()
    expect(p.post.mails.map(({ to }) => to[0])).toEqual(['victim@example.test'])
  })
})

it('a state file that does not answer delays mails and nothing else', async () => {
  const lines: string[] = []
  const log = createLog('info', { write: line => void lines.push(line) })
  p.tamper('ALTER TABLE mail_outbox RENAME TO away')
  const mailer = openMailer(p.control.outbox, openTransport(p.post.url, 'x@twmd.test'), p.now, log, 5)
  await vi.waitUntil(() => lines.length > 2)
  expect(JSON.parse(lines[0]!)).toMatchObject({ event: 'failed', during: 'sending mail' })
  p.tamper('ALTER TABLE away RENAME TO mail_outbox')
  await started()
  await vi.waitUntil(() => p.post.mails.length > 0)
  await mailer.close()
})
