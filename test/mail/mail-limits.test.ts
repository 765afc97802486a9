import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readEmail } from '../../src/accounts/index.ts'
import { type Portal, portal, refused } from '../accounts/portal.ts'

let p: Portal
beforeAll(async () => {
  p = await portal({ limits: true })
})
afterAll(() => p.close())

let people = 0
const mailsTo = async (address: string): Promise<number> => {
  await p.deliver()
  return p.post.mails.filter(({ to }) => to[0] === address).length
}

describe('sign-in starts of one sender', () => {
  const tenThen = async (sender: (count: number) => string, last: string) => {
    for (let count = 1; count <= 10; count++)
      expect((await p.start(`person${people++}@example.test`, { ip: sender(count) })).statusCode, `start ${count}`).toBe(200)
    return p.start(`person${people++}@example.test`, { ip: last })
  }

  it('O3: a sender cannot start an eleventh sign-in within an hour', async () => {
    const eleventh = await tenThen(() => '203.0.113.7', '203.0.113.7')
    expect(refused(eleventh)).toEqual([429, 'rate_limited'])
    expect(Number(eleventh.headers['retry-after'])).toBe(eleventh.json().error.retry_after)
    expect(eleventh.json().error.retry_after).toBeGreaterThan(0)
    expect((await p.start('neighbour@example.test', { ip: '203.0.113.8' })).statusCode).toBe(200)
  })

  it('O3: IPv6 senders are counted by their /64 network', async () => {
    expect(refused(await tenThen(count => `2001:db8:1:2:${count}::1`, '2001:db8:1:2:ffff:ffff:ffff:ffff'))).toEqual([429, 'rate_limited'])
    expect((await p.start('next@example.test', { ip: '2001:db8:1:3::1' })).statusCode).toBe(200)
  })

  it('O3: an IPv4 sender and its IPv4-mapped IPv6 address count as one sender', async () => {
    expect(refused(await tenThen(() => '203.0.113.9', '::ffff:203.0.113.9'))).toEqual([429, 'rate_limited'])
  })

  it('O3: forwarding headers of an untrusted sender do not change its count', async () => {
    for (let count = 1; count <= 11; count++) {
      const response = await p.send(
        'POST',
        '/v2/self-serve/onboarding/start',
        { 'x-forwarded-for': `192.0.2.${count}`, forwarded: `for=192.0.2.${count}`, 'x-real-ip': `192.0.2.${count}` },
        { email: `forwarded${count}@example.test` },
        '203.0.113.10',
      )
      expect(response.statusCode).toBe(count === 11 ? 429 : 200)
    }
  })

  it('O3: a sign-in with an invalid address does not count towards the limit', async () => {
    for (let count = 1; count <= 12; count++) expect((await p.start('nobody', { ip: '198.51.100.11' })).statusCode).toBe(422)
    expect(refused(await tenThen(() => '198.51.100.11', '198.51.100.11'))).toEqual([429, 'rate_limited'])
  })
})

describe('mails to one address', () => {
  it('O3: two sign-in starts within a minute mail one code, which keeps working', async () => {
    const first = (await p.start('cool@example.test')).json()
    p.pass(0.5)
    const second = (await p.start('COOL@example.test')).json()
    expect(second).toMatchObject({ status: 'code_sent', expires_in: 570, resend_after: 30 })
    const code = await p.codeFor('cool@example.test')
    expect(await mailsTo('cool@example.test')).toBe(1)
    expect((await p.complete(first.flow_id, code)).statusCode).toBe(200)
  })

  it('O3: a second sign-in start after a minute mails a new code, and only the new code works', async () => {
    const first = (await p.start('patient@example.test')).json()
    const code = await p.codeFor('patient@example.test')
    p.pass(1)
    const second = (await p.start('patient@example.test')).json()
    expect(second.flow_id).not.toBe(first.flow_id)
    const newer = await p.codeFor('patient@example.test')
    expect(await mailsTo('patient@example.test')).toBe(2)
    expect((await p.complete(first.flow_id, code)).statusCode).toBe(401)
    expect((await p.complete(second.flow_id, newer)).statusCode).toBe(200)
  })

  it('O3: an address gets at most five mails an hour from any number of senders, and the last code works', async () => {
    const starts = []
    for (let count = 1; count <= 8; count++) {
      starts.push(await p.start(count % 2 ? 'victim@example.test' : 'Victim@Example.Test'))
      p.pass(1.1)
    }
    expect(starts.map(({ statusCode }) => statusCode)).toEqual(Array(8).fill(200))
    // The first mail is 7.7 minutes older than the last start, and 4.4 minutes older than the fifth.
    const waits = starts.map(start => start.json().resend_after)
    expect([waits[0], waits[3], waits[4], waits[7]]).toEqual([60, 60, (60 - 4.4) * 60, (60 - 7.7) * 60])
    expect((await mailsTo('victim@example.test')) + (await mailsTo('Victim@example.test'))).toBe(5)
    const last = await p.codeFor('victim@example.test')
    expect((await p.complete(starts[7]!.json().flow_id, last)).statusCode).toBe(200)
    p.pass(60)
    await p.start('victim@example.test')
    expect(await mailsTo('victim@example.test')).toBe(4)
  })

  it('O3: a sign-in start above the mail limit creates no flow that a code could complete', async () => {
    for (let count = 1; count <= 5; count++) {
      await p.start('flooded@example.test')
      p.pass(1.1)
    }
    p.pass(10)
    const { flow_id } = (await p.start('flooded@example.test')).json()
    expect(flow_id).toMatch(/^flow_/)
    expect(p.rows('SELECT id FROM onboarding_flow WHERE id = ?', flow_id)).toEqual([])
    expect((await p.complete(flow_id, await p.codeFor('flooded@example.test'))).statusCode).toBe(401)
  })
})

describe('mails of the whole service', () => {
  let other: Portal
  beforeEach(async () => {
    other = await portal({ limits: true })
  })
  afterEach(() => other.close())

  let newcomers = 0
  const newAddress = (): string => `newcomer${newcomers++}@example.test`
  const address = (network: string, host: number): string => network.replace('%', String(host))
  /** Adds sent code mails to new addresses to the outbox. */
  const useUp = (mails: number): void => {
    const { outbox, transaction } = other.control
    transaction(() => {
      for (let count = 0; count < mails; count++) outbox.put({ to: newAddress(), subject: 's', body: 'b' }, other.now())
    })
    other.tamper("UPDATE mail_outbox SET state = 'sent', sealed = NULL WHERE state = 'waiting'")
  }
  /** Addresses with an account. */
  const customers = (count: number): readonly string[] => {
    const emails = Array.from({ length: count }, newAddress)
    for (const email of emails) other.control.accounts.ensure(readEmail(email)!, other.now())
    return emails
  }
  const mailsTo = async (email: string): Promise<number> => {
    await other.deliver()
    return other.post.mails.filter(({ to }) => to[0] === email).length
  }

  it.each([
    ['/24', '198.51.100.%', '198.51.101.1'],
    ['/48', '2001:db8:7:%::1', '2001:db8:8:1::1'],
  ])('O3: a %s network above its share of mails is refused with the seconds until its next mail', async (_, network, neighbour) => {
    let starts = 0
    let answer = await other.start(newAddress(), { ip: address(network, starts) })
    while (answer.statusCode === 200) {
      other.pass(0.1)
      answer = await other.start(newAddress(), { ip: address(network, ++starts) })
    }
    expect(starts).toBe(33)
    expect(refused(answer)).toEqual([429, 'rate_limited'])
    const { retry_after, error_message } = answer.json().error
    expect(error_message).toContain('network')
    expect(answer.headers['retry-after']).toBe(String(retry_after))
    expect((await other.start(newAddress(), { ip: neighbour })).statusCode).toBe(200)
    other.pass((retry_after - 1) / 60)
    expect((await other.start(newAddress(), { ip: address(network, 100) })).statusCode).toBe(429)
    other.pass(1 / 60)
    expect((await other.start(newAddress(), { ip: address(network, 101) })).statusCode).toBe(200)
  })

  it('O3: if new addresses have used up their mails, only addresses with an account get mail; each response states the limit', async () => {
    const [customer] = customers(1) as [string]
    const newcomer = newAddress()
    useUp(100)
    other.pass(10)
    useUp(100)
    const [customerAnswer, unknown] = [(await other.start(customer)).json(), (await other.start(newcomer)).json()]
    expect(customerAnswer).toMatchObject({
      status: 'code_sent',
      resend_after: 3_000,
      notice: expect.stringContaining('addresses with an account'),
    })
    expect({ ...unknown, flow_id: '' }).toEqual({ ...customerAnswer, flow_id: '' })
    expect([await mailsTo(customer), await mailsTo(newcomer)]).toEqual([1, 0])
    expect((await other.complete(customerAnswer.flow_id, await other.codeFor(customer))).statusCode).toBe(200)
    expect(other.lines.map(line => JSON.parse(line).event)).toContain('mails short')
    other.pass(50)
    const later = (await other.start(newcomer)).json()
    expect(later).not.toHaveProperty('notice')
    expect((await other.complete(later.flow_id, await other.codeFor(newcomer))).statusCode).toBe(200)
  })

  it('O3: while mails are limited, responses do not reveal which addresses have an account', async () => {
    const [customer] = customers(1) as [string]
    useUp(200)
    const newcomer = newAddress()
    const heard = async (email: string, ip: string) => {
      const answers = []
      for (let count = 0; count < 4; count++) {
        const { statusCode, body } = await other.start(email, { ip })
        answers.push([statusCode, body.replaceAll(/(flow|req)_\w+/g, '$1')])
        if (count % 2 === 1) other.pass(1)
      }
      other.pass(-2)
      answers.push((await other.start(newAddress(), { ip })).statusCode)
      return answers
    }
    expect(await heard(newcomer, '198.51.100.1')).toEqual(await heard(customer, '198.51.101.1'))
  })

  it('O3: the service sends at most three hundred mails an hour, then refuses with Retry-After', async () => {
    const emails = customers(2)
    useUp(200)
    other.pass(20)
    useUp(99)
    expect((await other.start(emails[0]!)).statusCode).toBe(200)
    const next = await other.start(emails[1]!)
    expect(refused(next)).toEqual([503, 'overloaded'])
    expect([next.headers['retry-after'], next.json().error.error_message]).toEqual(['2400', expect.stringContaining('sign-in codes')])
    other.pass(40)
    expect((await other.start(emails[1]!)).statusCode).toBe(200)
    expect(await mailsTo(emails[1]!)).toBe(1)
  })
})

it('a sender gets 429 after sixty wrong codes in an hour', async () => {
  const guess = async () => (await p.complete('flow_unknown', '00000000', '203.0.113.20')).statusCode
  const statuses = []
  for (let count = 1; count <= 61; count++) statuses.push(await guess())
  expect(statuses).toEqual([...Array(60).fill(401), 429])
})
