import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import { afterEach, expect, it } from 'vitest'
import { type Listener, openListener } from '../../../src/http/kernel/index.ts'

/** Larger than the socket buffers of both sides. */
const LARGE = Buffer.alloc(64 * 2 ** 20, 'x')
const PACE = { stillMs: 300, graceMs: 60_000, bytesPerSecond: 2 ** 30, everyMs: 20 }

let listener: Listener
const events: unknown[][] = []
async function open(pace: Partial<typeof PACE>): Promise<URL> {
  events.length = 0
  const log = (...event: unknown[]): void => void events.push(event)
  const build = () => {
    const app = Fastify()
    app.get('/large', async () => LARGE)
    app.get('/small', async () => 'small')
    return app
  }
  listener = openListener({ host: '127.0.0.1', port: 0 }, log, build, { pace: { ...PACE, ...pace } })
  return new URL(await listener.listen())
}
afterEach(() => listener.close())

function send({ hostname, port }: URL, ...paths: readonly string[]): Socket {
  const socket = connect(Number(port), hostname)
  for (const path of paths) socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
  return socket
}

/**
 * Reads a chunk after each pause.
 * @returns the bytes received before the end
 */
async function readSlowly(socket: Socket, pieceBytes: number, pauseMs: number): Promise<number> {
  let read = 0
  socket.on('error', () => {})
  while (!socket.readableEnded && !socket.destroyed) {
    await sleep(pauseMs)
    for (let part = 0; part < pieceBytes; ) {
      const piece: Buffer | null = socket.read()
      if (piece === null) break
      part += piece.length
    }
    read = socket.bytesRead
    if (read >= LARGE.length) socket.destroy()
  }
  return read
}

it('the service closes the connection of a client that does not read, and logs it once', async () => {
  const socket = send(await open({}), '/large')
  await once(socket, 'readable')
  socket.on('error', () => {})
  await expect.poll(() => events.length).toBe(1)
  expect(events).toEqual([['answer cut', expect.objectContaining({ route: '/large', bytes: LARGE.length })]])
  socket.resume()
  await once(socket, 'close')
  expect(socket.bytesRead).toBeLessThan(LARGE.length)
})

it('the service closes the connection of a client that reads slower than the minimum rate', async () => {
  const socket = send(await open({ stillMs: 60_000, graceMs: 300 }), '/large')
  expect(await readSlowly(socket, 64 * 1_024, 10)).toBeLessThan(LARGE.length)
  expect(events).toHaveLength(1)
})

it('the service sends an answer completely to a client that keeps the minimum rate', async () => {
  const socket = send(await open({ stillMs: 600_000, graceMs: 0, bytesPerSecond: 64 * 1_024 }), '/large')
  expect(await readSlowly(socket, 4 * 2 ** 20, 1)).toBeGreaterThan(LARGE.length)
  expect(events).toEqual([])
})

it('the service keeps an idle keep-alive connection open', async () => {
  const socket = send(await open({ stillMs: 60, graceMs: 60 }), '/small')
  await once(socket, 'readable')
  socket.resume()
  await sleep(300)
  socket.write('GET /small HTTP/1.1\r\nHost: x\r\n\r\n')
  const [second] = await once(socket, 'data')
  expect(String(second)).toContain('200 OK')
  expect(events).toEqual([])
  socket.destroy()
})

it('if the service cuts off an answer, it also ends the pipelined answers that follow', async () => {
  const url = await open({})
  const socket = send(url, '/large', '/small', '/large')
  await once(socket, 'readable')
  socket.on('error', () => {})
  await expect.poll(() => events.length).toBe(1)
  // `close` returns only after every open answer has ended.
  await listener.close()
  socket.destroy()
})
