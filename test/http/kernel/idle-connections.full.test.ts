import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { service, type TestService } from '../../support.ts'

const MAX_CONNECTIONS = 64
let s: TestService
let sockets: Socket[] = []
beforeEach(async () => {
  s = await service({ examples: false, env: { MAX_CONNECTIONS: String(MAX_CONNECTIONS) } })
  await s.app.listen({ port: 0, host: '127.0.0.1' })
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets = []
  await s.close()
})

/** Opens a connection that sends `sent` and then neither reads nor closes. */
function openIdle(from: string, sent: string): Socket {
  const { port } = s.app.server.address() as AddressInfo
  const socket = connect({ port, host: '127.0.0.1', localAddress: from, allowHalfOpen: true })
  socket.on('error', () => {})
  socket.write(sent)
  sockets.push(socket)
  return socket
}

const openConnections = (): Promise<number> =>
  new Promise((resolve, reject) => s.app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))))

/**
 * Sends one request on a new connection.
 * @returns the status line
 */
async function ask(from: string): Promise<string> {
  const { port } = s.app.server.address() as AddressInfo
  const socket = connect({ port, host: '127.0.0.1', localAddress: from })
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  const answer = await text(socket).catch(error => `${error}`)
  return answer.split('\r\n')[0]!
}

const HALF_HEAD = 'GET /healthz HTTP/1.1\r\nHost: x\r\n'
const HALF_BODY = 'POST /v2/self-serve/onboarding/start HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{'

it.each([
  ['nothing', ''],
  ['half of the headers', HALF_HEAD],
  ['half of a body', HALF_BODY],
  ['a request, and stay open', `${HALF_HEAD}\r\n`],
])('R8: new callers are answered while connections of 16 addresses send %s', async (_, sent) => {
  for (let index = 0; index < 2 * MAX_CONNECTIONS; index++) openIdle(`127.0.2.${1 + (index % 16)}`, sent)
  await expect.poll(openConnections).toBeGreaterThanOrEqual(Math.floor(MAX_CONNECTIONS / 2))
  const answers: string[] = []
  for (let caller = 0; caller < 12; caller++) answers.push(await ask(`127.0.3.${1 + caller}`))
  expect(answers).toEqual(Array(12).fill('HTTP/1.1 200 OK'))
})

it('R8: a connection that sends half a request is closed at its time-out, even if the client neither reads nor closes', async () => {
  for (const sent of ['', HALF_HEAD, HALF_BODY]) openIdle('127.0.2.1', sent).pause()
  await expect.poll(openConnections).toBe(3)
  await expect.poll(openConnections, { timeout: 55_000, interval: 500 }).toBe(0)
})
