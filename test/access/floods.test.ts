import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createFloods } from '../../src/access/floods.ts'
import { createLimiter } from '../../src/access/gcra.ts'
import { exchangeRaw } from '../behaviour/attacks/raw-socket.ts'
import { service, type TestService } from '../support.ts'

let s: TestService
let url: URL
beforeAll(async () => {
  s = await service({ limits: true, examples: false })
  await s.app.listen({ port: 0, host: '0.0.0.0' })
  url = new URL(`http://127.0.0.1:${(s.app.server.address() as AddressInfo).port}`)
})
afterAll(() => s.close())

const MOST = 200
/**
 * Requests an unknown path `count` times, each time on a new connection.
 * @returns the status of every answer
 */
async function refused(url: URL, count: number): Promise<readonly number[]> {
  const statuses: number[] = []
  for (let left = count; left > 0; left -= 10) {
    const requests = 'GET /v2/nowhere HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(9)
    const { answers } = await exchangeRaw(url, [`${requests}GET /v2/nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`], 10_000)
    statuses.push(...answers.map(({ status }) => status))
    if (answers.length < 10) break
  }
  return statuses
}
const opens = async (port: string, localAddress: string): Promise<boolean> => {
  const socket = new Socket()
  socket.on('error', () => {})
  socket.connect({ port: Number(port), host: '127.0.0.1', localAddress })
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  let read = ''
  socket.on('data', piece => {
    read += String(piece)
  })
  await once(socket, 'close')
  return read.startsWith('HTTP/1.1 200')
}

it('an address that is refused continuously gets one 429, then cannot connect; other addresses can still connect', async () => {
  expect(await opens(url.port, '127.0.0.1')).toBe(true)
  const statuses = await refused(url, 3 * MOST)
  expect(statuses.slice(0, MOST)).toEqual(Array(MOST).fill(404))
  expect(statuses.at(-1)).toBe(429)
  expect(statuses.filter(status => status === 429)).toHaveLength(1)
  expect(await opens(url.port, '127.0.0.1')).toBe(false)
  expect(await opens(url.port, '127.0.0.2')).toBe(true)
})

it('a flooding address is blocked for five seconds; a flooding account behind a proxy gets 429 and keeps its connection', () => {
  let now = 0
  const clock = (): number => now
  const floods = createFloods(createLimiter(clock), clock)
  const socket = { remoteAddress: '198.51.100.7' }
  const direct = { accountId: null, ip: '198.51.100.7', socket }
  const proxied = { accountId: 'acct', ip: '203.0.113.9', socket }
  for (let count = 0; count < MOST; count++) expect([floods.recordRefusal(direct), floods.recordRefusal(proxied)]).toEqual([null, null])
  expect(floods.isBlocked('198.51.100.7')).toBe(false)
  expect(floods.recordRefusal(proxied)).toMatchObject({ refusal: { code: 'rate_limited' }, closeConnection: false })
  expect(floods.isBlocked('203.0.113.9')).toBe(false)
  expect(floods.recordRefusal(direct)).toMatchObject({ refusal: { code: 'rate_limited' }, closeConnection: true })
  now = 4_999
  expect([floods.isBlocked('198.51.100.7'), floods.isBlocked('198.51.100.8')]).toEqual([true, false])
  now = 5_001
  expect(floods.isBlocked('198.51.100.7')).toBe(false)
  expect(floods.recordRefusal(direct)).toBe(null)
})
