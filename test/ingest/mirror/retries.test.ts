import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { openRemote } from '../../../ingest/mirror/index.ts'
import type { Refusal } from '../../../src/core/index.ts'
import { informWithoutEnd } from '../../fixtures/informational.ts'

const closers: (() => void)[] = []
afterAll(() => {
  for (const close of closers.splice(0)) close()
})

/** A server with prepared answers, of which it repeats the last, and the paths it received. */
async function answering(...answers: readonly RequestListener[]) {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url!)
    answers[Math.min(requests.length, answers.length) - 1]!(request, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}
const rows: RequestListener = (_, response) => response.end('{"data":[]}')
const hangsUp: RequestListener = request => request.socket.destroy()
const breaksOff: RequestListener = (_, response) => {
  response.writeHead(200, { 'content-length': '100' }).write('{')
  void sleep(20).then(() => response.destroy())
}
const informs: RequestListener = (_, response) => void informWithoutEnd(response)
const proxy =
  (status: number): RequestListener =>
  (_, response) =>
    response.writeHead(status, { 'retry-after': '0' }).end('<html>')
const refuses =
  (status: number, code: string): RequestListener =>
  (_, response) =>
    response.writeHead(status).end(JSON.stringify({ error: { error_code: code, error_message: 'Later.' } }))

const refused = (result: Promise<unknown>): Promise<Refusal> =>
  result.then(
    () => Promise.reject(new Error('It was answered.')),
    (error: Refusal) => error,
  )

describe.concurrent('charged reads', () => {
  it.each([
    ['the connection is closed', hangsUp],
    ['the answer is truncated', breaksOff],
    ['a proxy answers 502', proxy(502)],
    ['a proxy answers 503', proxy(503)],
    ['a proxy answers 504', proxy(504)],
  ])('a charged read is reported as possibly charged, and is not repeated, when %s', async (_, answer) => {
    const { url, requests } = await answering(answer, rows)
    const refusal = await refused(openRemote({ url, tries: 3 }).read('/priced'))
    expect([requests, refusal.facts['may_be_charged'], refusal.message]).toEqual([
      ['/priced'],
      true,
      expect.stringContaining('It may have been charged, so it was not repeated.'),
    ])
  })

  it.each([
    [429, 'rate_limited'],
    [503, 'overloaded'],
  ])('a charged read is repeated after %i %s, because this refusal costs nothing', async (status, code) => {
    const { url, requests } = await answering(refuses(status, code), rows)
    await openRemote({ url, tries: 3 }).read('/priced')
    expect(requests).toHaveLength(2)
  })

  it.each([
    [500, 'internal'],
    [503, 'data_unavailable'],
    [503, 'dataset_building'],
    [504, 'query_timeout'],
  ])('a charged read is not repeated after %i %s', async (status, code) => {
    const { url, requests } = await answering(refuses(status, code), rows)
    const refusal = await refused(openRemote({ url, tries: 3 }).read('/priced'))
    expect([requests.length, refusal.facts]).toEqual([1, { status, code }])
  })

  it('a charged read is repeated when no connection was made', async () => {
    const { url, requests } = await answering(rows)
    const waits: string[] = []
    // The server has no TLS, so the connection ends before a request is sent.
    const remote = openRemote({ url: url.replace('http:', 'https:'), tries: 2, waiting: (_, why) => waits.push(why) })
    const refusal = await refused(remote.read('/priced'))
    expect([requests, waits.length, refusal.facts]).toEqual([[], 1, {}])
  })
})

describe.concurrent('free reads', () => {
  it.each([
    ['the connection is closed', hangsUp],
    ['informational responses do not end', informs],
    ['a proxy answers 502', proxy(502)],
    ['the service answers 500', refuses(500, 'internal')],
  ])('a free read is repeated when %s', async (_, answer) => {
    const { url, requests } = await answering(answer, rows)
    await openRemote({ url, tries: 3 }).read('/free', { free: true })
    expect(requests).toHaveLength(2)
  })
})

it('requests to a remote URL with a path keep the path', async () => {
  const { url, requests } = await answering(rows)
  await openRemote({ url: `${url}/twmd` }).read('/v2/datasets?limit=1')
  expect(requests).toEqual(['/twmd/v2/datasets?limit=1'])
})
