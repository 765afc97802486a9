import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runTwmd } from '../fixtures/cli/in-process.ts'

/**
 * Control sequences that clear the screen (two characters, one character) and reverse the following
 * text.
 */
const [ESCAPE, CONTROL, TURNED] = ['\u001b[2J', '\u009b2J', '\u202e']
const HOSTILE = `a${ESCAPE}${CONTROL}${TURNED}b`
const SHOWN = String.raw`a\u001b[2J\u009b2J\u202eb`
const STEERING = /(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/u

const listed = (slug: string) => ({ slug, dataset: slug, links: { read: `/read/${slug}`, schema: '/schema' } })
const UPDATE = {
  update_id: 'u',
  dataset: 'd',
  slug: HOSTILE,
  kind: HOSTILE,
  data_date_from: HOSTILE,
  data_date_to: HOSTILE,
  rows_added: 1,
  rows_changed: 0,
  rows_removed: 0,
  release_version: HOSTILE,
  published_at: '2026-07-01T21:00:00.000+08:00',
}
/** Bodies by path; an entry with a status is a refusal. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  '/v2/datasets': { data: ['d', 'refused', 'nested', 'infinite'].map(listed) },
  '/read/d': { data: [{ [HOSTILE]: HOSTILE }] },
  '/read/refused': { error: { error_code: 'invalid_parameter', error_message: HOSTILE } },
  '/schema': { columns: [{ name: HOSTILE, type: 'text', unit: HOSTILE }] },
  '/v2/search': { total: 1, data: [{ type: 'symbol', id: HOSTILE, title: HOSTILE, subtitle: HOSTILE, market: null }] },
  '/v2/query': { as_of_date: HOSTILE, data: [], missing: [{ entity_id: HOSTILE, field: HOSTILE, reason: HOSTILE }], warnings: [HOSTILE] },
  '/v2/updates': { published_since: '2026-07-01T00:00:00.000+08:00', data: [UPDATE], next_cursor: null },
}
const CSV = `name\r\n"${HOSTILE}"\r\n`
const NESTED = '['.repeat(50_000_000)

let [dir, url] = ['', '']
const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url!, 'http://x')
  if (searchParams.get('format') === 'csv') return response.writeHead(200, { 'content-type': 'text/csv' }).end(CSV)
  if (pathname.endsWith('/nested') || pathname.endsWith('/releases')) return response.end(NESTED)
  if (pathname.endsWith('/infinite')) return response.writeHead(200, { 'x-credits-charged': 'Infinity' }).end('{"data":[]}')
  return response.writeHead(pathname.endsWith('refused') ? 422 : 200).end(JSON.stringify(ANSWERS[pathname]))
})
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twmd-'))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.close()
  await rm(dir, { recursive: true })
})
const run = (...args: readonly string[]) => runTwmd(dir, args, { TWMD_URL: url, TWMD_API_KEY: 'sk_live_x' })

it.each([
  ['headings, units and cells of a table', ['read', 'd'], 'stdout'],
  ['an error message', ['read', 'refused'], 'stderr'],
  ['search hits', ['search', 'x'], 'stdout'],
  ['the missing fields of a query', ['query', 'x'], 'stderr'],
  ['a publication', ['tail', '--once', '--since', '2026-07-01'], 'stdout'],
] as const)('twmd escapes control characters in %s', async (_, args, stream) => {
  const { stdout, stderr, ...ran } = await run(...args)
  expect([ran.code, { stdout, stderr }[stream]]).toEqual([args[1] === 'refused' ? 1 : 0, expect.stringContaining(SHOWN)])
  expect([STEERING.exec(stdout), STEERING.exec(stderr)]).toEqual([null, null])
})

it.each([
  ['search', 'x', '--json'],
  ['tail', '--once', '--since', '2026-07-01', '--json'],
])('twmd %s prints control characters as JSON escapes', async (...args) => {
  const { stdout } = await run(...args)
  expect(STEERING.exec(stdout)).toBe(null)
  expect(JSON.parse(stdout)).toEqual(args[0] === 'tail' ? UPDATE : ANSWERS['/v2/search'])
})

it('twmd read writes rows to a pipe unchanged', async () => {
  expect((await run('read', 'd', '--format', 'csv')).stdout).toBe(CSV)
  expect((await run('read', 'd', '--json')).stdout).toBe(JSON.stringify(ANSWERS['/read/d']))
})

it.each([
  { content: 'a list of 50 MB', args: ['pull', 'bond-yield-curve', 'mirror'], fault: 'a list or document of more than 33554432 bytes' },
  { content: 'rows of 50 million levels', args: ['read', 'nested'], fault: 'JSON with more than 32 levels' },
  { content: 'a price that is not finite', args: ['read', 'infinite'], fault: 'x-credits-charged: Infinity, which is not a count' },
])('twmd $args.0 refuses $content with exit code 1 and states what the service sent', async ({ args, fault }) => {
  expect(await run(...args.map(arg => (arg === 'mirror' ? join(dir, arg) : arg)))).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining(`The service sent ${fault}`),
  })
})

it.each(['files.example', 'https://files.example/path', 'ftp://files.example'])(
  'twmd pull refuses %s as an origin of files',
  async origin => {
    const { code, stderr } = await run('pull', 'bond-yield-curve', join(dir, 'mirror'), '--file-origins', origin)
    expect([code, stderr]).toEqual([2, expect.stringMatching(/--file-origins (takes origins|must be the address)/)])
  },
)
