import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Portal, portal, refused } from './portal.ts'

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

  it('are limited where the address is wrong as well', async () => {
    for (let count = 1; count <= 10; count++) expect((await p.start('nobody', { ip: '203.0.113.11' })).statusCode).toBe(422)
    expect((await p.start('nobody', { ip: '203.0.113.11' })).statusCode).toBe(429)
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
  it('stop at three hundred within an hour', async () => {
    const other = await portal({ limits: true })
    const start = (count: number) => other.start(`crowd${count}@example.test`)
    for (let count = 1; count <= 300; count++) expect((await start(count)).statusCode).toBe(200)
    const next = await start(301)
    expect(refused(next)).toEqual([503, 'overloaded'])
    expect(next.headers['retry-after']).toBe('600')
    other.pass(61)
    expect((await start(302)).statusCode).toBe(200)
    await other.close()
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
