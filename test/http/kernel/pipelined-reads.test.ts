import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { PLANS } from '../../../catalog/index.ts'
import { exchangeRaw } from '../../behaviour/attacks/raw-socket.ts'
import { NOW, service, type TestService } from '../../support.ts'
import { balanced, holder } from '../../usage/ledger.ts'

let s: TestService
let url: URL
beforeAll(async () => {
  s = await service()
  await s.app.listen({ port: 0, host: '127.0.0.1' })
  url = new URL(`http://127.0.0.1:${(s.app.server.address() as AddressInfo).port}`)
})
afterAll(() => s.close())

const READS = ['/v2/datasets/theme-taxonomy?limit=3', '/v2/datasets/theme-taxonomy?market=TWSE', '/v2/datasets/securities-firm-master']
const UNREADABLE = 'no request\r\n\r\n'
let accounts = 0
/**
 * Sends pipelined reads of a new account, followed by the bytes in `behind`.
 * @returns statuses, whether the connection ended, and the ledger entries
 */
async function sent(reads: readonly string[], headers: string, behind: string) {
  const account = holder(s, 'max', `in-line-${accounts++}@example.test`, NOW)
  const head = `Host: x\r\nX-API-Key: ${account.key}\r\n${headers}\r\n`
  const { answers, rest, ended } = await exchangeRaw(url, [reads.map(read => `GET ${read} HTTP/1.1\r\n${head}`).join('') + behind], 10_000)
  expect(rest).toBe('')
  return { statuses: answers.map(({ status }) => status), ended, uses: balanced(s.dir, account.accountId).requests }
}

it('the service answers and charges pipelined requests first, then answers unreadable bytes after them with 400', async () => {
  expect(await sent(READS, '', UNREADABLE)).toEqual({ statuses: [200, 200, 200, 400], ended: true, uses: 3 })
})

it('the service refuses unreadable bytes once, even if further packets follow while requests are answered', async () => {
  const warnings: string[] = []
  const warn = ({ name }: Error): void => void warnings.push(name)
  process.on('warning', warn)
  const { key } = holder(s, 'max', 'packets@example.test', NOW)
  const request = `GET ${READS[0]} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`
  // The account has no free slot for a while, so the read waits.
  const turns = await Promise.all(
    Array.from({ length: PLANS.max.requestsAtOnce }, () => s.gate.acquireSlot(s.gate.authenticate(key, '127.0.0.1'))),
  )
  const socket = connect(Number(url.port), '127.0.0.1')
  const received: Buffer[] = []
  socket.on('data', piece => void received.push(Buffer.from(piece)))
  socket.write(request)
  for (let packet = 0; packet < 20; packet++) {
    socket.write(UNREADABLE)
    await sleep(10)
  }
  for (const turn of turns) turn.end()
  await once(socket, 'close')
  process.off('warning', warn)
  expect(String(Buffer.concat(received)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400'])
  expect(warnings).toEqual([])
})

it('the service answers pipelined requests first, then answers too large headers after them with 431', async () => {
  const large = `GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`
  expect(await sent(READS, '', large)).toEqual({ statuses: [200, 200, 200, 431], ended: true, uses: 3 })
})

it('the service reads nothing after a pipelined request with Connection: close', async () => {
  for (const behind of [UNREADABLE, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'])
    expect(await sent(READS.slice(0, 1), 'Connection: close\r\n', behind)).toEqual({ statuses: [200], ended: true, uses: 1 })
})

it('the service answers a malformed chunked body with 400, and this is the last answer of the connection', async () => {
  const broken = 'POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'
  expect(await sent(READS, '', broken + UNREADABLE)).toEqual({ statuses: [200, 200, 200, 400], ended: true, uses: 3 })
})

it('S2: the service refuses HTTP versions other than 1.1, even for cached answers', async () => {
  const { key } = holder(s, 'max', 'version@example.test', NOW)
  for (const path of ['/healthz', ...READS])
    for (const version of ['1.1', '2.0', '0.9']) {
      const head = `GET ${path} HTTP/${version}\r\nHost: x\r\nX-API-Key: ${key}\r\nConnection: close\r\n\r\n`
      const { answers } = await exchangeRaw(url, [head], 10_000)
      expect(answers.map(({ status }) => status)).toEqual([version === '1.1' ? 200 : 400])
    }
})

it('S2: the service refuses a path without a leading slash with 400', async () => {
  for (const path of ['*', '*healthz', '*v2/datasets']) {
    const { answers } = await exchangeRaw(url, [`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`], 10_000)
    expect(answers.map(({ status, code }) => [status, code])).toEqual([[400, 'malformed_request']])
  }
})
