import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { PLANS } from '../../catalog/index.ts'
import { holder } from '../accounts/usage/ledger.ts'
import { NOW, service, type TestService } from '../support.ts'

const STANDING = '/v2/account/entitlements'
/** Refusals of one caller that are sent without delay, and those sent per second after that. */
const [AT_ONCE, A_SECOND] = [20, 100]
const HELD_BEHIND_PROXIES = 256

let s: TestService
beforeAll(async () => {
  // The clock of the rate limits stands still.
  s = await service({ examples: false, limits: true, monotonicNow: () => 0 })
})
afterAll(() => s.close())

/** A key whose account has used up its minute. */
async function usedUp(email: string): Promise<string> {
  const { key } = holder(s, 'free', email, NOW)
  for (let time = 0; time < PLANS.free.requestsPerMinute; time++) expect((await s.get(STANDING, key)).statusCode).toBe(200)
  return key
}

/** Concurrent requests, each over its own connection. */
const flood = (times: number, key: string) => floodBy(times, () => s.get(STANDING, key))

function floodBy(times: number, ask: () => Promise<{ readonly statusCode: number }>) {
  const statuses: number[] = []
  const all = Promise.all(Array.from({ length: times }, () => ask().then(({ statusCode }) => void statuses.push(statusCode))))
  return {
    all,
    /** Statuses of the answers that have come. */
    async come() {
      for (let time = 0; time < 200; time++) await turn()
      return statuses
    },
  }
}

describe('refusals of one account', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  it('429s of one account are paced after the first 20, without delaying other accounts', async () => {
    const [key, other] = [await usedUp('flood@example.test'), await usedUp('few@example.test')]
    const { come, all } = flood(AT_ONCE + A_SECOND, key)
    expect(await come()).toEqual(Array(AT_ONCE).fill(429))
    const few = flood(AT_ONCE, other)
    expect(await few.come()).toHaveLength(AT_ONCE)
    vi.advanceTimersByTime(500)
    expect(await come()).toHaveLength(AT_ONCE + A_SECOND / 2)
    vi.advanceTimersByTime(500)
    await all
    expect(await come()).toEqual(Array(AT_ONCE + A_SECOND).fill(429))
  })

  it('a paced refusal is delayed by two seconds at most', async () => {
    const { come, all } = flood(1_000, await usedUp('many@example.test'))
    expect(await come()).toHaveLength(AT_ONCE)
    vi.advanceTimersByTime(900)
    expect((await come()).length).toBeLessThan(AT_ONCE + A_SECOND)
    vi.advanceTimersByTime(1_100)
    await all
    expect(await come()).toEqual(Array(1_000).fill(429))
  })

  it('paced refusals do not delay an account within its limits', async () => {
    const { come, all } = flood(AT_ONCE * 2, await usedUp('held@example.test'))
    expect(await come()).toHaveLength(AT_ONCE)
    expect((await s.get(STANDING, holder(s, 'free', 'within@example.test', NOW).key)).statusCode).toBe(200)
    vi.advanceTimersByTime(2_000)
    await all
  })
})

describe('refusals without an account', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  it.each([
    { refused: 'paths that do not exist', url: '/v2/nothing', accept: '*/*', status: 404, host: 1 },
    { refused: 'pages that do not exist', url: '/nothing', accept: 'text/html', status: 404, host: 2 },
    { refused: 'paths that cannot be read', url: '/v2/%zz', accept: '*/*', status: 400, host: 3 },
    { refused: 'reads without a key', url: STANDING, accept: '*/*', status: 401, host: 4 },
  ])('refusals for $refused are paced per address after the first 20', async one => {
    const { url, accept, status, host } = one
    const from = (remoteAddress: string) => () => s.app.inject({ url, remoteAddress, headers: { accept } })
    const { come, all } = floodBy(AT_ONCE + A_SECOND, from(`192.0.2.${host}`))
    expect(await come()).toEqual(Array(AT_ONCE).fill(status))
    const few = floodBy(AT_ONCE, from(`198.51.100.${host}`))
    expect(await few.come()).toHaveLength(AT_ONCE)
    vi.advanceTimersByTime(1_000)
    await all
    expect(await come()).toEqual(Array(AT_ONCE + A_SECOND).fill(status))
  })

  it('behind a proxy at most 256 refusals are paced at a time; the others are sent without delay', async () => {
    const behind = await service({ examples: false, trustProxy: '192.0.2.9' })
    const from = (address: string) => () =>
      behind.app.inject({ url: '/v2/nothing', remoteAddress: '192.0.2.9', headers: { 'x-forwarded-for': address } })
    const { come, all } = floodBy(1_000, from('198.51.100.9'))
    expect(await come()).toHaveLength(1_000 - HELD_BEHIND_PROXIES)
    const other = floodBy(AT_ONCE + 1, from('198.51.100.10'))
    expect(await other.come()).toHaveLength(AT_ONCE + 1)
    const unreadable = floodBy(AT_ONCE + 1, () => behind.app.inject({ url: '/v2/%zz', remoteAddress: '192.0.2.9' }))
    expect(await unreadable.come()).toHaveLength(AT_ONCE + 1)
    vi.advanceTimersByTime(2_000)
    await all
    await behind.close()
  })
})

describe('pipelined requests', () => {
  it('pipelined requests with an unknown Expect are refused in order at the same pace', async () => {
    const own = await service({ examples: false })
    await own.app.listen({ host: '127.0.0.1', port: 0 })
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
    const socket = connect((own.app.server.address() as AddressInfo).port, '127.0.0.1')
    let came = ''
    socket.setEncoding('latin1').on('data', piece => {
      came += piece
    })
    const told = () => came.split('HTTP/1.1 417 ').length - 1
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nExpect: x\r\n\r\n'.repeat(AT_ONCE + 9))
    for (const held of [0, 1, 2]) {
      for (let time = 0; told() < AT_ONCE + held && time < 100_000; time++) await turn()
      for (let time = 0; time < 200; time++) await turn()
      // One refusal is paced; the requests behind it are not handled yet.
      expect([told(), vi.getTimerCount()]).toEqual([AT_ONCE + held, 1])
      vi.advanceTimersByTime(10)
    }
    socket.destroy()
    vi.useRealTimers()
    await own.close()
  })

  it('pipelined requests behind a paced refusal wait for it and are answered in order', async () => {
    const [key, looked] = [await usedUp('piped@example.test'), vi.spyOn(s.gate, 'limitRequest')]
    await s.app.listen({ host: '127.0.0.1', port: 0 })
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
    const socket = connect((s.app.server.address() as AddressInfo).port, '127.0.0.1')
    let came = ''
    socket.setEncoding('latin1').on('data', piece => {
      came += piece
    })
    const statuses = () => [...came.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
    /** Statuses once so many came; fewer where they do not. */
    const come = async (count: number) => {
      for (let time = 0; statuses().length < count && time < 100_000; time++) await turn()
      return statuses()
    }
    const ask = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\n${more}\r\n`
    socket.write(`${ask(STANDING).repeat(AT_ONCE + 3)}${ask('/healthz')}${ask(STANDING, 'connection: close\r\n')}`)
    for (const held of [1, 2, 3]) {
      expect(await come(AT_ONCE + held - 1)).toEqual(Array(AT_ONCE + held - 1).fill('429'))
      for (let time = 0; time < 200; time++) await turn()
      expect(looked).toHaveBeenCalledTimes(AT_ONCE + held)
      vi.advanceTimersByTime(10)
    }
    expect(await come(AT_ONCE + 4)).toEqual([...Array(AT_ONCE + 3).fill('429'), '200'])
    for (let time = 0; time < 200; time++) await turn()
    vi.advanceTimersByTime(10)
    await once(socket, 'close')
    expect(statuses()).toEqual([...Array(AT_ONCE + 3).fill('429'), '200', '429'])
    looked.mockRestore()
    vi.useRealTimers()
  })
})
