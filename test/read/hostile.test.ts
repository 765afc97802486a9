import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { service, type TestService } from '../support.ts'
import { sendTo } from './raw-socket.ts'

let s: TestService
let port = 0
let key = ''
beforeAll(async () => {
  s = await service({ indexed: false })
  key = s.keyOn('max')
  await s.app.listen({ port: 0, host: '127.0.0.1' })
  port = (s.app.server.address() as AddressInfo).port
})
afterAll(() => s.close())

const PATH = '/v2/datasets/theme-taxonomy'
const START = '/v2/self-serve/onboarding/start'

const send = (text: string) => sendTo(port, text)

/**
 * A read request with additional headers. `Connection: close` makes the server close the socket.
 */
const get = (...lines: string[]): string => [`GET ${PATH} HTTP/1.1`, 'Host: x', 'Connection: close', ...lines, '', ''].join('\r\n')
const post = (...lines: string[]): string => get(...lines).replace('GET', 'POST')

it('the service answers a well-formed raw request', async () => {
  expect((await send(get(`X-API-Key: ${key}`))).status).toBe(200)
})

describe('unencoded URLs', () => {
  const raw = (target: string | Buffer): string => `GET ${Buffer.from(target).toString('latin1')} HTTP/1.1\r\nHost: x\r\n\r\n`
  const refusal = async (text: string) => {
    const { status, body } = await send(text)
    const { detail, error } = JSON.parse(body)
    return [status, error.error_code, detail]
  }
  const NEEDS = 'The URL contains characters that must be percent-encoded as UTF-8'

  it('the service refuses an unencoded URL and suggests an encoded URL that works', async () => {
    const sent = '/v2/datasets/broker-branch-reference?parent_broker_name='
    expect(await refusal(raw(`${sent}統一`))).toEqual([400, 'malformed_request', `${NEEDS}. Send ${sent}%E7%B5%B1%E4%B8%80.`])
    const { body } = await send(get(`X-API-Key: ${key}`).replace(PATH, `${sent}%E7%B5%B1%E4%B8%80`))
    expect(JSON.parse(body).data_count).toBe(2)
  })

  it('the service refuses an unencoded URL in the requested language and media type', async () => {
    const lines = 'Accept-Language: zh-TW\r\nAccept: application/problem+json\r\n\r\n'
    const { headers, body } = await send(raw('/v2/search?q=台').replace(/\r\n$/, lines))
    expect([headers.get('content-language'), headers.get('content-type')]).toEqual(['zh-TW', expect.stringContaining('problem+json')])
    expect(JSON.parse(body).detail).toContain('%E5%8F%B0')
    expect(body).toMatch(/網址/)
  })

  it('if an unencoded URL is not UTF-8, is too long or contains a key, the refusal does not echo the URL', async () => {
    const plain = [400, 'malformed_request', `${NEEDS}, for example %E5%8F%B0 for 台.`]
    expect(await refusal(raw(Buffer.from([0x2f, 0x3f, 0x78, 0x3d, 0xa5, 0x78])))).toEqual(plain)
    expect(await refusal(raw(`/?x=${'台'.repeat(400)}`))).toEqual(plain)
    expect(await refusal(raw(`/?x=台&api_key=${key}`))).toEqual(plain)
  })
})

describe('S2: ambiguous framing', () => {
  const body = `\r\n0\r\n\r\nGET ${PATH}?limit=1 HTTP/1.1\r\nHost: x\r\n\r\n`
  it.each<[string, number, string, () => string]>([
    [
      'Content-Length with Transfer-Encoding',
      400,
      'malformed_request',
      () => post(`X-API-Key: ${key}`, 'Content-Length: 5', 'Transfer-Encoding: chunked') + body,
    ],
    ['two lengths', 400, 'malformed_request', () => `${post('Content-Length: 5', 'Content-Length: 6')}abcde`],
    ['one length twice', 400, 'malformed_request', () => `${post('Content-Length: 5', 'Content-Length: 5')}abcde`],
    ['a length that is not a number', 400, 'malformed_request', () => `${post('Content-Length: +5')}abcde`],
    ['another transfer coding after chunked', 400, 'malformed_request', () => post('Transfer-Encoding: chunked, identity') + body],
    ['a folded header', 400, 'malformed_request', () => get('X-A: a\r\n b')],
    ['a blank before the colon', 400, 'malformed_request', () => get(`X-API-Key : ${key}`)],
    ['two hosts', 400, 'repeated_header', () => get('Host: y', `X-API-Key: ${key}`)],
    ['two keys', 400, 'repeated_header', () => get(`X-API-Key: ${key}`, `x-api-key: ${key}`)],
    ['two authorizations', 400, 'repeated_header', () => get(`Authorization: Bearer ${key}`, `Authorization: Bearer ${key}`)],
    ['bare line feeds', 400, 'malformed_request', () => get(`X-API-Key: ${key}`).replaceAll('\r\n', '\n')],
    ['a NUL in a header', 400, 'malformed_request', () => get('X-A: a\0b')],
    ['headers of 20 KB', 431, 'headers_too_large', () => get(`X-A: ${'a'.repeat(20_000)}`)],
    ['an invalid percent escape', 400, 'malformed_request', () => get(`X-API-Key: ${key}`).replace(PATH, '/v2/%zz')],
    ['HTTP/2 without negotiation', 400, 'malformed_request', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ])('S2: the service refuses %s with %i and closes the connection', async (_, status, code, text) => {
    const answer = await send(text())
    const { error } = JSON.parse(answer.body)
    expect([answer.status, error.error_code]).toEqual([status, code])
    expect(answer.headers.get('x-request-id')).toBe(error.request_id)
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(Number(answer.headers.get('content-length'))).toBe(Buffer.byteLength(answer.body))
    expect(answer.body).not.toContain('sk_live_')
  })
})

it('S2: if an invalid request arrives during a response, it is refused after the complete response', async () => {
  const { promise: refused, resolve: goOn } = Promise.withResolvers<void>()
  s.app.server.prependOnceListener('request', (_, response) => {
    const { end } = response
    // The response stops after its first bytes, as for a slow client.
    response.end = ((body: Buffer) => {
      response.write(body.subarray(0, 10))
      void refused.then(() => end.call(response, body.subarray(10), 'utf8'))
      return response
    }) as typeof response.end
  })
  s.app.server.once('clientError', () => goOn())
  const chunks: Buffer[] = []
  const socket = connect(port, '127.0.0.1', () => socket.write('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'))
  socket.once('data', () => socket.write('no request\r\n\r\n')).on('data', chunk => chunks.push(Buffer.from(chunk)))
  await once(socket, 'close')
  const text = Buffer.concat(chunks).toString()
  expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  const [first, second] = text.split('HTTP/1.1 400 Bad Request')
  expect(second).toContain('malformed_request')
  const body = first!.slice(first!.indexOf('\r\n\r\n') + 4)
  expect(() => JSON.parse(body)).not.toThrow()
})

describe('S3: request bodies', () => {
  it.each(['br', 'gzip', 'deflate', 'zstd', 'gzip, br', 'GZIP'])(
    'S3: the service refuses a body encoded as %s before reading it',
    async encoding => {
      const promised = post('Content-Type: application/json', `Content-Encoding: ${encoding}`, 'Content-Length: 1000')
      const answer = await send(promised)
      expect([answer.status, JSON.parse(answer.body).error.error_code]).toEqual([415, 'unsupported_media_type'])
    },
  )

  it('S3: the service refuses a content type that only resembles JSON', async () => {
    const answer = await send(`${post('Content-Type: application/json\ta', 'Content-Length: 2').replace(PATH, START)}{}`)
    expect([answer.status, JSON.parse(answer.body).error.error_code]).toEqual([415, 'unsupported_media_type'])
  })
})

describe('S4: other methods', () => {
  it.each(['TRACE', 'PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS'] as const)(
    'S4: the service refuses %s with 405, without a charge and without CORS headers',
    async method => {
      const headers = { 'x-api-key': key, origin: 'https://elsewhere.test', 'access-control-request-method': 'GET' }
      const response = await s.app.inject({ method, url: PATH, headers })
      expect(response.statusCode).toBe(405)
      expect(response.headers['allow']).toBe('GET, HEAD')
      expect(Object.keys(response.headers).filter(name => name.startsWith('access-control-'))).toEqual([])
      expect(response.headers).not.toHaveProperty('x-credits-charged')
      expect(response.body).not.toContain(key)
    },
  )

  it.each([
    ['QUERY without a content type', 'QUERY', ['Content-Length: 2']],
    ['QUERY', 'QUERY', ['Content-Type: application/json', 'Content-Length: 2']],
    ['POST of text', 'POST', ['Content-Type: text/plain', 'Content-Length: 2']],
    ['PUT of no JSON', 'PUT', ['Content-Type: application/json', 'Content-Length: 2']],
    ['PATCH of a megabyte', 'PATCH', ['Content-Type: application/json', 'Content-Length: 1000000']],
  ])('S4: the service refuses %s with 405 regardless of its body', async (_, method, lines) => {
    const answer = await send(`${get(...lines).replace('GET', method)}{!`)
    expect([answer.status, answer.headers.get('allow'), JSON.parse(answer.body).error.allowed]).toEqual([405, 'GET, HEAD', ['GET', 'HEAD']])
  })

  it('S4: a read has no CORS headers by default', async () => {
    const { statusCode, headers } = await s.get(PATH, key, { origin: 'https://elsewhere.test' })
    expect(statusCode).toBe(200)
    expect(Object.keys(headers).filter(name => name.startsWith('access-control-'))).toEqual([])
  })
})

describe('Q3: dataset names', () => {
  // Over a socket, because HTTP clients resolve dots before they send.
  const named = async (name: string) => {
    const { status, body } = await send(get(`X-API-Key: ${key}`).replace(PATH, `/v2/datasets/${name}`))
    return { status, error: JSON.parse(body).error }
  }

  it.each([
    '..',
    '%2e%2e',
    '..%2f..%2fetc%2fpasswd',
    '%2e%2e%2f',
    'CON',
    'nul',
    'income-statements',
    'a'.repeat(120),
    '%E8%82%A1',
    "x'--",
    '*',
  ])('Q3: the service refuses the dataset name %s as unknown', async name => {
    const { status, error } = await named(name)
    expect([status, error.error_code]).toEqual([404, 'unknown_dataset'])
    expect(error.allowed).toContain('theme-taxonomy')
    expect(error.allowed).not.toContain('income-statements')
  })

  it.each(['../../etc/passwd', 'theme-taxonomy//', 'theme-taxonomy/../events', '%2e%2e/theme-taxonomy'])(
    'Q3: the service refuses the path /v2/datasets/%s as unknown',
    async name => {
      const { status, error } = await named(name)
      expect([status, error.error_code]).toEqual([404, 'unknown_path'])
    },
  )

  it.each(['THEME-TAXONOMY', 'theme_taxonmy', 'theme-taxonmy', 'Theme-Taxonomy'])(
    'Q3: the service refuses the dataset name %s and suggests theme-taxonomy',
    async name => {
      const { status, error } = await named(name)
      expect([status, error.did_you_mean]).toEqual([404, 'theme-taxonomy'])
    },
  )
})
