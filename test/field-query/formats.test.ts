import { tableFromIPC } from 'apache-arrow'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Column, FORMATS, fieldsOf, type Row } from '../../catalog/index.ts'
import { openSession } from '../fixtures/formats/session.ts'
import { parsers } from '../formats/parsing.ts'
import { service, type TestService } from '../support.ts'

const s = await service()
const key = s.keyOn('max', 'table@example.test')
const { dir, session, close } = await openSession()
const parse = parsers(session, dir)
afterAll(async () => {
  await close()
  await s.close()
})

const NAMES = ['theme.industry', 'theme.sector', 'institutional.foreign_net_buy', 'institutional.trade_date', 'earnings.eps', 'risk.flags']
const companyFields = fieldsOf(s.catalog.values()).get('company')!
const names = [...companyFields.keys()].filter(name => NAMES.includes(name) || companyFields.get(name)!.view.many === 'list').slice(0, 8)
const URL = `/v2/query?entity_type=company&entity_ids=2330,2317,0000&fields=${names.join(',')}`
const TABLES = ['csv', 'arrow', 'parquet'] as const
const ABOUT = { as_of_date: 'date', period: 'text', announced_at: 'date', release_version: 'text' } as const

const column = (type: Column['type']): Column => ({ type, doc: '', docZh: '', zh: '' })
function columnsOf(minimal: boolean): Readonly<Record<string, Column>> {
  const about = (name: string) => (minimal ? [] : Object.entries(ABOUT).map(([fact, type]) => [`${name}.${fact}`, column(type)] as const))
  const columns = names.flatMap(name => {
    const { view, column: own } = companyFields.get(name)!
    const value: Column = view.many === 'list' ? { ...column('json'), shape: { list: 'text' } } : column(own.type)
    return [[name, value] as const, ...about(name)]
  })
  return Object.fromEntries([['entity_id', column('text')], ...columns])
}

type Answer = { readonly data: readonly { readonly entity_id: string; readonly fields: Readonly<Record<string, unknown>> }[] }

describe.each([true, false])('minimal_fields=%s', minimal => {
  const url = `${URL}&minimal_fields=${minimal}`

  /** The rows of a table, from the JSON answer. */
  const tableOf = ({ data }: Answer): readonly Row[] =>
    data.map(({ entity_id, fields }) =>
      Object.fromEntries(
        Object.keys(columnsOf(minimal)).map(name => {
          if (name === 'entity_id') return [name, entity_id]
          const field = names.includes(name) ? name : name.slice(0, name.lastIndexOf('.'))
          const found = fields[field] as Readonly<Record<string, unknown>> | undefined
          if (minimal || found === undefined) return [name, found ?? null]
          return [name, found[field === name ? 'value' : name.slice(field.length + 1)] ?? null]
        }),
      ),
    )

  it.each(TABLES)(
    `a field query in %s with minimal_fields=${minimal} has one row per entity and the fields of JSON in order`,
    async format => {
      const [json, answer] = [await s.get(url, key), await s.get(`${url}&format=${format}`, key)]
      expect([json.statusCode, answer.statusCode, answer.headers['x-row-count']]).toEqual([200, 200, json.headers['x-row-count']])
      const rows = await parse[format]!(answer.rawPayload, columnsOf(minimal))
      expect(rows.length).toBeGreaterThan(0)
      expect(rows).toEqual(tableOf(json.json()))
      expect(Object.keys(rows[0]!)).toEqual(Object.keys(columnsOf(minimal)))
    },
  )

  it(`a field query in ndjson with minimal_fields=${minimal} has the rows of JSON unchanged`, async () => {
    const [json, answer] = [await s.get(url, key), await s.get(`${url}&format=ndjson`, key)]
    expect(answer.body).toBe(
      json
        .json()
        .data.map((row: unknown) => `${JSON.stringify(row)}\n`)
        .join(''),
    )
  })
})

it('a field query accepts its format in Accept, and Arrow metadata contains all other fields of the answer', async () => {
  const answer = await s.get(URL, key, { accept: 'application/vnd.apache.arrow.stream' })
  expect(answer.headers).toMatchObject({ 'content-type': 'application/vnd.apache.arrow.stream', 'x-credits-charged': '1' })
  expect(String(answer.headers['vary'])).toContain('Accept')
  const { data, missing, entity_type } = JSON.parse(tableFromIPC(answer.rawPayload).schema.metadata.get('twmd')!)
  expect([data, entity_type, missing.length > 0]).toEqual([[], 'company', true])
})

it('list fields of a field query have type LIST in Arrow, even if no entity has a list', async () => {
  const lists = names.filter(name => companyFields.get(name)!.view.many === 'list')
  expect(lists.length).toBeGreaterThan(0)
  for (const entity of ['2330', '0000']) {
    const url = `/v2/query?entity_type=company&entity_ids=${entity}&fields=${lists.join(',')}&minimal_fields=true&format=arrow`
    const { fields, metadata } = tableFromIPC((await s.get(url, key)).rawPayload).schema
    expect(fields.slice(1).map(({ type }) => String(type))).toEqual(lists.map(() => 'List<Utf8>'))
    expect(metadata.get('twmd.nested')).toBe('list_struct')
  }
})

it('HEAD of a field query states content type and file name', async () => {
  const head = await s.app.inject({ method: 'HEAD', url: `${URL}&format=csv`, headers: { 'x-api-key': key } })
  expect(head.headers).toMatchObject({
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': 'attachment; filename="query.csv"',
  })
})

it('a field query refuses an unknown format, an unsupported Accept, and bom= for formats other than CSV', async () => {
  expect((await s.get(`${URL}&format=xml`, key)).statusCode).toBe(422)
  expect((await s.get(URL, key, { accept: 'image/png' })).json().error).toMatchObject({
    error_code: 'format_not_supported',
    allowed: FORMATS,
  })
  expect((await s.get(`${URL}&format=arrow&bom=true`, key)).json().detail[0].loc).toEqual(['query', 'bom'])
  expect((await s.get(`${URL}&format=csv&bom=true`, key)).body.startsWith('\ufeffentity_id,')).toBe(true)
})

describe('sample rows', () => {
  let samples: TestService
  let max = ''
  beforeAll(async () => {
    samples = await service({ examples: false })
    max = samples.keyOn('max', 'samples@example.test')
    await samples.publish('bond-yield-curve', samples.dataset('bond-yield-curve').example, { synthetic: true })
  })
  afterAll(() => samples.close())

  describe.each([true, false])('minimal_fields=%s', minimal => {
    const url = `/v2/query?entity_type=bond_tenor&entity_ids=10Y,99Y&fields=curve.yield_rate&minimal_fields=${minimal}`

    it.each(FORMATS)(
      `a field query over sample rows in %s with minimal_fields=${minimal} states gaps, warnings and missing values in headers`,
      async format => {
        const { known_gaps, warnings, missing } = (await samples.get(url, max)).json()
        for (const labels of [known_gaps, warnings]) expect(labels).toContain('synthetic_sample_data')
        expect(missing).toEqual([{ entity_id: '99Y', field: 'curve.yield_rate', reason: 'no_such_entity' }])
        const labels = { 'x-known-gaps': known_gaps.join(', '), 'x-warnings': warnings.join(', ') }
        const answer = await samples.get(`${url}&format=${format}`, max)
        expect(answer.headers).toMatchObject({ ...labels, 'x-missing': 'no_such_entity=1' })
        const head = await samples.app.inject({ method: 'HEAD', url: `${url}&format=${format}`, headers: { 'x-api-key': max } })
        expect(head.headers).toMatchObject(labels)
        expect(head.headers).not.toHaveProperty('x-missing')
      },
    )

    it(`Arrow metadata of a field query over sample rows with minimal_fields=${minimal} states gaps and warnings`, async () => {
      const { known_gaps, warnings } = (await samples.get(url, max)).json()
      const { schema } = tableFromIPC((await samples.get(`${url}&format=arrow`, max)).rawPayload)
      expect(JSON.parse(schema.metadata.get('twmd')!)).toMatchObject({ known_gaps, warnings, missing: [{ reason: 'no_such_entity' }] })
    })
  })
})

it('X-Missing lists reasons by descending count', async () => {
  const answer = await s.get('/v2/query?entity_type=company&entity_ids=2330,0000,0001&fields=theme.industry,theme.names&format=csv', key)
  const { missing } = (await s.get('/v2/query?entity_type=company&entity_ids=2330,0000,0001&fields=theme.industry,theme.names', key)).json()
  const counts = Object.entries(Object.groupBy(missing as { reason: string }[], ({ reason }) => reason)).map(
    ([reason, entities]) => [reason, entities!.length] as const,
  )
  expect(answer.headers['x-missing']).toBe(
    counts
      .sort(([, a], [, b]) => b - a)
      .map(([reason, n]) => `${reason}=${n}`)
      .join(', '),
  )
})
