import { once } from 'node:events'
import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Row } from '../../catalog/index.ts'
import type { Chunk, Pool } from '../../src/engine/index.ts'
import { publishRows, service, type TestService } from '../support.ts'

const ROWS = 40_000
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

it('a stream stops encoding while the client does not read', async () => {
  const { request, response } = await ask()
  // Time for the socket buffers to fill.
  await sleep(300)
  expect(seen.chunks).toBeLessThan(ROWS / 2_048 - 4)
  expect(seen.running).toBe(1)
  request.destroy()
  await once(response, 'close').catch(() => {})
})

it('a client that disconnects during a stream frees its rows', async () => {
  const { request, response } = await ask()
  response.on('error', () => {})
  request.destroy()
  await expect.poll(() => seen.running).toBe(0)
  expect(seen.chunks).toBeLessThan(ROWS / 2_048)
})

it('parallel streams, whether slow, fast or compressed, have the same bytes as a single stream', async () => {
  const [path, headers] = [`${PATH}&format=ndjson`, { 'x-api-key': key }]
  const read = async (coding: Record<string, string>, pauseMs: number): Promise<Buffer> => {
    const [response] = await once(get({ port, path, headers: { ...headers, ...coding } }), 'response')
    const pieces: Buffer[] = []
    for await (const piece of response) {
      pieces.push(piece)
      if (pauseMs > 0 && pieces.length % 8 === 1) await sleep(pauseMs)
    }
    return Buffer.concat(pieces)
  }
  const alone = await read({}, 0)
  const [slow, fast, coded, others] = await Promise.all([
    read({}, 15),
    read({}, 0),
    read({ 'accept-encoding': 'zstd' }, 5),
    read({}, 0).then(() => read({}, 0)),
  ])
  expect(alone.length).toBeGreaterThan(4_000_000)
  expect([slow!, fast!, zstdDecompressSync(coded!), others!].map(bytes => bytes.equals(alone))).toEqual([true, true, true, true])
})
