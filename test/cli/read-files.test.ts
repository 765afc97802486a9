import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { runTwmd } from '../fixtures/cli/in-process.ts'

const CATALOG = JSON.stringify({ data: [{ slug: 'd', dataset: 'd', links: { read: '/read', schema: '/schema' } }] })
const ROWS = 'ticker\r\n2330\r\n'

let [dir, out, url] = ['', '', '']
let answer: (response: ServerResponse) => void
const requests: string[] = []
const server = createServer((request, response) => {
  const { pathname } = new URL(request.url!, 'http://x')
  requests.push(pathname)
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
  requests.length = 0
  answer = response => response.end(ROWS)
  return () => rm(dir, { recursive: true })
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
const read = (file: string, address = url) => runTwmd(dir, ['read', 'd', '--out', file, '--format', 'csv', '--url', address])

it('twmd read --out replaces only the file that it names', async () => {
  for (const name of ['rows.csv', 'rows.csv.part', '.rows.csv.part']) writeFileSync(join(out, name), 'mine')
  expect((await read(join(out, 'rows.csv'))).code).toBe(0)
  expect(readdirSync(out).toSorted()).toEqual(['.rows.csv.part', 'rows.csv', 'rows.csv.part'])
  expect(['rows.csv', 'rows.csv.part', '.rows.csv.part'].map(name => readFileSync(join(out, name), 'utf8'))).toEqual([ROWS, 'mine', 'mine'])
})

it.each([
  ['a folder', '', 2, 'exists, but is not a regular file'],
  ['in a missing folder', 'nowhere/rows.csv', 2, 'does not exist. Create it'],
])('twmd read refuses --out %s before it requests rows', async (_, name, code, sentence) => {
  const ran = await read(join(out, name))
  expect([ran.code, ran.stderr, requests]).toEqual([code, expect.stringContaining(sentence), ['/v2/datasets']])
})

it('twmd read accepts a service address with a path', async () => {
  expect((await read(join(out, 'rows.csv'), `${url}/data/twmd/`)).code).toBe(0)
  expect(requests).toEqual(['/data/twmd/v2/datasets', '/data/twmd/read'])
})

it.each(['http://me:secret@127.0.0.1', 'http://127.0.0.1?key=secret', 'http://127.0.0.1#secret', 'ftp://secret'])(
  'twmd tail, pull and logout refuse the address %s without printing its secret',
  async address => {
    for (const args of [
      ['tail', '--once', '--url'],
      ['pull', 'all', dir, '--from'],
      ['logout', '--url'],
    ]) {
      const { code, stderr } = await runTwmd(dir, [...args, address])
      expect([code, stderr]).toEqual([2, expect.stringMatching(/^--(url|from) must be the address of a service, such as https:\/\/api/)])
      expect(stderr).not.toContain('secret')
    }
  },
)
