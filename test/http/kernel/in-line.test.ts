import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { balanced, holder } from '../../accounts/usage/ledger.ts'
import { exchangeRaw } from '../../behaviour/attacks/raw-socket.ts'
import { NOW, service, type TestService } from '../../support.ts'

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
/** Sends reads of an account of its own in one piece, with something behind them. @returns statuses, whether it ended, and the uses in its books */
async function sent(reads: readonly string[], headers: string, behind: string) {
  const account = holder(s, 'max', `in-line-${accounts++}@example.test`, NOW)
  const head = `Host: x\r\nX-API-Key: ${account.key}\r\n${headers}\r\n`
  const { answers, rest, ended } = await exchangeRaw(url, [reads.map(read => `GET ${read} HTTP/1.1\r\n${head}`).join('') + behind], 10_000)
  expect(rest).toBe('')
  return { statuses: answers.map(({ status }) => status), ended, uses: balanced(s.dir, account.accountId).requests }
}

describe('requests in line on one connection', () => {
  it('are all answered before what cannot be read behind them is refused, and each is charged once', async () => {
    expect(await sent(READS, '', UNREADABLE)).toEqual({ statuses: [200, 200, 200, 400], ended: true, uses: 3 })
  })

  it('are answered where headers behind them are too large', async () => {
    const large = `GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`
    expect(await sent(READS, '', large)).toEqual({ statuses: [200, 200, 200, 431], ended: true, uses: 3 })
  })

  it('end with the one that says so: what follows it is not read, and takes no answer away', async () => {
    for (const behind of [UNREADABLE, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'])
      expect(await sent(READS.slice(0, 1), 'Connection: close\r\n', behind)).toEqual({ statuses: [200], ended: true, uses: 1 })
  })

  it('end with a body that is broken, whose refusal is the last answer', async () => {
    const broken = 'POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'
    expect(await sent(READS, '', broken + UNREADABLE)).toEqual({ statuses: [200, 200, 200, 400], ended: true, uses: 3 })
  })
})

it('S2: a request of another version of HTTP is refused, also where the answer is at hand', async () => {
  const { key } = holder(s, 'max', 'version@example.test', NOW)
  for (const path of ['/healthz', ...READS])
    for (const version of ['1.1', '2.0', '0.9']) {
      const head = `GET ${path} HTTP/${version}\r\nHost: x\r\nX-API-Key: ${key}\r\nConnection: close\r\n\r\n`
      const { answers } = await exchangeRaw(url, [head], 10_000)
      expect(answers.map(({ status }) => status)).toEqual([version === '1.1' ? 200 : 400])
    }
})

it('S2: a path that does not begin with a slash leads nowhere', async () => {
  for (const path of ['*', '*healthz', '*v2/datasets']) {
    const { answers } = await exchangeRaw(url, [`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`], 10_000)
    expect(answers.map(({ status, code }) => [status, code])).toEqual([[400, 'malformed_request']])
  }
})
