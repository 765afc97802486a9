import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { OpenApi } from '../../../src/http/openapi/index.ts'
import { NOW, service } from '../../support.ts'
import { balanced, holder, usageOf } from '../../usage/ledger.ts'
import { cell } from '../cells.ts'
import { callerOf, credentialsOn, type Documented, operationsOf, requestOf, shownBy } from '../openapi/openapi.ts'

const s = await service()
const operations = operationsOf((await s.get('/openapi.json')).json() as OpenApi)
let credentials: ReturnType<typeof credentialsOn>
beforeAll(() => {
  credentials = credentialsOn(s)
})
afterAll(() => s.close())

const isPriced = ({ operation }: Documented): boolean => operation['x-credits'] !== undefined || operation['x-credits-by'] !== undefined

/** Headers that differ between answers. */
const OF_ONE_ANSWER = ['date', 'x-request-id', 'server-timing', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'ratelimit']
/** Headers of an executed read only, and headers of its price. */
const OF_READING = ['content-length', 'x-row-count', 'x-total-rows', 'x-empty-reason', 'link', 'x-credits-charged', 'x-credits-remaining']

const without = (headers: object, names: readonly string[]) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)))

const readable = operations.filter(({ method, operation }) => method === 'GET' && operation['x-example-request'])

const send = (documented: Documented, method: 'GET' | 'HEAD', more: object = {}) => {
  const { url, headers } = requestOf(documented, shownBy(documented))
  return s.app.inject({ method, url, headers: { ...credentials[callerOf(documented)], ...headers, ...more } })
}

it('every GET operation answers HEAD with its status and headers and no body, and with 304 for its ETag', async () => {
  for (const documented of readable)
    await cell(documented.name, async () => {
      const [head, get] = [await send(documented, 'HEAD'), await send(documented, 'GET')]
      expect([head.statusCode, head.body]).toEqual([200, ''])
      const varying = [...OF_ONE_ANSWER, ...(isPriced(documented) ? OF_READING : [])]
      expect(without(head.headers, varying)).toEqual(without(get.headers, varying))
      expect(Object.keys(head.headers)).toContain('x-request-id')
      if (isPriced(documented)) expect(head.headers).toMatchObject({ 'x-credits-charged': '0' })
      const { etag } = get.headers
      if (etag === undefined) return
      const unchanged = await send(documented, 'HEAD', { 'if-none-match': String(etag) })
      expect([unchanged.statusCode, unchanged.headers['etag'], unchanged.body]).toEqual([304, etag, ''])
    })
})

it('HEAD without a credential or with an unknown parameter is refused with the status of GET, for every operation', async () => {
  for (const documented of readable) {
    const { url, headers: sent } = requestOf(documented, shownBy(documented))
    const statusOf = async (method: 'GET' | 'HEAD', headers: object, more = '') =>
      (await s.app.inject({ method, url: `${url}${more}`, headers: { ...headers } })).statusCode
    const wrong = `${url.includes('?') ? '&' : '?'}no_such=1`
    for (const [about, headers, more] of [
      ['no credential', sent, ''],
      ['unknown parameter', { ...credentials[callerOf(documented)], ...sent }, wrong],
    ] as const)
      expect.soft(await statusOf('HEAD', headers, more), `${documented.name}, ${about}`).toBe(await statusOf('GET', headers, more))
  }
})

it('HEAD of a priced operation is free and does not count as an error', async () => {
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

it('an account without credits can send HEAD, although GET is refused with 402', async () => {
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

it('the service keeps the connection open after HEAD and sends no body', async () => {
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
