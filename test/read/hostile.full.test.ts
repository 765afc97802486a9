import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { service, type TestService } from '../support.ts'
import { sendTo } from './raw-socket.ts'

let s: TestService
let port = 0
beforeAll(async () => {
  s = await service({ examples: false, indexed: false })
  await s.app.listen({ port: 0, host: '127.0.0.1' })
  port = (s.app.server.address() as AddressInfo).port
})
afterAll(() => s.close())

const PATH = '/v2/datasets/theme-taxonomy'
const START = '/v2/self-serve/onboarding/start'

describe('S2: incomplete requests', () => {
  beforeAll(() => {
    s.app.server.headersTimeout = 200
    s.app.server.requestTimeout = 400
  })
  afterAll(() => {
    s.app.server.headersTimeout = 10_000
    s.app.server.requestTimeout = 15_000
  })

  it.each([
    ['headers that never end', `GET ${PATH} HTTP/1.1\r\nHost: x\r\nX-A`],
    ['nothing at all', ''],
    ['a body that never ends', `POST ${START} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`],
  ])('S2: the service returns 408 for %s and closes the connection', async (_, text) => {
    const { status, headers, body } = await sendTo(port, text)
    expect([status, headers.get('connection'), headers.get('content-type')]).toEqual([408, 'close', 'application/json; charset=utf-8'])
    const { detail, error } = JSON.parse(body)
    expect([error.error_code, error.request_id, detail]).toEqual(['request_timeout', headers.get('x-request-id'), error.error_message])
  })
})
