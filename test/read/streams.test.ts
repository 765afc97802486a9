import { once } from 'node:events'
import { get } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Row } from '../../catalog/index.ts'
import type { Chunk, Pool } from '../../src/engine/index.ts'
import { publishRows, service, type TestService } from '../support.ts'

const ROWS = 16_384
let s: TestService
let port = 0
let key = ''
beforeAll(async () => {
  s = await service({ examples: false, indexed: false })
  const [entry] = s.dataset('theme-taxonomy').example as readonly Row[]
  const rows = Array.from({ length: ROWS }, (_, index) => ({ ...entry, symbol: String(100_000 + index) }))
  await publishRows(s.workspace, s.dir, s.dataset('theme-taxonomy'), rows)
  await s.releases.refresh()
  await s.app.listen({ port: 0, host: '127.0.0.1' })
  port = (s.app.server.address() as AddressInfo).port
  key = s.keyOn('max')
  // Counts chunks and running reads of the pool.
  const pool = s.pool as { -readonly [K in keyof Pool]: Pool[K] }
  const { read } = pool
  pool.read = (statement, use, lane) =>
    read(
      statement,
      async (chunks, size) => {
        seen.running++
        await seen.held
        try {
          return await use(chunks.map(watched), size)
        } finally {
          seen.running--
        }
      },
      lane,
    )
})
afterAll(() => s.close())

/**
 * Running reads that have rows, their encoded chunks, the index of a chunk that fails, and a
 * promise that reads await before they use rows.
 */
const NOTHING_SEEN = { running: 0, chunks: 0, damaged: -1, held: Promise.resolve() }
const seen = { ...NOTHING_SEEN }
beforeEach(() => void Object.assign(seen, NOTHING_SEEN))

function watched(chunk: Chunk, chunkIndex: number): Chunk {
  return {
    rows: chunk.rows,
    column(index) {
      if (index === 0) seen.chunks++
      if (chunkIndex === seen.damaged) throw new Error('the chunk cannot be read')
      return chunk.column(index)
    },
  }
}

const PATH = `/v2/datasets/theme-taxonomy?limit=${ROWS}`

async function ask(path = PATH) {
  const request = get({ port, path, headers: { 'x-api-key': key } })
  const [response] = await once(request, 'response')
  return { request, response }
}

it('a streamed response is charged before its first byte and frees its rows after the last', async () => {
  const { response } = await ask()
  expect(response.headers).toMatchObject({ 'x-credits-charged': '1', 'x-row-count': String(ROWS), 'transfer-encoding': 'chunked' })
  expect(response.headers).not.toHaveProperty('content-length')
  expect(seen.running).toBe(1)
  const pieces: Buffer[] = []
  for await (const piece of response) pieces.push(piece)
  const text = String(Buffer.concat(pieces))
  const answer = JSON.parse(text)
  expect(answer.envelope.data).toHaveLength(ROWS)
  expect(JSON.stringify(answer) === text).toBe(true)
  await expect.poll(() => seen.running).toBe(0)
})

it('a client that disconnects before a stream starts frees its rows', async () => {
  const { promise: delayed, resolve: goOn } = Promise.withResolvers<void>()
  seen.held = delayed
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET ${PATH} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`)
  await expect.poll(() => seen.running).toBe(1)
  socket.destroy()
  await sleep(50)
  goOn()
  await expect.poll(() => seen.running).toBe(0)
  expect(seen.chunks).toBeLessThan(4)
})

it('HEAD reads no rows', async () => {
  await s.app.inject({ method: 'HEAD', url: PATH, headers: { 'x-api-key': key } })
  expect([seen.running, seen.chunks]).toEqual([0, 0])
})

it('a failure during a stream cuts the connection, is logged and frees the rows', async () => {
  seen.damaged = 6
  const { response } = await ask()
  expect(response.statusCode).toBe(200)
  let bytes = 0
  const reading = (async () => {
    for await (const piece of response) bytes += piece.length
  })()
  await expect(reading).rejects.toThrow('aborted')
  expect(bytes).toBeGreaterThan(0)
  expect(s.lines.some(line => line.includes('"failed"') && line.includes('the chunk cannot be read'))).toBe(true)
  await expect.poll(() => seen.running).toBe(0)
})

it('a failure before the first byte returns 500 without a charge', async () => {
  seen.damaged = 0
  const answer = await s.get(PATH, key)
  expect([answer.statusCode, answer.headers['x-credits-charged']]).toEqual([500, '0'])
  expect(seen.running).toBe(0)
})
