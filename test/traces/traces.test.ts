import { request } from 'undici'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openTraces } from '../../src/traces/index.ts'
import { service } from '../support.ts'
import { openCollector, type ReceivedSpan } from './collector.ts'

const PATH = '/v2/datasets/institutional-positioning'
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

let collector: Awaited<ReturnType<typeof openCollector>>
beforeEach(async () => {
  collector = await openCollector()
})
afterEach(() => collector.close())

const named = (name: string): ReceivedSpan[] => collector.spans.filter(span => span.name === name)
const inside = ({ spanId }: ReceivedSpan) => collector.spans.filter(({ parentSpanId }) => parentSpanId === spanId)

/** Requests each path, then stops the service, which sends its spans. */
async function ask(
  env: Readonly<Record<string, string>>,
  requests: readonly (readonly [string, Record<string, string>])[],
  { examples = true }: { readonly examples?: boolean } = {},
) {
  const s = await service({ examples, env: { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`, ...env } })
  const key = s.keyOn('max')
  const address = await s.app.listen({ port: 0, host: '127.0.0.1' })
  const ids: string[] = []
  for (const [path, headers] of requests) {
    const answer = await request(`${address}${path}`, { headers: { 'x-api-key': key, ...headers } })
    await answer.body.dump()
    ids.push(String(answer.headers['x-request-id']))
  }
  await s.close()
  return { ids, key, lines: s.lines }
}

it('each request is sent as a span with its stages, in the trace of its caller', async () => {
  const parent = { traceparent: `00-${TRACE}-${SPAN}-01` }
  const { ids, key } = await ask({ OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20secret', OTEL_SERVICE_NAME: 'market' }, [
    [`${PATH}?symbol=2330&limit=1`, parent],
    ['/v2/datasets/bond-yield-curve?symbol=TWGB&limit=2&format=csv', {}],
    ['/v2/nowhere', {}],
  ])
  const [read] = named(`GET ${PATH}`)
  expect(read).toMatchObject({ traceId: TRACE, parentSpanId: SPAN, kind: 2, status: {} })
  expect(read!.attributes).toMatchObject({
    'http.request.method': 'GET',
    'http.route': PATH,
    'http.response.status_code': '200',
    'twmd.request_id': ids[0],
  })
  expect(inside(read!).map(({ name }) => name)).toEqual(['admit', 'plan', 'hold', 'fetch', 'encode', 'settle'])
  const [csv] = named('GET /v2/datasets/bond-yield-curve')
  expect(csv!.parentSpanId).toBeUndefined()
  expect(csv!.traceId).toMatch(/^[\da-f]{32}$/)
  expect(inside(csv!).map(({ name }) => name)).toEqual(['admit', 'plan', 'hold', 'fetch', 'encode', 'settle'])
  for (const span of [read!, csv!])
    for (const { startTimeUnixNano: from, endTimeUnixNano: to, traceId } of inside(span)) {
      expect(traceId).toBe(span.traceId)
      expect(BigInt(from) <= BigInt(to)).toBe(true)
    }
  expect(Number(BigInt(read!.startTimeUnixNano) / 1_000_000n)).toBeCloseTo(Date.now(), -5)
  expect(named('GET')[0]!.attributes['http.response.status_code']).toBe('404')
  expect(collector.seen[0]).toMatchObject({ path: '/v1/traces', service: 'market', headers: { authorization: 'Bearer secret' } })
  // Query parameters and callers are recorded in the log and the ledger only.
  for (const secret of [key, '2330', 'example.test']) expect(collector.bodies.join()).not.toContain(secret)
})

it('sampling follows the caller’s traceparent, else the configured share; a malformed header starts a new trace', async () => {
  await ask(
    { OTEL_TRACES_SAMPLER_ARG: '0' },
    [
      [`${PATH}?symbol=2330&limit=1`, { traceparent: `00-${TRACE}-${SPAN}-01` }],
      [`${PATH}?symbol=2330&limit=1`, { traceparent: `00-${TRACE}-${SPAN}-00` }],
      [`${PATH}?symbol=2330&limit=1`, {}],
    ],
    { examples: false },
  )
  expect(named(`GET ${PATH}`)).toHaveLength(1)
  collector.spans.length = 0
  const broken = [`00-${'0'.repeat(32)}-${SPAN}-01`, `ff-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01-more`, 'nonsense']
  await ask(
    {},
    broken.map(traceparent => ['/healthz', { traceparent }] as const),
    { examples: false },
  )
  const spans = named('GET /healthz')
  expect(spans).toHaveLength(broken.length)
  for (const { traceId, parentSpanId } of spans) expect([traceId === TRACE, parentSpanId]).toEqual([false, undefined])
})

it('reads are answered while the collector is down, and the log reports the outage once', async () => {
  await collector.close()
  collector = await openCollector(503)
  const { lines } = await ask({}, [
    [`${PATH}?symbol=2330&limit=1`, {}],
    [`${PATH}?symbol=2317&limit=1`, {}],
  ])
  const records = lines.filter(line => line.includes('sending traces'))
  expect(records).toHaveLength(1)
  expect(records[0]).toContain('the collector responded with status 503')
})

it('span times follow the wall clock, even if it was set after the process started', async () => {
  const settings = { url: `${collector.url}/v1/traces`, headers: {}, service: 'twmd', ratio: 1 }
  const traces = openTraces({ settings, log: () => {} })
  const spent = { method: 'GET', route: '/v2/datasets', status: 200, bytes: 2, time: null }
  const ask = (requestId: string) => traces.request({ ...spent, requestId, since: performance.now() - 250, ms: 200 }, undefined)
  ask('req_before')
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2030-01-01T00:00:00.500Z') })
  try {
    ask('req_after')
  } finally {
    vi.useRealTimers()
  }
  await traces.close()
  const [, after] = named('GET /v2/datasets')
  const [from, to] = [after!.startTimeUnixNano, after!.endTimeUnixNano].map(nanos => Number(BigInt(nanos) / 1_000_000n))
  expect(new Date(from!).toISOString().slice(0, 19)).toBe('2030-01-01T00:00:00')
  expect(to! - from!).toBeGreaterThan(198)
})
