import { mkdir, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { request } from 'undici'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FAMILIES } from '../../src/metrics/index.ts'
import { NOW, SECRETS, service, type TestService } from '../support.ts'
import { scrape } from './scrape.ts'

const PATH = '/v2/datasets/institutional-positioning'
let s: TestService
let [address, metrics, key] = ['', '', '']
let time = NOW

beforeAll(async () => {
  s = await service({ metrics: true, answerBytes: 2 ** 20, now: () => time })
  address = await s.app.listen({ port: 0, host: '127.0.0.1' })
  metrics = (await s.tellMetrics())!
  key = s.keyOn('max')
})
afterAll(() => s.close())

async function get(path: string, headers: Record<string, string> = {}): Promise<{ status: number; bytes: number }> {
  const { statusCode, body } = await request(`${address}${path}`, { headers: { 'x-api-key': key, ...headers } })
  return { status: statusCode, bytes: (await body.arrayBuffer()).byteLength }
}

/**
 * The increase of each sample during `work`. Requests are counted when they end, possibly after the
 * caller has received the answer.
 */
async function added(work: () => Promise<unknown>, until: string, times = 1): Promise<(name: string) => number> {
  const { samples: before } = await scrape(metrics)
  await work()
  const since = (after: ReadonlyMap<string, number>, name: string): number => (after.get(name) ?? 0) - (before.get(name) ?? 0)
  await expect.poll(async () => since((await scrape(metrics)).samples, until), { timeout: 10_000 }).toBeGreaterThanOrEqual(times)
  const { samples: after } = await scrape(metrics)
  return name => since(after, name)
}

const requests = (status: number, route = PATH, method = 'GET') =>
  `twmd_requests_total{method="${method}",route="${route}",status="${status}"}`

it('metrics count a read by route, format, product and stage, whether its rows are in memory or not', async () => {
  let sent = 0
  const read = async (): Promise<void> => {
    // Cached answers bypass the framework, except for a request with a repeated key.
    for (const headers of [{}, {}, { authorization: `Bearer ${key}` }]) sent += (await get(`${PATH}?symbol=2330&limit=1`, headers)).bytes
  }
  const more = await added(read, `twmd_request_duration_seconds_count{method="GET",route="${PATH}"}`, 3)
  expect(more(requests(200))).toBe(3)
  expect(more(`twmd_request_duration_seconds_count{method="GET",route="${PATH}"}`)).toBe(3)
  expect(more('twmd_response_bytes_total{format="json"}')).toBe(sent)
  expect(more('twmd_reads_total{product="institutional-positioning"}')).toBe(3)
  expect(more('twmd_rows_total{format="json"}')).toBe(3)
  expect(more('twmd_credits_charged_total{product="institutional-positioning"}')).toBe(
    3 * s.dataset('institutional-positioning').access!.credits,
  )
  expect(more('twmd_read_stage_seconds_count{stage="settle"}')).toBe(3)
  expect(more('twmd_ledger_commit_seconds_count')).toBeGreaterThan(0)
  expect(more('twmd_ledger_entries_total')).toBe(3)
  expect(more('twmd_cache_hits_total{cache="answers"}')).toBeGreaterThan(0)
})

it('metrics count engine reads in the format of the answer', async () => {
  const more = await added(
    async () => expect((await get('/v2/datasets/bond-yield-curve?symbol=TWGB&limit=2&format=csv')).status).toBe(200),
    'twmd_engine_read_seconds_count',
  )
  expect(more('twmd_engine_wait_seconds_count')).toBe(more('twmd_engine_read_seconds_count'))
  expect(more('twmd_rows_total{format="csv"}')).toBeGreaterThan(0)
  expect(more('twmd_response_bytes_total{format="csv"}')).toBeGreaterThan(0)
})

it('metrics count refusals by code, and requests for all unknown paths as one route', async () => {
  const work = async (): Promise<void> => {
    expect((await get(`${PATH}?symbol=2330&limit=nine`)).status).toBe(422)
    for (const nowhere of ['a', 'b']) expect((await get(`/nowhere/${nowhere}`)).status).toBe(404)
  }
  const more = await added(work, requests(404, 'none'), 2)
  expect(more(requests(422))).toBe(1)
  expect(more('twmd_refusals_total{code="invalid_parameter"}')).toBe(1)
  expect(more(requests(404, 'none'))).toBe(2)
})

it('a request with a method that is not allowed counts in the metrics under the route of its path', async () => {
  const ask = async (path: string, method: 'GET' | 'PUT' | 'DELETE'): Promise<void> => {
    const { statusCode, body } = await request(`${address}${path}`, { method })
    await body.dump()
    expect(statusCode).toBe(405)
  }
  const work = async (): Promise<void> => {
    await ask('/mcp', 'GET')
    await ask('/v2/coverage/daily-prices', 'PUT')
    await ask('/v2/coverage/daily-prices', 'DELETE')
  }
  const more = await added(work, requests(405, '/v2/coverage/:dataset', 'other'), 2)
  expect(more(requests(405, '/mcp', 'other'))).toBe(1)
  expect(more('twmd_refusals_total{code="method_not_allowed"}')).toBe(3)
  expect(s.lines.some(line => line.includes('"route":"/mcp"') && line.includes('method_not_allowed'))).toBe(true)
})

it('metrics count refusals of MCP tools although their status is 200', async () => {
  const params = { name: 'describe_dataset', arguments: { dataset: 'nothing' } }
  const work = async (): Promise<void> => {
    const { statusCode, body } = await request(`${address}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    })
    await body.dump()
    expect(statusCode).toBe(200)
  }
  const more = await added(work, requests(200, '/mcp', 'POST'))
  expect(more('twmd_refusals_total{code="unknown_dataset"}')).toBe(1)
})

/** The status of the answer to bytes on a new connection. */
async function statusOf(head: string): Promise<string> {
  const socket = connect(Number(new URL(address).port), '127.0.0.1').setEncoding('utf8')
  socket.write(head)
  let answer = ''
  for await (const piece of socket) answer += piece
  return answer.slice(9, 12)
}

it('metrics count a request with an incomplete body once, with its route and status', async () => {
  const path = '/v2/self-serve/onboarding/start'
  const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`
  const none = (status: number) => requests(status, 'none', 'none')
  const broken = await added(
    async () => expect(await statusOf(`${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`)).toBe('400'),
    requests(400, path, 'POST'),
  )
  expect([broken(requests(400, path, 'POST')), broken(requests(499, path, 'POST')), broken(none(400))]).toEqual([1, 0, 0])
  expect(broken('twmd_refusals_total{code="malformed_request"}')).toBe(1)
  const { requestTimeout, headersTimeout } = s.app.server
  Object.assign(s.app.server, { requestTimeout: 200, headersTimeout: 200 })
  const unfinished = await added(
    async () => expect(await Promise.all([statusOf(`${head}Content-Length: 9\r\n\r\n{`), statusOf('')])).toEqual(['408', '408']),
    requests(408, path, 'POST'),
  )
  expect([unfinished(requests(408, path, 'POST')), unfinished(requests(499, path, 'POST')), unfinished(none(408))]).toEqual([1, 0, 0])
  const increase = await added(async () => expect(await statusOf('GET / HTTP/1.1\r\n')).toBe('408'), none(408))
  Object.assign(s.app.server, { requestTimeout, headersTimeout })
  expect([increase(none(408)), increase('twmd_refusals_total{code="request_timeout"}')]).toEqual([1, 1])
})

it('metrics count unparsable requests by the status of their answer', async () => {
  const work = async (): Promise<void> => {
    expect(await statusOf('no request\r\n\r\n')).toBe('400')
    expect((await get('/%zz')).status).toBe(400)
    expect(await statusOf(`GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`)).toBe('431')
    expect(await statusOf('GET / HTTP/1.1\r\nHost: a\r\nExpect: nothing\r\nConnection: close\r\n\r\n')).toBe('417')
  }
  const more = await added(work, requests(417, 'none', 'none'))
  expect([400, 431, 417].map(status => more(requests(status, 'none', 'none')))).toEqual([2, 1, 1])
  expect(['malformed_request', 'headers_too_large'].map(code => more(`twmd_refusals_total{code="${code}"}`))).toEqual([3, 1])
  expect(
    [...(await scrape(metrics)).samples.keys()].filter(name => name.startsWith('twmd_request_duration') && name.includes('method="none"')),
  ).toEqual([])
})

it('metrics count hits and misses of the cache of compressed bodies', async () => {
  const compressed = async (): Promise<void> => {
    expect((await get('/v2/datasets', { 'accept-encoding': 'gzip' })).status).toBe(200)
  }
  await compressed()
  const again = await added(compressed, 'twmd_cache_hits_total{cache="coded"}')
  expect([again('twmd_cache_hits_total{cache="coded"}'), again('twmd_cache_misses_total{cache="coded"}')]).toEqual([1, 0])
  const first = await added(
    async () => void (await get('/v2/datasets', { 'accept-encoding': 'br' })),
    'twmd_cache_misses_total{cache="coded"}',
  )
  expect(first('twmd_cache_misses_total{cache="coded"}')).toBe(1)
})

it('metrics report age, lateness and damage of every dataset', async () => {
  const { samples } = await scrape(metrics)
  const sampleOf = (name: string, slug = 'daily-prices') => samples.get(`${name}{dataset="${slug}"}`)
  const release = s.releases.served(s.dataset('daily-prices'))!
  expect(samples.get(`twmd_release_info{dataset="daily-prices",release="${release.id}"}`)).toBe(1)
  expect(sampleOf('twmd_dataset_rows')).toBe(release.manifest.statistics.rows)
  expect(sampleOf('twmd_dataset_newest_day_age_seconds')).toBe(
    (NOW.getTime() - Date.parse(`${release.completeThrough}T24:00:00+08:00`)) / 1_000,
  )
  expect([sampleOf('twmd_dataset_unavailable'), sampleOf('twmd_dataset_fallback'), sampleOf('twmd_dataset_damaged_releases')]).toEqual([
    0, 0, 0,
  ])
  const late = [...samples].filter(([name]) => name.startsWith('twmd_dataset_late'))
  for (const [name, value] of late) {
    const overdue = samples.get(name.replace('_late', '_overdue_seconds'))!
    expect(value === 0 || overdue > 0, name).toBe(true)
  }
  expect(late.length).toBeGreaterThan(10)
})

it('metrics report the age of unsent mail and when a dataset became late', async () => {
  const body = JSON.stringify({ email: 'waiting@example.test' })
  const started = await request(`${address}/v2/self-serve/onboarding/start`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${SECRETS.SERVICE_TOKEN}` },
    body,
  })
  await started.body.dump()
  expect((await scrape(metrics)).samples.get('twmd_queue_waiting{queue="mail"}')).toBe(1)
  time = new Date(NOW.getTime() + 20 * 60_000)
  const later = (await scrape(metrics)).samples
  expect([later.get('twmd_queue_oldest_seconds{queue="mail"}'), later.get('twmd_queue_overdue_seconds{queue="mail"}')]).toEqual([
    1_200, 1_200,
  ])
  for (const queue of ['payment_events', 'webhooks']) expect(later.get(`twmd_queue_oldest_seconds{queue="${queue}"}`)).toBe(0)
  time = new Date(NOW.getTime() + 7 * 86_400_000)
  const { samples } = await scrape(metrics)
  const sampleOf = (name: string): number => samples.get(`${name}{dataset="daily-prices"}`)!
  expect(sampleOf('twmd_dataset_late')).toBe(1)
  expect(sampleOf('twmd_dataset_overdue_seconds')).toBeGreaterThan(86_400)
  time = NOW
})

it('every reported metric is declared, and every declared metric is reported', async () => {
  const time = '2026-07-01T18:05:00.000+08:00'
  const state = {
    companies: {
      next_at: time,
      covers: null,
      tries: 0,
      came_at: time,
      refused_at: time,
      last_run: { at: time, outcome: 'came', said: '' },
    },
  }
  await mkdir(join(s.dir, 'fetch'), { recursive: true })
  await writeFile(join(s.dir, 'fetch', 'schedule.json'), JSON.stringify(state))
  const { families, samples } = await scrape(metrics, '*/*')
  const absent = ['twmd_worker_running', 'twmd_worker_restarts_total']
  expect([...families].toSorted()).toEqual(
    Object.entries(FAMILIES)
      .flatMap(([name, { kind }]) => (absent.includes(name) ? [] : [[name, kind]]))
      .toSorted(),
  )
  expect(samples.get('twmd_feed_last_success_timestamp_seconds{feed="companies"}')).toBe(Date.parse(time) / 1_000)
})

it('metrics are in OpenMetrics format if Accept names it, and in Prometheus text format otherwise', async () => {
  const [open, plain] = [await scrape(metrics), await scrape(metrics, 'text/plain;version=0.0.4')]
  expect(open.type).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8')
  expect(open.text).toMatch(/\n# EOF\n$/)
  expect(open.families.get('twmd_requests')).toBe('counter')
  expect(plain.type).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(plain.families.get('twmd_requests_total')).toBe('counter')
  expect(plain.text).not.toContain('# EOF')
  const last = [...plain.samples.keys()].find(name => name.startsWith('twmd_request_duration_seconds_bucket') && name.includes('+Inf'))!
  expect(plain.samples.get(last)).toBe(plain.samples.get(last.replace('_bucket', '_count').replace(',le="+Inf"', '')))
})

it('metrics are served on the loopback interface only, and never on the public port', async () => {
  expect(new URL(metrics).hostname).toBe('127.0.0.1')
  expect((await get('/metrics')).status).toBe(404)
  const { port } = new URL(metrics)
  const send = async (head: string): Promise<string> => {
    const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8')
    socket.write(`${head}\r\nConnection: close\r\n\r\n`)
    let response = ''
    for await (const piece of socket) response += piece
    return response.split('\r\n', 1)[0]!
  }
  expect(await send('GET /metrics HTTP/1.1\r\nHost: rebound.example')).toContain(' 421 ')
  expect(await send('GET /other HTTP/1.1\r\nHost: localhost')).toContain(' 404 ')
  expect(await send('POST /metrics HTTP/1.1\r\nHost: localhost')).toContain(' 405 ')
  expect(await send('GET /metrics HTTP/1.1\r\nHost: localhost')).toContain(' 200 ')
})
