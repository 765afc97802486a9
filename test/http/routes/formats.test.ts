import { once } from 'node:events'
import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { zstdDecompressSync } from 'node:zlib'
import { tableFromIPC } from 'apache-arrow'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { crossSections, type Dataset, FORMATS, pathOf, type Row, served } from '../../../catalog/index.ts'
import { openSession } from '../../fixtures/formats/session.ts'
import { parsers } from '../../formats/parsing.ts'
import { service } from '../../support.ts'

const s = await service()
const key = s.keyOn('max', 'formats@example.test')
const { dir, session, close } = await openSession()
const parse = parsers(session, dir)
afterAll(async () => {
  await close()
  await s.close()
})

const TYPES = {
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson',
  arrow: 'application/vnd.apache.arrow.stream',
  parquet: 'application/vnd.apache.parquet',
} as const
const OTHERS = FORMATS.filter(format => format !== 'json')

/** The shortest read of a dataset. */
function urlOf(dataset: Dataset): string {
  const required = Object.entries(dataset.filters).filter(([, filter]) => filter.required)
  return `${pathOf(dataset)}?${new URLSearchParams(required.map(([name, { example }]) => [name, example!]))}`
}

/** The rows of a JSON body, wherever its envelope has them. */
const rowsOf = (body: string): readonly Row[] => {
  const answer = JSON.parse(body)
  return answer.data ?? answer.envelope.data
}

const reads = [...served(s.catalog), ...crossSections(s.catalog)].map(dataset => ({ name: pathOf(dataset), dataset, url: urlOf(dataset) }))

describe.each(reads)('$name', ({ dataset, url }) => {
  it.each(OTHERS)('answers %s with the rows of JSON, cell by cell, and all columns in their order', async format => {
    const [json, answer] = [await s.get(url, key), await s.get(`${url}&format=${format}`, key)]
    expect([json.statusCode, answer.statusCode, answer.headers['content-type']]).toEqual([200, 200, TYPES[format]])
    const rows = await parse[format]!(answer.rawPayload, dataset.columns)
    expect(rows).toEqual(rowsOf(json.body))
    expect(rows.map(row => Object.keys(row))).toEqual(rows.map(() => Object.keys(dataset.columns)))
  })

  it.each(FORMATS)('says the same about itself in the headers of %s, and what a HEAD would', async format => {
    const [json, answer] = [await s.get(url, key), await s.get(`${url}&format=${format}`, key)]
    const facts = (headers: typeof json.headers) =>
      [
        'x-release',
        'x-dataset',
        'x-row-count',
        'x-row-limit',
        'x-data-as-of',
        'x-known-gaps',
        'x-warnings',
        'x-empty-reason',
        'last-modified',
      ].map(name => headers[name])
    expect(facts(answer.headers)).toEqual(facts(json.headers))
    const head = await s.app.inject({ method: 'HEAD', url: `${url}&format=${format}`, headers: { 'x-api-key': key } })
    for (const name of ['content-type', 'etag', 'content-disposition', 'vary']) expect(head.headers[name]).toBe(answer.headers[name])
  })
})

const FIRMS = '/v2/datasets/securities-firm-master?limit=1'
const ask = (url: string, headers: Record<string, string> = {}) => s.get(url, key, headers)

it.each([
  [undefined, 'json'],
  ['*/*', 'json'],
  ['', 'json'],
  ['text/csv', 'csv'],
  ['application/x-ndjson', 'ndjson'],
  ['application/vnd.apache.arrow.stream', 'arrow'],
  ['application/vnd.apache.parquet', 'parquet'],
  ['TEXT/CSV; header=present', 'csv'],
  ['text/*', 'csv'],
  ['application/*', 'json'],
  ['text/html, application/xhtml+xml, */*;q=0.8', 'json'],
  ['text/csv;q=0.5, application/json', 'json'],
  ['text/csv, application/json;q=0.5', 'csv'],
  ['application/vnd.apache.arrow.stream, */*', 'arrow'],
  ['application/json;q=0, */*', 'csv'],
  ['application/problem+json', 'json'],
] as const)('Accept: %s is answered with %s', async (accept, format) => {
  const answer = await ask(FIRMS, accept === undefined ? {} : { accept })
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, TYPES[format]])
  expect(String(answer.headers['vary'])).toContain('Accept')
})

it.each(['text/html', 'image/*', 'application/json;q=0', 'text/csv;q=0, application/pdf'])(
  'Accept: %s is refused with 406, free of charge, and format goes before it',
  async accept => {
    const refused = await ask(FIRMS, { accept })
    expect([refused.statusCode, refused.headers['content-type']]).toEqual([406, 'application/json; charset=utf-8'])
    expect(refused.json().error).toMatchObject({ error_code: 'format_not_supported', allowed: FORMATS, dataset: 'securities_firm_master' })
    expect(refused.headers['x-credits-charged']).toBe('0')
    const named = await ask(`${FIRMS}&format=csv`, { accept })
    expect([named.statusCode, named.headers['content-type']]).toEqual([200, TYPES.csv])
  },
)

it.each(['xml', 'CSV', '', 'json,csv'])('format=%s is refused with 422 that names the formats', async format => {
  const refused = await ask(`${FIRMS}&format=${format}`)
  expect(refused.statusCode).toBe(422)
  expect(refused.json().detail[0]).toMatchObject({ loc: ['query', 'format'], type: 'enum' })
  expect(refused.json().detail[0].msg).toContain('ndjson')
})

it('a refusal is JSON whatever format was asked for', async () => {
  for (const format of OTHERS) {
    const refused = await ask(`${FIRMS}&format=${format}&limit=0`, { accept: TYPES[format] })
    expect([refused.statusCode, refused.headers['content-type']]).toEqual([422, 'application/json; charset=utf-8'])
    expect(refused.headers).not.toHaveProperty('content-disposition')
  }
})

it('bom=true begins CSV with a byte order mark, goes with CSV alone, and has a tag of its own', async () => {
  const [plain, marked] = [await ask(`${FIRMS}&format=csv`), await ask(`${FIRMS}&format=csv&bom=true`)]
  expect(marked.rawPayload).toEqual(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), plain.rawPayload]))
  expect(marked.headers['etag']).not.toBe(plain.headers['etag'])
  expect((await ask(`${FIRMS}&bom=true`, { accept: 'text/csv' })).rawPayload).toEqual(marked.rawPayload)
  for (const url of [`${FIRMS}&bom=true`, `${FIRMS}&format=arrow&bom=true`, `${FIRMS}&format=csv&bom=yes`])
    expect([(await ask(url)).statusCode, (await ask(url)).json().detail[0].loc]).toEqual([422, ['query', 'bom']])
})

it('every format has a tag of its own, by parameter or Accept alike, and 304 for it', async () => {
  const tags = await Promise.all(FORMATS.map(async format => (await ask(`${FIRMS}&format=${format}`)).headers['etag']))
  expect(new Set(tags).size).toBe(FORMATS.length)
  for (const [index, format] of FORMATS.entries()) {
    const accepted = await ask(FIRMS, { accept: TYPES[format] })
    expect(accepted.headers['etag']).toBe(tags[index])
    const again = await ask(FIRMS, { accept: TYPES[format], 'if-none-match': tags[index]! })
    expect([again.statusCode, again.body, again.headers['x-credits-charged']]).toEqual([304, '', '0'])
    expect((await ask(FIRMS, { accept: TYPES[format], 'if-none-match': tags[(index + 1) % tags.length]! })).statusCode).toBe(200)
  }
})

it('files have a name: dataset, release and the extension of the format', async () => {
  const names = await Promise.all(FORMATS.map(async format => (await ask(`${FIRMS}&format=${format}`)).headers['content-disposition']))
  const file = (extension: string) => `attachment; filename="securities-firm-master-20260701T120000000Z.${extension}"`
  expect(names).toEqual([undefined, file('csv'), undefined, file('arrows'), file('parquet')])
})

it('pages follow one another in every format', async () => {
  const rows = rowsOf((await ask('/v2/datasets/theme-taxonomy?limit=2')).body)
  for (const format of OTHERS) {
    const first = await ask(`/v2/datasets/theme-taxonomy?limit=1&format=${format}`)
    const next = /<(.*)>; rel="next"/.exec(String(first.headers['link']))![1]!
    expect(next).toContain(`format=${format}`)
    const second = await ask(next)
    const columns = s.dataset('theme-taxonomy').columns
    const read = [...(await parse[format]!(first.rawPayload, columns)), ...(await parse[format]!(second.rawPayload, columns))]
    expect(read).toEqual(rows)
  }
})

it('an answer without rows has all columns in every format, and says why', async () => {
  const url = '/v2/datasets/securities-firm-master?symbol=9999'
  const { columns } = s.dataset('securities-firm-master')
  for (const format of OTHERS) {
    const answer = await ask(`${url}&format=${format}`)
    expect([answer.statusCode, answer.headers['x-empty-reason'], answer.headers['x-row-count']]).toEqual([200, 'no_match', '0'])
    expect(await parse[format]!(answer.rawPayload, columns)).toEqual([])
  }
  const arrow = tableFromIPC((await ask(`${url}&format=arrow`)).rawPayload)
  expect(arrow.schema.names).toEqual(Object.keys(columns))
  expect((await ask(`${url}&format=csv`)).body).toBe(`${Object.keys(columns).join(',')}\r\n`)
})

it('the envelope is among the metadata of Arrow, but for its rows', async () => {
  const [json, arrow] = [await ask(FIRMS), await ask(`${FIRMS}&format=arrow`)]
  const kept = JSON.parse(tableFromIPC(arrow.rawPayload).schema.metadata.get('twmd')!)
  const same = (answer: object) => JSON.parse(JSON.stringify(answer).replaceAll(/req_\w{26}/g, 'req'))
  const whole = json.json()
  expect(same(kept)).toEqual(same(whole.envelope?.data ? { ...whole, envelope: { ...whole.envelope, data: [] } } : { ...whole, data: [] }))
})

describe('with many rows', () => {
  const [risk] = s.dataset('company-risk-events').example
  const DAYS = Array.from({ length: 6_000 }, (_, day) => new Date(Date.UTC(2000, 0, 1) + day * 86_400_000).toISOString().slice(0, 10))
  /** Quotes, commas, breaks and Chinese, and texts of any length. */
  const TEXTS = ['a "quoted" text, with commas', 'two\r\nlines\n', '處置股票，每五分鐘撮合一次', '=HYPERLINK("x")', ' x ', 'x'.repeat(300)]
  const URL = '/v2/datasets/company-risk-events?symbol=2330&limit=6000'
  beforeAll(async () => {
    const rows = DAYS.map((day, index) => ({
      ...risk,
      symbol: '2330',
      event_date: day,
      description: `${TEXTS[index % TEXTS.length]}${index}`,
    }))
    await s.publish('company-risk-events', rows, { accept: ['row_count_drift'] })
  })

  it.each(OTHERS)('%s has them all, whole and by pages', async format => {
    const rows = rowsOf((await ask(URL)).body)
    expect(rows.length).toBe(6_000)
    const { columns } = s.dataset('company-risk-events')
    const answer = await ask(`${URL}&format=${format}`)
    expect(await parse[format]!(answer.rawPayload, columns)).toEqual(rows)
    const page = await ask(`${URL.replace('6000', '1')}&format=${format}`)
    expect(await parse[format]!(page.rawPayload, columns)).toEqual(rows.slice(0, 1))
  })

  it('is compressed where that pays: Parquet is already', async () => {
    for (const format of FORMATS) {
      const [plain, coded] = [await ask(`${URL}&format=${format}`), await ask(`${URL}&format=${format}`, { 'accept-encoding': 'zstd' })]
      expect(coded.headers['content-encoding']).toBe(format === 'parquet' ? undefined : 'zstd')
      const body = format === 'parquet' ? coded.rawPayload : zstdDecompressSync(coded.rawPayload)
      const stable = (bytes: Buffer) => bytes.toString('latin1').replaceAll(/req_\w{26}/g, 'req')
      expect(stable(body) === stable(plain.rawPayload)).toBe(true)
    }
  })

  it('whoever leaves amid any format leaves nothing behind', async () => {
    if (!s.app.server.listening) await s.app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = s.app.server.address() as AddressInfo
    for (const format of FORMATS) {
      for (let turn = 0; turn < 5; turn++) {
        const request = get({ port, path: `${URL}&format=${format}`, headers: { 'x-api-key': key } })
        const [response] = await once(request, 'response')
        response.once('data', () => request.destroy())
        await once(response, 'close').catch(() => {})
      }
      const [response] = await once(get({ port, path: `${URL}&format=${format}`, headers: { 'x-api-key': key } }), 'response')
      expect([response.statusCode, (await buffer(response)).length > 0]).toEqual([200, true])
    }
  })
})
