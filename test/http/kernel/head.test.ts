import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OpenApi } from '../../../src/http/openapi/index.ts'
import { balanced, holder, usageOf } from '../../accounts/usage/ledger.ts'
import { NOW, service } from '../../support.ts'
import { credentialsOn, type Documented, operationsOf, requestOf, shownBy } from '../openapi/openapi.ts'

const s = await service()
const operations = operationsOf((await s.get('/openapi.json')).json() as OpenApi)
let credentials: ReturnType<typeof credentialsOn>
beforeAll(() => {
  credentials = credentialsOn(s)
})
afterAll(() => s.close())

const credentialOf = ({ operation }: Documented) => credentials[Object.keys(operation.security[0] ?? {})[0] ?? 'public']
const isPriced = ({ operation }: Documented): boolean => operation['x-credits'] !== undefined || operation['x-credits-by'] !== undefined

/** Names that no two answers share. */
const OF_ONE_ANSWER = ['date', 'x-request-id', 'server-timing', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'ratelimit']
/** What only reading tells, and what an answer costs. */
const OF_READING = ['content-length', 'x-row-count', 'x-empty-reason', 'link', 'x-credits-charged', 'x-credits-remaining']

const without = (headers: object, names: readonly string[]) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)))

const readable = operations.filter(({ method, operation }) => method === 'GET' && operation['x-example-request'])

describe.each(readable)('HEAD $path', documented => {
  const { url, headers: sent } = requestOf(documented, shownBy(documented))
  const ask = (method: 'GET' | 'HEAD', more: object = {}) =>
    s.app.inject({ method, url, headers: { ...credentialOf(documented), ...sent, ...more } })

  it('has the status and headers of GET and no body', async () => {
    const [head, get] = [await ask('HEAD'), await ask('GET')]
    expect([head.statusCode, head.body]).toEqual([200, ''])
    const varying = [...OF_ONE_ANSWER, ...(isPriced(documented) ? OF_READING : [])]
    expect(without(head.headers, varying)).toEqual(without(get.headers, varying))
    expect(Object.keys(head.headers)).toContain('x-request-id')
    if (isPriced(documented)) expect(head.headers).toMatchObject({ 'x-credits-charged': '0' })
  })

  it('is answered 304 to whoever has the answer, where GET is', async () => {
    const { etag } = (await ask('GET')).headers
    if (etag === undefined) return
    const head = await ask('HEAD', { 'if-none-match': String(etag) })
    expect([head.statusCode, head.headers['etag'], head.body]).toEqual([304, etag, ''])
  })

  it('is refused as GET is', async () => {
    const statusOf = async (method: 'GET' | 'HEAD', headers: object, more = '') =>
      (await s.app.inject({ method, url: `${url}${more}`, headers: { ...headers } })).statusCode
    const wrong = `${url.includes('?') ? '&' : '?'}no_such=1`
    for (const [headers, more] of [
      [sent, ''],
      [{ ...credentialOf(documented), ...sent }, wrong],
    ] as const)
      expect(await statusOf('HEAD', headers, more)).toBe(await statusOf('GET', headers, more))
  })
})

it('asking with HEAD for everything that is sold reads nothing, costs nothing and is no error', async () => {
  const account = holder(s, 'max', 'heads@example.test', NOW)
  const priced = readable.filter(isPriced)
  expect(priced.length).toBeGreaterThan(10)
  for (const documented of priced) {
    const { url } = requestOf(documented, shownBy(documented))
    expect((await s.app.inject({ method: 'HEAD', url, headers: { 'x-api-key': account.key } })).statusCode).toBe(200)
  }
  expect(balanced(s.dir, account.accountId)).toEqual({ requests: 0, credits: 0 })
  expect(usageOf(s.dir, account.accountId).errors).toBe(0)
})

it('HEAD is answered with no credits left, too, where GET is refused', async () => {
  const { accountId, keyId, key } = holder(s, 'free', 'spent@example.test', NOW)
  await s.control.ledger.record({
    requestId: 'req_spent',
    accountId,
    keyId,
    dataset: 'earnings',
    at: '2026-07-01T20:00:00.000+08:00',
    credits: 1_000,
    rows: 1,
  })
  const ask = async (method: 'GET' | 'HEAD') =>
    (await s.app.inject({ method, url: '/v2/datasets/securities-firm-master', headers: { 'x-api-key': key } })).statusCode
  expect([await ask('GET'), await ask('HEAD')]).toEqual([402, 200])
})

it('on the wire HEAD is headers alone, and the connection goes on', async () => {
  await s.app.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect((s.app.server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('HEAD /metadata HTTP/1.1\r\nHost: x\r\n\r\nHEAD /nothing HTTP/1.1\r\nHost: x\r\n\r\n')
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  const answers = (await text(socket)).split(/(?=HTTP\/1\.1 )/)
  expect(answers.map(answer => [answer.slice(9, 12), answer.split('\r\n\r\n')[1]])).toEqual([
    ['200', ''],
    ['404', ''],
    ['200', '{"status":"ok"}'],
  ])
})
