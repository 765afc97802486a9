import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { boundConnections } from '../../../src/http/kernel/connections.ts'
import { type Serving, serving } from '../../fixtures/cli/twmd.ts'
import { type Folder, preparedFolder } from '../../state/folder.ts'
import { SECRETS } from '../../support.ts'
import { exchangeRaw } from '../attacks/raw-socket.ts'

const [MOST, IDLE] = [16, 4]
let folder: Folder
let running: Serving
beforeAll(async () => {
  folder = await preparedFolder()
  running = await serving(folder.dir, 'serve', { ...SECRETS, MAX_CONNECTIONS: String(MOST) })
})
afterAll(async () => {
  await running.stop()
  await folder.remove()
})

let opened: Socket[] = []
afterEach(async () => {
  await Promise.all(opened.map(ended))
  opened = []
})

const HEAD = 'GET /healthz HTTP/1.1\r\nHost: x\r\n'

/** Opens a connection from a local address and sends the head of a request. */
async function open(from: string, head: string, port = Number(new URL(running.url).port)): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from })
  const settled = Promise.race(['connect', 'close'].map(event => new Promise(resolve => socket.once(event, resolve))))
  socket.on('error', () => {}).resume()
  await settled
  socket.write(head)
  return socket
}

const ended = (socket: Socket): Promise<unknown> => {
  const closed = new Promise(resolve => (socket.closed ? resolve(null) : socket.once('close', resolve)))
  socket.destroy()
  return closed
}

/**
 * Opens connections from an address, one after another.
 *
 * @returns for each, whether it is still open after the service has accepted or refused all
 */
async function several(count: number, from: string, head = '', port?: number): Promise<readonly boolean[]> {
  const sockets: Socket[] = []
  for (let index = 0; index < count; index++) sockets.push(await open(from, head, port))
  opened.push(...sockets)
  // Connections are accepted in order. When this one is answered or refused, all earlier ones were
  // accepted or refused too.
  const last = await open('127.0.9.9', `${HEAD}Connection: close\r\n\r\n`, port)
  if (!last.closed) await new Promise(resolve => last.once('close', resolve))
  await sleep(50)
  return sockets.map(socket => !socket.closed && !socket.readableEnded)
}
const all = (count: number, value: boolean) => Array<boolean>(count).fill(value)

it('connections of one address are limited while other addresses are served', async () => {
  expect(await several(IDLE + 2, '127.0.0.2')).toEqual([...all(IDLE, true), false, false])
  expect(await several(1, '127.0.0.2', `${HEAD}\r\n`)).toEqual([false])
  expect(await several(1, '127.0.0.3')).toEqual([true])
  expect((await fetch(`${running.url}/readyz`, { headers: { connection: 'close' } })).status).toBe(200)
  await running.waitFor('connections refused')
  opened[0]!.destroy()
  await expect.poll(() => several(1, '127.0.0.2')).toEqual([true])
})

it('keep-alive connections and unfinished headers count towards the limit', async () => {
  expect(await several(2, '127.0.0.4', `${HEAD}\r\n`)).toEqual(all(2, true))
  expect(await several(3, '127.0.0.4', HEAD)).toEqual([true, true, false])
})

it('a connection counts towards the limit while the service waits for its request body', async () => {
  const unfinishedRequest =
    'POST /v2/self-serve/onboarding/start HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{'
  expect(await several(IDLE + 2, '127.0.0.5', unfinishedRequest)).toEqual([...all(IDLE, true), false, false])
})

it('a connection with too many pipelined requests is closed', async () => {
  const most = 32
  const lines: unknown[] = []
  const server = createServer((_, response) => void setTimeout(() => response.end(), 5))
  boundConnections(server, { most: MOST, proxied: false, isBlocked: () => false }, (event, facts) => void lines.push([event, facts]))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const pipelined = (count: number) => exchangeRaw(url, [`${HEAD}\r\n`.repeat(count - 1), `${HEAD}Connection: close\r\n\r\n`], 10_000)
  expect((await pipelined(most)).answers.map(({ status }) => status)).toEqual(Array(most).fill(200))
  expect(lines).toEqual([])
  const { answers, ended } = await pipelined(2_000)
  expect([answers, ended]).toEqual([[], true])
  expect(lines).toEqual([['requests in line refused', { address: '127.0.0.1', limit: most, refused: 1 }]])
  server.close()
})

it('one address may open every connection if connections come through proxies', async () => {
  const server = createServer((_, response) => void response.end())
  boundConnections(server, { most: MOST, proxied: true, isBlocked: () => false }, () => {})
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  expect(await several(IDLE + 2, '127.0.0.8', '', (server.address() as AddressInfo).port)).toEqual(all(IDLE + 2, true))
  server.closeAllConnections()
  server.close()
})

it('if only an eighth of all connections is free, a new one closes the oldest idle one of the address with the most', async () => {
  for (const from of ['127.0.1.1', '127.0.1.2', '127.0.1.3']) expect(await several(IDLE, from)).toEqual(all(IDLE, true))
  expect(await several(2, '127.0.1.4')).toEqual(all(2, true))
  expect(await several(1, '127.0.1.5')).toEqual([true])
  expect(opened.filter(socket => socket.closed || socket.readableEnded).length).toBeGreaterThan(0)
})
