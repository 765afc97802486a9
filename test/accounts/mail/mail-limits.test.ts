import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Portal, portal, refused } from '../portal.ts'

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

describe('O3: starts of sign-ins from one sender', () => {
  const tenThen = async (sender: (count: number) => string, last: string) => {
    for (let count = 1; count <= 10; count++)
      expect((await p.start(`person${people++}@example.test`, { ip: sender(count) })).statusCode, `start ${count}`).toBe(200)
    return p.start(`person${people++}@example.test`, { ip: last })
  }

  it('are refused from the eleventh within an hour on', async () => {
    const eleventh = await tenThen(() => '203.0.113.7', '203.0.113.7')
    expect(refused(eleventh)).toEqual([429, 'rate_limited'])
    expect(Number(eleventh.headers['retry-after'])).toBe(eleventh.json().error.retry_after)
    expect(eleventh.json().error.retry_after).toBeGreaterThan(0)
    expect((await p.start('neighbour@example.test', { ip: '203.0.113.8' })).statusCode).toBe(200)
  })

  it('count by the /64 of an IPv6 address', async () => {
    expect(refused(await tenThen(count => `2001:db8:1:2:${count}::1`, '2001:db8:1:2:ffff:ffff:ffff:ffff'))).toEqual([429, 'rate_limited'])
    expect((await p.start('next@example.test', { ip: '2001:db8:1:3::1' })).statusCode).toBe(200)
  })

  it('count an IPv4 address the same however it is written', async () => {
    expect(refused(await tenThen(() => '203.0.113.9', '::ffff:203.0.113.9'))).toEqual([429, 'rate_limited'])
  })

  it('are counted together whatever headers the sender writes', async () => {
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

  it('do not count among the ten where the address is refused and nothing is mailed', async () => {
    for (let count = 1; count <= 12; count++) expect((await p.start('nobody', { ip: '198.51.100.11' })).statusCode).toBe(422)
    expect(refused(await tenThen(() => '198.51.100.11', '198.51.100.11'))).toEqual([429, 'rate_limited'])
  })
})

describe('O3: mails to one address', () => {
  it('within a minute are one, and its code goes on working', async () => {
    const first = (await p.start('cool@example.test')).json()
    p.pass(0.5)
    const second = (await p.start('COOL@example.test')).json()
    expect(second).toMatchObject({ status: 'code_sent', expires_in: 570, resend_after: 30 })
    const code = await p.codeFor('cool@example.test')
    expect(await mailsTo('cool@example.test')).toBe(1)
    expect((await p.complete(first.flow_id, code)).statusCode).toBe(200)
  })

  it('after a minute are two, and only the newer code works', async () => {
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

  it('are five an hour at most, from however many senders, and the last code goes on working', async () => {
    const starts = []
    for (let count = 1; count <= 8; count++) {
      starts.push(await p.start(count % 2 ? 'victim@example.test' : 'Victim@Example.Test'))
      p.pass(1.1)
    }
    expect(starts.map(({ statusCode }) => statusCode)).toEqual(Array(8).fill(200))
    // The first was mailed 7.7 minutes before the last was asked for, and 4.4 before the fifth.
    const waits = starts.map(start => start.json().resend_after)
    expect([waits[0], waits[3], waits[4], waits[7]]).toEqual([60, 60, (60 - 4.4) * 60, (60 - 7.7) * 60])
    expect((await mailsTo('victim@example.test')) + (await mailsTo('Victim@example.test'))).toBe(5)
    const last = await p.codeFor('victim@example.test')
    expect((await p.complete(starts[7]!.json().flow_id, last)).statusCode).toBe(200)
    p.pass(60)
    await p.start('victim@example.test')
    expect(await mailsTo('victim@example.test')).toBe(4)
  })

  it('beyond which no flow is made that a code could complete', async () => {
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

describe('O3: mails of the whole service', () => {
  let other: Portal
  beforeEach(async () => {
    other = await portal({ limits: true })
  })
  afterEach(() => other.close())

  let strangers = 0
  const stranger = (): string => `stranger${strangers++}@example.test`
  const at = (network: string, host: number): string => network.replace('%', String(host))
  /** Has strangers' codes mailed from networks that ask once each. */
  const useUp = async (mails: number): Promise<void> => {
    for (let count = 0; count < mails; count++) expect((await other.start(stranger())).statusCode, `start ${count}`).toBe(200)
  }
  const signedUp = async (people: number): Promise<readonly string[]> => {
    const emails = Array.from({ length: people }, stranger)
    for (const email of emails) await other.signIn(email)
    other.pass(61)
    return emails
  }
  const mailsTo = async (email: string): Promise<number> => {
    await other.deliver()
    return other.post.mails.filter(({ to }) => to[0] === email).length
  }

  it('are not used up by thirty senders, however often they ask', async () => {
    const senders = Array.from({ length: 30 }, (_, network) => `198.51.${network}.7`)
    const statuses = new Set<number>()
    for (let round = 0; round < 10; round++) for (const ip of senders) statuses.add((await other.start(stranger(), { ip })).statusCode)
    expect([...statuses]).toEqual([200, 429])
    const newcomer = stranger()
    const answer = await other.start(newcomer)
    expect([answer.statusCode, answer.json()]).toEqual([200, expect.not.objectContaining({ notice: expect.anything() })])
    expect(await mailsTo(newcomer)).toBe(1)
  })

  it.each([
    ['/24', '198.51.100.%', '198.51.101.1'],
    ['/48', '2001:db8:7:%::1', '2001:db8:8:1::1'],
  ])('are shared out by network, a %s: its share is refused with the time until it asks again', async (_, network, neighbour) => {
    let asked = 0
    let answer = await other.start(stranger(), { ip: at(network, asked) })
    while (answer.statusCode === 200) {
      other.pass(0.1)
      answer = await other.start(stranger(), { ip: at(network, ++asked) })
    }
    expect(asked).toBe(33)
    expect(refused(answer)).toEqual([429, 'rate_limited'])
    const { retry_after, error_message } = answer.json().error
    expect(error_message).toContain('network')
    expect(answer.headers['retry-after']).toBe(String(retry_after))
    expect((await other.start(stranger(), { ip: neighbour })).statusCode).toBe(200)
    other.pass((retry_after - 1) / 60)
    expect((await other.start(stranger(), { ip: at(network, 100) })).statusCode).toBe(429)
    other.pass(1 / 60)
    expect((await other.start(stranger(), { ip: at(network, 101) })).statusCode).toBe(200)
  })

  it('go to addresses with an account when strangers have used theirs up; everyone hears so, and when strangers are written to again', async () => {
    const [customer] = (await signedUp(1)) as [string]
    const newcomer = stranger()
    await useUp(100)
    other.pass(10)
    await useUp(100)
    const [known, unknown] = [(await other.start(customer)).json(), (await other.start(newcomer)).json()]
    expect(known).toMatchObject({ status: 'code_sent', resend_after: 3_000, notice: expect.stringContaining('have an account') })
    expect({ ...unknown, flow_id: '' }).toEqual({ ...known, flow_id: '' })
    expect([await mailsTo(customer), await mailsTo(newcomer)]).toEqual([2, 0])
    expect((await other.complete(known.flow_id, await other.codeFor(customer))).statusCode).toBe(200)
    expect(other.lines.map(line => JSON.parse(line).event)).toContain('mails short')
    other.pass(50)
    const later = (await other.start(newcomer)).json()
    expect(later).not.toHaveProperty('notice')
    expect((await other.complete(later.flow_id, await other.codeFor(newcomer))).statusCode).toBe(200)
  })

  it('do not tell by a later answer which addresses have an account', async () => {
    const [customer] = (await signedUp(1)) as [string]
    await useUp(200)
    const newcomer = stranger()
    const heard = async (email: string, ip: string) => {
      const answers = []
      for (let count = 0; count < 4; count++) {
        const { statusCode, body } = await other.start(email, { ip })
        answers.push([statusCode, body.replaceAll(/(flow|req)_\w+/g, '$1')])
        if (count % 2 === 1) other.pass(1)
      }
      other.pass(-2)
      answers.push((await other.start(stranger(), { ip })).statusCode)
      return answers
    }
    expect(await heard(newcomer, '198.51.100.1')).toEqual(await heard(customer, '198.51.101.1'))
  })

  it('stop at three hundred within an hour, with the time until one can be sent', async () => {
    const customers = await signedUp(101)
    await useUp(200)
    other.pass(20)
    for (const email of customers.slice(0, 100)) expect((await other.start(email)).statusCode).toBe(200)
    const next = await other.start(customers[100]!)
    expect(refused(next)).toEqual([503, 'overloaded'])
    expect([next.headers['retry-after'], next.json().error.error_message]).toEqual(['2400', expect.stringContaining('sign in')])
    other.pass(40)
    expect((await other.start(customers[100]!)).statusCode).toBe(200)
    expect(await mailsTo(customers[100]!)).toBe(2)
  })
})

describe('wrong codes', () => {
  it('are sixty an hour from one sender at most', async () => {
    const guess = async () => (await p.complete('flow_unknown', '00000000', '203.0.113.20')).statusCode
    const statuses = []
    for (let count = 1; count <= 61; count++) statuses.push(await guess())
    expect(statuses).toEqual([...Array(60).fill(401), 429])
  })
})
