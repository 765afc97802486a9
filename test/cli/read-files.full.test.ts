import { once } from 'node:events'
import { mkdirSync, readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { startTwmd } from '../fixtures/cli/twmd.ts'

const CATALOG = JSON.stringify({ data: [{ slug: 'd', dataset: 'd', links: { read: '/read', schema: '/schema' } }] })
const ROWS = 'ticker\r\n2330\r\n'

let [dir, out, url] = ['', '', '']
let answer: (response: ServerResponse) => void
const server = createServer((request, response) => {
  const { pathname } = new URL(request.url!, 'http://x')
  if (pathname.endsWith('/v2/datasets')) response.end(CATALOG)
  else answer(response.writeHead(200, { 'content-type': 'text/csv', 'x-row-count': '1', 'x-release': 'r' }))
})
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twmd-'))
  out = join(dir, 'out')
  mkdirSync(out)
  return () => rm(dir, { recursive: true })
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
const start = (file: string) => startTwmd(dir, ['read', 'd', '--out', file, '--format', 'csv', '--url', url])

it.each(['SIGINT', 'SIGTERM'] as const)('twmd read --out leaves no file after %s', async signal => {
  const started = Promise.withResolvers<void>()
  answer = response => response.write(ROWS, () => started.resolve())
  const child = start(join(out, 'rows.csv'))
  await started.promise
  await expect.poll(() => readdirSync(out).length, { timeout: 60_000 }).toBe(1)
  child.kill(signal)
  await once(child, 'close')
  expect([child.signalCode, readdirSync(out)]).toEqual([signal, []])
})
