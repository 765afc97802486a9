import { type DataType, type Field, List, Struct, tableFromIPC } from 'apache-arrow'
import { afterAll, expect, it } from 'vitest'
import { crossSections, FORMATS, served } from '../../../catalog/index.ts'
import { OTHERS, openFormats, rowsOf, TYPES, urlOf } from './formats.ts'

const formats = await openFormats()
const { s, parse, ask } = formats
afterAll(() => formats.close())

it('every format contains the rows of JSON and the same headers, for a dataset of each shape', async () => {
  const all = [...served(s.catalog), ...crossSections(s.catalog)]
  const sample = ['theme-taxonomy', 'bond-yield-curve', 'daily-prices', 'earnings', 'company-risk-events']
  const reads = [...all.filter(({ slug, sectionOf }) => sample.includes(slug) && !sectionOf), all.find(({ sectionOf }) => sectionOf)!]
  expect(reads).toHaveLength(sample.length + 1)
  for (const dataset of reads) await formats.compare(dataset)
})

it('every format preserves quotes, commas, line breaks and Chinese in texts', async () => {
  await formats.publishTexts(12)
  const url = '/v2/datasets/company-risk-events?symbol=2330'
  const rows = rowsOf((await ask(url)).body)
  expect(rows.length).toBeGreaterThanOrEqual(12)
  for (const format of OTHERS) {
    const { rawPayload } = await ask(`${url}&format=${format}`)
    expect.soft(await parse[format]!(rawPayload, s.dataset('company-risk-events').columns), format).toEqual(rows)
  }
})

const FIRMS = '/v2/datasets/securities-firm-master?limit=1'

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
] as const)('the service answers Accept: %s in format %s', async (accept, format) => {
  const answer = await ask(FIRMS, accept === undefined ? {} : { accept })
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, TYPES[format]])
  expect(String(answer.headers['vary'])).toContain('Accept')
})

it.each(['text/html', 'image/*', 'application/json;q=0', 'text/csv;q=0, application/pdf'])(
  'the service refuses Accept: %s with 406 free of charge unless the format parameter is set',
  async accept => {
    const refused = await ask(FIRMS, { accept })
    expect([refused.statusCode, refused.headers['content-type']]).toEqual([406, 'application/json; charset=utf-8'])
    expect(refused.json().error).toMatchObject({ error_code: 'format_not_supported', allowed: FORMATS, dataset: 'securities_firm_master' })
    expect(refused.headers['x-credits-charged']).toBe('0')
    const named = await ask(`${FIRMS}&format=csv`, { accept })
    expect([named.statusCode, named.headers['content-type']]).toEqual([200, TYPES.csv])
  },
)

it.each(['xml', 'CSV', '', 'json,csv'])('the service refuses format=%s with 422 and lists the formats', async format => {
  const refused = await ask(`${FIRMS}&format=${format}`)
  expect(refused.statusCode).toBe(422)
  expect(refused.json().detail[0]).toMatchObject({ loc: ['query', 'format'], type: 'enum' })
  expect(refused.json().detail[0].msg).toContain('ndjson')
})

it('the service answers errors as JSON in every requested format', async () => {
  for (const format of OTHERS) {
    const refused = await ask(`${FIRMS}&format=${format}&limit=0`, { accept: TYPES[format] })
    expect([refused.statusCode, refused.headers['content-type']]).toEqual([422, 'application/json; charset=utf-8'])
    expect(refused.headers).not.toHaveProperty('content-disposition')
  }
})

it('bom=true prepends a byte order mark to CSV, changes the ETag, and is refused for other formats', async () => {
  const [plain, marked] = [await ask(`${FIRMS}&format=csv`), await ask(`${FIRMS}&format=csv&bom=true`)]
  expect(marked.rawPayload).toEqual(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), plain.rawPayload]))
  expect(marked.headers['etag']).not.toBe(plain.headers['etag'])
  expect((await ask(`${FIRMS}&bom=true`, { accept: 'text/csv' })).rawPayload).toEqual(marked.rawPayload)
  for (const url of [`${FIRMS}&bom=true`, `${FIRMS}&format=arrow&bom=true`, `${FIRMS}&format=csv&bom=maybe`])
    expect([(await ask(url)).statusCode, (await ask(url)).json().detail[0].loc]).toEqual([422, ['query', 'bom']])
})

it('each format has its own ETag, whether requested by parameter or Accept; If-None-Match with this ETag gets 304', async () => {
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

it('the service names a download after dataset, release and format', async () => {
  const names = await Promise.all(FORMATS.map(async format => (await ask(`${FIRMS}&format=${format}`)).headers['content-disposition']))
  const file = (extension: string) => `attachment; filename="securities-firm-master-20260701T120000000Z.${extension}"`
  expect(names).toEqual([undefined, file('csv'), undefined, file('arrows'), file('parquet')])
})

it('the service links to the next page in the same format', async () => {
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

it('an empty answer contains all columns and X-Empty-Reason in every format', async () => {
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

it('every nested column has the Arrow type that the schema endpoint names, and its example value fits the type', async () => {
  let columnCount = 0
  for (const dataset of served(s.catalog).filter(({ columns }) => Object.values(columns).some(({ type }) => type === 'json'))) {
    const { columns } = (await ask(`/v2/datasets/${dataset.slug}/schema`)).json() as {
      columns: readonly { name: string; type: string; arrow_type: string }[]
    }
    const table = tableFromIPC((await ask(`${urlOf(dataset)}&format=arrow`)).rawPayload)
    for (const { name } of columns.filter(({ type }) => type === 'json')) {
      columnCount++
      const { type } = table.schema.fields.find(field => field.name === name)!
      expect.soft(columns.find(column => column.name === name)!.arrow_type, `${dataset.slug}.${name}`).toBe(arrowName(type))
      const values = [...table.getChild(name)!].map(value => JSON.parse(JSON.stringify(value)))
      expect.soft(values.length, `${dataset.slug}.${name}`).toBeGreaterThan(0)
      if (type instanceof Struct)
        expect
          .soft(
            values.map(({ _json }) => _json),
            `${dataset.slug}.${name}`,
          )
          .toEqual(values.map(() => null))
    }
  }
  expect(columnCount).toBeGreaterThanOrEqual(8)
})

/** A type as the schema endpoint writes it. */
const arrowName = (type: DataType): string =>
  type instanceof Struct
    ? `struct<${type.children.map(({ name, type: inner }: Field) => `${name}: ${arrowName(inner)}`).join(', ')}>`
    : type instanceof List
      ? `list<item: ${arrowName(type.valueType)}>`
      : String(type).toLowerCase()

it('the Arrow schema metadata contains the JSON envelope without its rows', async () => {
  const [json, arrow] = [await ask(FIRMS), await ask(`${FIRMS}&format=arrow`)]
  const metadata = JSON.parse(tableFromIPC(arrow.rawPayload).schema.metadata.get('twmd')!)
  const same = (answer: object) => JSON.parse(JSON.stringify(answer).replaceAll(/req_\w{26}/g, 'req'))
  const whole = json.json()
  expect(same(metadata)).toEqual(
    same(whole.envelope?.data ? { ...whole, envelope: { ...whole.envelope, data: [] } } : { ...whole, data: [] }),
  )
})
