import { readFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { Row } from '../../catalog/index.ts'
import { arrow, arrowPages } from '../../clients/typescript/src/arrow.ts'
import { type Client, createClient, type Followed } from '../../clients/typescript/src/index.ts'
import type { OpenApi } from '../../src/http/openapi/index.ts'
import { trade, weekdays } from '../fixtures/publish/rows.ts'
import { jsonOf } from '../formats/parsing.ts'
import { service } from '../support.ts'
import { all, refused } from './calls.ts'
import { clientTypes, TYPES } from './typescript-types.ts'

const DAYS = weekdays('2026-01-05', 60)
const LAST = DAYS.at(-1)!
const SLUG = 'institutional-positioning'
const PATH = `/v2/datasets/${SLUG}`
const rowsOf = (days: readonly string[]) => days.flatMap((day, at) => [trade('2330', day, 5_000_000_000 + at), trade('2317', day, -at)])

let now = new Date('2026-07-01T12:00:00Z')
const s = await service({ examples: false, now: () => now })
const key = s.keyOn('pro', 'clients@example.test')
let client: Client
let url = ''
beforeAll(async () => {
  expect((await s.publish(SLUG, rowsOf(DAYS), { accept: ['closed_day'] })).faults).toEqual([])
  url = await s.app.listen({ port: 0, host: '127.0.0.1' })
  client = createClient({ baseUrl: url, apiKey: key })
})
afterAll(() => s.close())

const json = async (path: string): Promise<Row & { readonly data: readonly Row[] }> => (await s.get(path, key)).json()

it('the types of the TypeScript client match the OpenAPI document', async () => {
  const made = clientTypes((await s.get('/openapi.json')).json() as OpenApi)
  expect(readFileSync(TYPES, 'utf8') === made, 'The types are not those of the service: run `npm run contract`.').toBe(true)
})

it('the TypeScript client has the version of the service', () => {
  const versionIn = (file: string): string => JSON.parse(readFileSync(file, 'utf8')).version
  expect(versionIn('clients/typescript/package.json')).toBe(versionIn('package.json'))
})

it('client.read returns rows and the values of the response headers', async () => {
  const page = await client.read(SLUG, { symbol: ['2330', '2317'], columns: ['ticker', 'foreign_net_buy'], limit: 3 })
  const { data } = await json(`${PATH}?symbol=2330,2317&columns=ticker,foreign_net_buy&limit=3`)
  const [release] = (await client.datasets()).data.flatMap(({ slug, release_version }) => (slug === SLUG ? [release_version] : []))
  expect(page).toMatchObject({ rows: data, release, rowCount: 3, limited: false, emptyReason: null, credits: { charged: 2 } })
  expect(page.body['data']).toEqual(data)
})

it('client.read finds the rows in every kind of envelope', async () => {
  for (const slug of ['daily-prices', 'earnings'] as const) {
    const { example } = s.dataset(slug)
    expect((await s.publish(slug, example)).faults).toEqual([])
    expect((await client.read(slug, { symbol: String(example[0]!['ticker']) })).rows).toEqual(example)
  }
})

it('client.pages stays on one release while another release is published', async () => {
  const pages = client.pages(SLUG, { symbol: '2330', limit: 25 })
  const first = (await pages.next()).value!
  const { faults } = await s.publish(SLUG, [trade('2330', '2026-04-01', 1)], { accept: ['closed_day', 'row_count_drift'] })
  expect(faults).toEqual([])
  const rest = await all(pages)
  expect([first, ...rest].map(({ rows }) => rows.length)).toEqual([25, 25, 10])
  expect(new Set([first, ...rest].map(({ release }) => release)).size).toBe(1)
  const rows = await all(client.rows(SLUG, { symbol: '2330', limit: 25 }))
  expect(rows).toEqual((await json(`${PATH}?symbol=2330&limit=100`)).data)
})

it('arrow() returns a table with exact integers', async () => {
  const params = { symbol: '2330', limit: 40, columns: ['foreign_net_buy', 'foreign_pct'] } as const
  const { table, release, next } = await arrow(client, SLUG, params)
  const bought = table.getChild('foreign_net_buy')!.toArray() as BigInt64Array
  const { data } = await json(`${PATH}?symbol=2330&limit=40`)
  expect([...bought]).toEqual(data.map(row => BigInt(row['foreign_net_buy'] as number)))
  expect(table.getChild('foreign_pct')!.toArray()).toBeInstanceOf(Float64Array)
  expect([typeof release, typeof next]).toEqual(['string', 'string'])
  const tables = await all(arrowPages(client, SLUG, params))
  expect(tables.map(page => page.table.numRows)).toEqual([40, 21])
})

it('arrow() returns the same arrays and objects as JSON', async () => {
  const { example } = s.dataset('securities-firm-master')
  expect((await s.publish('securities-firm-master', example)).faults).toEqual([])
  const { table } = await arrow(client, 'securities-firm-master', { limit: 5 })
  const { data } = await json('/v2/datasets/securities-firm-master?limit=5')
  expect(data.length).toBeGreaterThan(0)
  for (const name of ['business_items', 'lineage']) {
    const values = [...table.getChild(name)!].map(value => jsonOf(value.toJSON()))
    expect.soft(values, name).toEqual(data.map(row => row[name]))
  }
})

it('client.download streams the bytes of a format', async () => {
  const { stream, contentType, rowCount } = await client.download(SLUG, { symbol: '2330', limit: 9 }, { format: 'csv', bom: true })
  const { rawPayload } = await s.get(`${PATH}?symbol=2330&limit=9&format=csv&bom=true`, key)
  expect([contentType, rowCount, await buffer(stream)]).toEqual(['text/csv; charset=utf-8; header=present', 9, rawPayload])
  const files = client.downloads(SLUG, { symbol: '2330', limit: 50 }, { format: 'parquet' })
  for await (const file of files) expect(String((await buffer(file.stream)).subarray(0, 4))).toBe('PAR1')
})

it('client.dryRun returns rows and credits', async () => {
  const answer = await client.dryRun(SLUG, { symbol: '2330', limit: 20 }, { format: 'arrow' })
  expect(answer).toMatchObject({ rows: 20, credits: 2, format: 'arrow', would_be_refused: false })
})

it('client.fields returns values as of a day', async () => {
  const answer = await client.fields({
    entity_type: 'company',
    entity_ids: ['2330', '2317'],
    fields: ['institutional.foreign_net_buy'],
    as_of_date: DAYS[3]!,
  })
  const values = answer.data.map(({ fields }) => fields['institutional.foreign_net_buy'])
  expect(values).toMatchObject([
    { value: 5_000_000_003, as_of_date: DAYS[3] },
    { value: -3, as_of_date: DAYS[3] },
  ])
  expect(answer.credits?.charged).toBe(1)
  expect((await client.fieldNames({ entity_type: 'company' })).data.map(({ field }) => field)).toContain('institutional.foreign_net_buy')
})

it('client.sql runs a query with bound values, and client.drySql states its price', async () => {
  const q = 'SELECT trade_date, foreign_net_buy FROM institutional_positioning WHERE ticker = $1 ORDER BY trade_date'
  const answer = await client.sql(q, { params: ['2330'], limit: 2 })
  const rows = rowsOf(DAYS.slice(0, 2)).filter(({ ticker }) => ticker === '2330')
  expect(answer.data).toEqual(rows.map(({ trade_date, foreign_net_buy }) => ({ trade_date, foreign_net_buy })))
  expect(answer.meta.next_offset).toBe(2)
  const price = await client.drySql(q, { params: ['2330'], releases: answer.meta.releases })
  expect([price.credits, price.scan?.scanned_rows]).toEqual([answer.credits?.charged, answer.meta.scanned_rows])
})

it('client.search finds datasets', async () => {
  const { data } = await client.search('institutional', { type: 'dataset' })
  expect(data.map(({ id }) => id)).toContain(SLUG)
})

it('client.follow yields each publication once and resumes after a cursor', async () => {
  const versions = async (): Promise<readonly string[]> =>
    (await client.updates({ published_since: '2026-01-01' })).data.map(one => one.release_version)
  const before = await versions()
  const stop = new AbortController()
  const heard: Followed[] = []
  let answered = 0
  const counted = createClient({ baseUrl: url, fetch: (...request) => fetch(...request).finally(() => answered++) })
  const ended = (async () => {
    for await (const update of counted.follow({ dataset: SLUG, every: 0.02, signal: stop.signal })) {
      heard.push(update)
      if (heard.length === 2) stop.abort()
    }
  })().catch((error: unknown) => error)
  const publish = async (minute: number) => {
    now = new Date(Date.UTC(2026, 6, 1, 13, minute))
    await s.publish(SLUG, [trade('2330', LAST, minute)], { accept: ['closed_day', 'row_count_drift'] })
  }
  // client.follow does not report publications before its first request.
  await vi.waitUntil(() => answered >= 3, { timeout: 30_000 })
  await publish(1)
  await publish(2)
  expect(await ended).toMatchObject({ name: 'AbortError' })
  const news = (await versions()).filter(version => !before.includes(version)).reverse()
  expect(heard.map(({ release_version }) => release_version)).toEqual(news)

  const again = client.follow({ every: 0.02, cursor: heard[0]!.cursor })
  expect((await again.next()).value).toMatchObject({ release_version: news[1] })
  const third = again.next()
  await publish(3)
  expect((await third).value).toMatchObject({ rows_changed: 1, previous_release_version: news[1] })
  await again.return()
})

it('a refused call throws an error with code, message, next step, request id and all faults', async () => {
  const error = await refused(client.read(SLUG, { symbol: 'no such symbol', limit: 0 }))
  const { error: refusal, detail } = (await s.get(`${PATH}?symbol=no+such+symbol&limit=0`, key)).json()
  expect(error).toMatchObject({ status: 422, code: 'invalid_parameter', message: refusal.error_message, faults: detail, retryAfter: null })
  const step = `Correct the request; repeating it unchanged will fail again. ${url}/docs#error-invalid_parameter explains invalid_parameter.`
  expect([error.requestId?.slice(0, 4), error.nextStep]).toEqual(['req_', step])
  expect(error.faults).toHaveLength(2)
})

it('a refused call names the required plan in the requested language', async () => {
  const free = createClient({ baseUrl: url, apiKey: s.keyOn('free', 'free@example.test'), language: 'zh-TW' })
  const error = await refused(free.read(SLUG, { symbol: '2330' }))
  expect(error).toMatchObject({ status: 403, code: 'plan_required', facts: { required_plan: 'pro', current_plan: 'free' } })
  expect(error.message).toMatch(/\p{Script=Han}/u)
})
