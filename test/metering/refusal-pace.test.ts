import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { PLANS } from '../../catalog/index.ts'
import { NOW, service, type TestService } from '../support.ts'
import { holder } from './ledger.ts'

const STANDING = '/v2/account/entitlements'
/** Refusals of one caller that leave together, and those that follow in a second. */
const [AT_ONCE, A_SECOND] = [20, 100]

let s: TestService
beforeAll(async () => {
  // The minute of the limits stands still.
  s = await service({ limits: true, monotonicNow: () => 0 })
})
afterAll(() => s.close())

/** A key whose account has used up its minute. */
async function usedUp(email: string): Promise<string> {
  const { key } = holder(s, 'free', email, NOW)
  for (let time = 0; time < PLANS.free.requestsPerMinute; time++) expect((await s.get(STANDING, key)).statusCode).toBe(200)
  return key
}

/** So many requests at once, each over a connection of its own. */
function flood(times: number, key: string) {
  const statuses: number[] = []
  const all = Promise.all(
    Array.from({ length: times }, () => s.get(STANDING, key).then(({ statusCode }) => void statuses.push(statusCode))),
  )
  return {
    all,
    /** Statuses of the answers that have come. */
    async come() {
      for (let time = 0; time < 200; time++) await turn()
      return statuses
    },
  }
}

describe('refusals of one account in a flood', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  it('leave one after the other beyond the first few, and those of others at once', async () => {
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

  it('are held two seconds at most, however many they are', async () => {
    const { come, all } = flood(1_000, await usedUp('many@example.test'))
    expect(await come()).toHaveLength(AT_ONCE)
    vi.advanceTimersByTime(900)
    expect((await come()).length).toBeLessThan(AT_ONCE + A_SECOND)
    vi.advanceTimersByTime(1_100)
    await all
    expect(await come()).toEqual(Array(1_000).fill(429))
  })

  it('hold no account up that is within its limits, nor its own later answers', async () => {
    const key = await usedUp('held@example.test')
    const { come, all } = flood(AT_ONCE * 2, key)
    expect(await come()).toHaveLength(AT_ONCE)
    expect((await s.get(STANDING, holder(s, 'free', 'within@example.test', NOW).key)).statusCode).toBe(200)
    expect((await s.get('/healthz', key)).statusCode).toBe(200)
    vi.advanceTimersByTime(2_000)
    await all
  })
})

it('refusals over one connection come in the order of their requests', async () => {
  const key = await usedUp('piped@example.test')
  await s.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = s.app.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  let came = ''
  socket.setEncoding('latin1').on('data', piece => {
    came += piece
  })
  const times = AT_ONCE + 30
  const ask = (path: string, end = '') => `GET ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\n${end}\r\n`
  socket.write(ask(STANDING).repeat(times) + ask('/healthz', 'connection: close\r\n'))
  await once(socket, 'close')
  expect([...came.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual([...Array(times).fill('429'), '200'])
})
