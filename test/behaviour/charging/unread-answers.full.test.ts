import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { PLANS, type Row } from '../../../catalog/index.ts'
import { NOW, service, type TestService } from '../../support.ts'
import { balanced, holder } from '../../usage/ledger.ts'

let s: TestService
let port = 0
beforeAll(async () => {
  s = await service({ examples: false })
  const [entry] = s.dataset('theme-taxonomy').example as readonly Row[]
  await s.publish(
    'theme-taxonomy',
    Array.from({ length: 20_000 }, (_, index) => ({ ...entry, symbol: String(10_000 + index) })),
  )
  await s.app.listen({ port: 0, host: '127.0.0.1' })
  port = (s.app.server.address() as AddressInfo).port
})
afterAll(() => s.close())

const THEMES = '/v2/datasets/theme-taxonomy?limit=20000'
/** Sends a request and reads only the first bytes of the answer. */
async function ask(key: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET ${THEMES} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`)
  await once(socket, 'readable')
  return socket
}

it('until their connection closes, unread answers occupy slots of their own account only', async () => {
  const account = holder(s, 'pro', 'unread@example.test', NOW)
  const sockets = await Promise.all(Array.from({ length: PLANS.pro.requestsAtOnce }, () => ask(account.key)))
  let answered = false
  const waiting = s.get(THEMES, account.key).then(response => {
    answered = true
    return response.statusCode
  })
  for (const _ of [1, 2, 3]) expect((await s.get(THEMES, s.keyOn('pro'))).statusCode).toBe(200)
  expect(answered).toBe(false)
  sockets[0]!.destroy()
  expect(await waiting).toBe(200)
  for (const socket of sockets) socket.destroy()
  // The service has sent the answers, so they stay charged.
  expect(balanced(s.dir, account.accountId).requests).toBe(sockets.length + 1)
})
