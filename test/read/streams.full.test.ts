import { once } from 'node:events'
import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Row } from '../../catalog/index.ts'
import { publishRows, service, type TestService } from '../support.ts'

const ROWS = 40_000
const PATH = `/v2/datasets/theme-taxonomy?limit=${ROWS}`
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
})
afterAll(() => s.close())

it('parallel streams, slow, fast and compressed, have the bytes of a single stream', async () => {
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
