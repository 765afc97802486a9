import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { createClient, verifyWebhook, WebhookRefused } from '../../clients/typescript/src/index.ts'
import { all, refused } from './calls.ts'

const SLUG = 'institutional-positioning'
const MAYBE_CHARGED = 'It may have been charged, so it was not repeated.'

const refusalOf = (code: string) => JSON.stringify({ detail: 'no', error: { error_code: code, error_message: 'no' } })

/** A server with prepared answers, one per request. The last answer is repeated. */
async function answering(...answers: readonly RequestListener[]) {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.url} ${request.headers['x-api-key']}`)
    answers[Math.min(requests.length, answers.length) - 1]!(request, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    await once(server.close(), 'close')
  }
  return { baseUrl, requests, close }
}
const rows: RequestListener = (_, response) => response.setHeader('content-type', 'application/json').end('{"data":[{"ticker":"2330"}]}')
const status =
  (code: number, refusal: string, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_, response) =>
    response.writeHead(code, headers).end(refusalOf(refusal))

it('the TypeScript client retries 429 and 503 after Retry-After, and does not retry permanent errors', async () => {
  const server = await answering(
    status(429, 'rate_limited', { 'retry-after': '0' }),
    status(503, 'overloaded', { 'retry-after': '0' }),
    rows,
  )
  const waits: string[] = []
  const patient = createClient({ baseUrl: server.baseUrl, onWait: ({ because }) => waits.push(because.code) })
  expect((await patient.read(SLUG, { symbol: '2330' })).rows).toEqual([{ ticker: '2330' }])
  expect([server.requests.length, waits]).toEqual([3, ['rate_limited', 'overloaded']])
  await server.close()

  for (const [code, refusal] of [
    [402, 'credits_exhausted'],
    [503, 'dataset_building'],
    [504, 'query_timeout'],
  ] as const) {
    const once = await answering(status(code, refusal))
    expect(await refused(createClient({ baseUrl: once.baseUrl }).read(SLUG, { symbol: '2330' }))).toMatchObject({ code: refusal })
    expect(once.requests).toHaveLength(1)
    await once.close()
  }
})

it('the TypeScript client stops after its maximum number of retries, or if Retry-After is too long', async () => {
  const server = await answering(status(503, 'overloaded', { 'retry-after': '0' }))
  expect(await refused(createClient({ baseUrl: server.baseUrl, retries: 2 }).search('2330'))).toMatchObject({ code: 'overloaded' })
  expect(server.requests).toHaveLength(3)
  await server.close()
  const long = await answering(status(429, 'rate_limited', { 'retry-after': '3600' }))
  expect(await refused(createClient({ baseUrl: long.baseUrl }).search('2330'))).toMatchObject({ code: 'rate_limited', retryAfter: 3_600 })
  expect(long.requests).toHaveLength(1)
  await long.close()
})

it('the suggested next step of a TypeScript client error contains values from the refusal', async () => {
  const facts = { plan_required: '"required_plan":"max","current_plan":"pro"', unknown_dataset: '"did_you_mean":"events"' }
  const server = await answering(
    ...Object.entries(facts).map(
      ([code, added]): RequestListener =>
        (_, response) =>
          response.writeHead(404).end(refusalOf(code).replace('"error_message"', `${added},"error_message"`)),
    ),
  )
  const client = createClient({ baseUrl: server.baseUrl })
  expect((await refused(client.datasets())).nextStep).toBe('It requires the plan max; yours is pro.')
  expect((await refused(client.datasets())).nextStep).toBe('Did you mean events? datasets() and releases() list the available ones.')
  await server.close()
})

it('the TypeScript client follows no redirect or link to another address, so the other address receives no key', async () => {
  const other = await answering(rows)
  const redirecting = await answering((_, response) => response.writeHead(307, { location: `${other.baseUrl}/v2/updates` }).end())
  const lost = createClient({ baseUrl: redirecting.baseUrl, apiKey: 'sk_live_key' })
  expect(await refused(lost.read(SLUG, { symbol: '2330' }))).toMatchObject({
    code: 'redirected',
    message: expect.stringContaining(other.baseUrl),
  })
  const led = await answering((_, response) =>
    response.setHeader('link', `<${other.baseUrl}/v2/next>; rel="next"`).end('{"data":[{"ticker":"2330"}]}'),
  )
  expect(await refused(all(createClient({ baseUrl: led.baseUrl, apiKey: 'sk_live_key' }).rows(SLUG, { symbol: '2330' })))).toMatchObject({
    code: 'redirected',
  })
  expect([redirecting.requests.length, led.requests.length, other.requests]).toEqual([1, 1, []])
  for (const server of [other, redirecting, led]) await server.close()
})

it('the TypeScript client works if a proxy serves the API under a path', async () => {
  const first: RequestListener = (_, response) =>
    response.setHeader('link', '</v2/next?offset=1>; rel="next"').end('{"data":[{"ticker":"1"}]}')
  const server = await answering(first, rows, (_, response) =>
    response.writeHead(404).end(refusalOf('unknown_path').replace('"error_message"', '"docs_url":"/docs#x","error_message"')),
  )
  const behind = createClient({ baseUrl: `${server.baseUrl}/tw/` })
  expect(await all(behind.rows(SLUG, { symbol: '2330' }))).toEqual([{ ticker: '1' }, { ticker: '2330' }])
  const page = `${server.baseUrl}/tw/docs#x explains unknown_path.`
  expect((await refused(behind.datasets())).nextStep).toBe(`datasets() and releases() list the available ones. ${page}`)
  expect(server.requests.map(one => one.split(/[ ?]/)[0])).toEqual([`/tw/v2/datasets/${SLUG}`, '/tw/v2/next', '/tw/v2/datasets'])
  await server.close()
})

it('the TypeScript client reports null for missing remaining credits', async () => {
  const server = await answering((_, response) => response.setHeader('x-credits-charged', '2').end('{"data":[]}'))
  const { credits } = await createClient({ baseUrl: server.baseUrl }).read(SLUG, { symbol: '2330' })
  expect(credits).toEqual({ charged: 2, remaining: null })
  await server.close()
})

it.each(['https://me:secret@api.example', 'https://api.example?key=secret', 'https://api.example#secret', 'secret', 'ftp://secret'])(
  'createClient refuses the base URL %s without printing its secret',
  baseUrl => {
    expect(() => createClient({ baseUrl })).toThrow(/^baseUrl must be (?!.*secret)/)
  },
)

it('the TypeScript client distinguishes an unreachable service, a broken connection, a missing answer and the answer of another program', async () => {
  const gone = await answering(rows)
  await gone.close()
  let waits = 0
  const patient = createClient({ baseUrl: gone.baseUrl, retries: 1, onWait: () => waits++ })
  const unsent = await refused(patient.read(SLUG, { symbol: '2330' }))
  expect(unsent).toMatchObject({ code: 'unreachable', status: 0, message: expect.not.stringContaining(MAYBE_CHARGED) })
  expect(waits).toBe(1)

  const cut = await answering(request => request.socket.destroy())
  const hasty = createClient({ baseUrl: cut.baseUrl, retries: 1 })
  // Free requests are retried; requests that may have been charged are not.
  expect(await refused(hasty.datasets())).toMatchObject({ code: 'unreachable', facts: { unsent: false } })
  expect(cut.requests).toHaveLength(2)
  expect(await refused(hasty.read(SLUG, { symbol: '2330' }))).toMatchObject({
    code: 'unreachable',
    message: expect.stringContaining(MAYBE_CHARGED),
  })
  expect(cut.requests).toHaveLength(3)

  for (const [syscall, times] of [
    ['connect', 2],
    ['read', 1],
  ] as const) {
    let tried = 0
    const fetch = async () => {
      tried++
      throw Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error(), { code: 'EHOSTUNREACH', syscall }) })
    }
    await refused(createClient({ baseUrl: cut.baseUrl, retries: 1, fetch }).search('2330'))
    expect(tried, syscall).toBe(times)
  }

  // After a timeout or a proxy error, the service may have charged the request.
  const slow = await answering(() => {})
  const waiting = createClient({ baseUrl: slow.baseUrl, timeout: 0.05 })
  expect(await refused(waiting.search('2330'))).toMatchObject({ code: 'timeout', message: expect.stringContaining(MAYBE_CHARGED) })
  expect(slow.requests).toHaveLength(1)
  await slow.close()
  for (const code of [502, 503, 504]) {
    const proxy = await answering((_, response) => response.writeHead(code, { 'retry-after': '0' }).end('<html>'), rows)
    const behind = createClient({ baseUrl: proxy.baseUrl })
    expect(await refused(behind.search('2330'))).toMatchObject({ status: code, message: expect.stringContaining(MAYBE_CHARGED) })
    expect(proxy.requests).toHaveLength(1)
    await proxy.close()
    const again = await answering((_, response) => response.writeHead(code, { 'retry-after': '0' }).end('<html>'), rows)
    await createClient({ baseUrl: again.baseUrl }).datasets()
    expect(again.requests).toHaveLength(2)
    await again.close()
  }

  const broken = await answering((_, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{"data":')
    setTimeout(() => response.destroy(), 20)
  })
  expect(await refused(createClient({ baseUrl: broken.baseUrl }).datasets())).toMatchObject({ code: 'broken_off' })
  expect(broken.requests).toHaveLength(1)

  const silent = await answering(() => {})
  expect(await refused(createClient({ baseUrl: silent.baseUrl, timeout: 0.05, retries: 1 }).datasets())).toMatchObject({
    code: 'timeout',
  })
  expect(silent.requests).toHaveLength(2)
  const stop = AbortSignal.timeout(50)
  const ended = await createClient({ baseUrl: silent.baseUrl })
    .datasets({ signal: stop })
    .catch((error: unknown) => error)
  expect(ended).toBe(stop.reason)

  const strange = await answering((_, response) => response.writeHead(404).end('<html>'))
  expect(await refused(createClient({ baseUrl: strange.baseUrl }).datasets())).toMatchObject({ code: 'not_twmd', status: 404 })
  for (const server of [cut, broken, silent, strange]) await server.close()
})

const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes or so').toString('base64')}`
const OTHER = `whsec_${Buffer.from('another one').toString('base64')}`
const AT = 1_782_900_000
const BODY = JSON.stringify({
  type: 'dataset.published',
  timestamp: '2026-07-01T12:00:00Z',
  data: { slug: SLUG, title: '三大法人買賣超' },
})
const signature = (secret: string, id = 'msg_1', timestamp = AT): string => {
  const hmac = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
  return `v1,${hmac.update(`${id}.${timestamp}.${BODY}`).digest('base64')}`
}
const headers = (signatures: string) => ({ 'Webhook-Id': 'msg_1', 'webhook-timestamp': String(AT), 'webhook-signature': signatures })
const verify = (secret: string | readonly string[], sent: ReturnType<typeof headers>, body: string | Uint8Array = BODY, seconds = AT) =>
  verifyWebhook(secret, sent, body, { now: seconds * 1_000 })

it('verifyWebhook accepts a message when one signature matches one secret', async () => {
  const event = JSON.parse(BODY)
  expect(await verify(SECRET, headers(signature(SECRET)))).toEqual(event)
  expect(await verify(SECRET, headers(`v1a,x v1,!! ${signature(OTHER)} ${signature(SECRET)}`), Buffer.from(BODY))).toEqual(event)
  expect(await verify([OTHER, SECRET], headers(signature(SECRET)))).toEqual(event)
  expect(await verifyWebhook(SECRET, new Headers(headers(signature(SECRET))), BODY, { now: (AT + 299) * 1_000 })).toEqual(event)
})

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
/** Other encodings of the same bytes: unused bits set, no padding, a space. */
const respelt = (text: string): readonly string[] => [
  text.replace(/(.)=$/, (_, last) => `${BASE64[BASE64.indexOf(last) + 1]}=`),
  text.replace('=', ''),
  `${text.slice(0, 9)}\t${text.slice(9)}`,
]

it.each(respelt(signature(SECRET)))('verifyWebhook refuses a signature in another spelling of the same bytes: %s', async text => {
  const same = Buffer.from(text.slice(3), 'base64').equals(Buffer.from(signature(SECRET).slice(3), 'base64'))
  const error = await verify(SECRET, headers(text)).catch((thrown: unknown) => thrown)
  expect([same, error]).toEqual([true, expect.objectContaining({ code: 'wrong_signature' })])
})

it.each([
  ['wrong_signature', 'the signature of another secret', () => verify(OTHER, headers(signature(SECRET)))],
  ['wrong_signature', 'a changed body', () => verify(SECRET, headers(signature(SECRET)), BODY.replace('published', 'revised'))],
  ['wrong_signature', 'the signature of another message', () => verify(SECRET, headers(signature(SECRET, 'msg_2')))],
  ['wrong_signature', 'an unknown version of the signature', () => verify(SECRET, headers(signature(SECRET).replace('v1,', 'v2,')))],
  ['wrong_time', 'a time 301 seconds ago', () => verify(SECRET, headers(signature(SECRET)), BODY, AT + 301)],
  ['wrong_time', 'a time in 301 seconds', () => verify(SECRET, headers(signature(SECRET)), BODY, AT - 301)],
  ['wrong_time', 'a time that is not a number', () => verify(SECRET, { ...headers(signature(SECRET)), 'webhook-timestamp': 'now' })],
  ['missing_header', 'an empty signature header', () => verify(SECRET, headers(''))],
  ['wrong_secret', 'an empty secret', () => verify('whsec_', headers(signature(SECRET)))],
])('verifyWebhook fails with the code %s for a message with %s', async (code, _, call) => {
  const error = await call().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(WebhookRefused)
  expect(error).toMatchObject({ code })
})
