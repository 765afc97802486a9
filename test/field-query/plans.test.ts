import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Dataset, ENTITIES, ENTITY_TYPES, type EntityType, fieldsOf, meets, PLAN_IDS } from '../../catalog/index.ts'
import { requirePlan } from '../../src/field-query/index.ts'
import { ExamplesAnswer, FieldsAnswer, QueryAnswer } from '../../src/http/routes/query/schemas.ts'
import { service, type TestService } from '../support.ts'

let s: TestService
beforeAll(async () => {
  s = await service({ indexed: false })
})
afterAll(() => s.close())

const fieldOf = (type: EntityType, name: string) => fieldsOf(s.catalog.values()).get(type)!.get(name)!

describe('fields above the plan', () => {
  it('the field query refuses a named field above the plan and states the plan that includes all requested fields', async () => {
    const response = await s.get('/v2/query?entity_type=company&entity_id=2330&fields=industry,earnings.eps,buy_streak', s.keyOn('free'))
    expect(response.statusCode).toBe(403)
    expect(response.json().error).toMatchObject({
      error_code: 'plan_required',
      blocking_gate: 'plan',
      fields: ['earnings.eps', 'buy_streak'],
      required_plan: 'pro',
      current_plan: 'free',
    })
    expect(response.headers['x-credits-charged']).toBe('0')
  })

  it('the required plan does not depend on the order of the fields', () => {
    const [flows, rate] = [fieldOf('company', 'buy_streak'), fieldOf('bond_tenor', 'yield_rate')]
    for (const fields of [
      [flows, rate],
      [rate, flows],
    ]) {
      expect(() => requirePlan(fields, 'free')).toThrow(
        expect.objectContaining({ facts: expect.objectContaining({ required_plan: 'max' }) }),
      )
      expect(() => requirePlan(fields, 'max')).not.toThrow()
    }
  })

  it('the field query checks the plan of fields before the parameters', async () => {
    const wrong = await s.get('/v2/query?entity_type=company&fields[]=earnings.eps&as_of_date=never', s.keyOn('free'))
    expect(wrong.statusCode).toBe(403)
    expect((await s.get('/v2/query?entity_type=company&fields[]=industry&as_of_date=never', s.keyOn('free'))).statusCode).toBe(422)
  })

  it('if a field query names no fields, its answer omits default fields above the plan', async () => {
    const names = async (plan: 'free' | 'pro') =>
      Object.keys((await s.get('/v2/query?entity_type=company&entity_id=2330', s.keyOn(plan))).json().data[0].fields)
    expect(await names('free')).toEqual(['theme.industry', 'theme.market', 'theme.sector'])
    expect(await names('pro')).toEqual(expect.arrayContaining(['theme.industry', 'institutional.foreign_net_buy', 'earnings.eps']))
  })

  it('a field query that names no fields is refused if every default field is above the plan', async () => {
    const response = await s.get('/v2/query?entity_type=bond_tenor&entity_id=10Y', s.keyOn('pro'))
    const { error } = response.json()
    expect([response.statusCode, error.required_plan, error.dataset, error.slug]).toEqual([
      403,
      'max',
      'bond_yield_curve',
      'bond-yield-curve',
    ])
    expect(error.error_message).toMatch(/no default fields of bond_tenor; the lowest plan that includes some is max/)
    const named = await s.get('/v2/query?entity_type=bond_tenor&entity_id=10Y&fields=curve.yield_rate', s.keyOn('pro'))
    expect(named.json().error.error_message).toMatch(/^These fields require the max plan/)
  })
})

it('usage reports a field query under the name "query"', async () => {
  const key = s.keyOn('free', 'usage@example.test')
  await s.get('/v2/query?entity_type=broker&entity_ids=9997,9998,0000', key)
  const { by_dataset } = (await s.get('/v2/account/usage-summary', key)).json()
  expect(by_dataset).toMatchObject([{ dataset: 'query', requests: 1, credits: 1, rows: 2 }])
})

describe('GET /v2/query/fields', () => {
  const list = async (query = '') => {
    const response = await s.get(`/v2/query/fields${query}`, s.keyOn('free'))
    expect([response.statusCode, response.headers['x-credits-charged']]).toEqual([200, '0'])
    return FieldsAnswer.parse(response.json())
  }

  it('GET /v2/query/fields lists the fields of every entity type, or of the requested type', async () => {
    const all = await list()
    expect(all.data_count).toBe(all.data.length)
    expect([...new Set(all.data.map(({ entity_type }) => entity_type))].sort()).toEqual([...ENTITY_TYPES].sort())
    expect((await list('?entity_type=index')).data).toEqual(all.data.filter(({ entity_type }) => entity_type === 'index'))
  })

  it('GET /v2/query/fields states unit, column, plan and example of a field', async () => {
    const { data } = await list('?entity_type=company')
    expect(data.find(({ field }) => field === 'earnings.revenue')).toMatchObject({
      dataset: 'earnings',
      column: 'revenue',
      type: 'number',
      unit: 'TWD',
      label_zh: '營業收入',
      minimum_plan: 'pro',
      credits: 1,
      example: 900_000_000_000,
    })
    expect(data.find(({ field }) => field === 'theme.names')).toMatchObject({
      type: 'list of text',
      aliases: ['themes'],
      example: ['半導體業'],
    })
  })

  it('GET /v2/query/fields describes each field, its rows and its as-of rule in both languages', async () => {
    const { data } = await list()
    for (const { field, description, description_zh } of data) {
      expect([field, /\. Taken from [^一-鿿]+\. With as_of_date: [^一-鿿]+\.$/.test(description)]).toEqual([field, true])
      expect([field, /^.*[一-鿿].*。取自：[^。]*[一-鿿][^。]*。指定日期時，.+。$/.test(description_zh)]).toEqual([field, true])
    }
  })

  it('every field has a group prefix, and former names are documented and still accepted', async () => {
    const { data } = await list()
    expect(data.filter(({ field }) => !/^[a-z_]+\.[a-z_]+$/.test(field))).toEqual([])
    const aliased = data.filter(({ aliases }) => aliases.length > 0)
    expect(aliased.map(({ field }) => field)).toEqual(
      expect.arrayContaining(['institutional.foreign_net_buy', 'index.value', 'curve.yield_rate']),
    )
    const documented = readFileSync('docs/as-of-fields.md', 'utf8').matchAll(/^\| (\w+) \| `(\w+)` \| `([\w.]+)` \|$/gm)
    expect([...documented].map(([, entity, former, now]) => [entity, former, now])).toEqual(
      aliased.flatMap(({ field, aliases, entity_type }) => aliases.map((alias: string) => [entity_type, alias, field])),
    )
    for (const { field, aliases, entity_type } of aliased) {
      const url = `/v2/query?entity_type=${entity_type}&entity_id=${ENTITIES[entity_type].example}&fields=${[field, ...aliases].join(',')}`
      const { data: found, missing } = (await s.get(url, s.keyOn('max'))).json()
      const values = (found[0]?.fields ?? {}) as Readonly<Record<string, unknown>>
      const lacking = (missing as { field: string }[]).map(one => one.field)
      expect([...Object.keys(values), ...lacking].sort(), url).toEqual([field, ...aliases].sort())
      for (const alias of aliases) expect(values[alias]).toEqual(values[field])
    }
  })

  it('every listed field can be queried with its minimum plan and not with a lower plan', async () => {
    for (const { field, entity_type, minimum_plan } of (await list()).data) {
      const url = `/v2/query?entity_type=${entity_type}&entity_id=${ENTITIES[entity_type].example}&fields=${field}`
      expect((await s.get(url, s.keyOn(minimum_plan))).statusCode, field).toBe(200)
      for (const plan of PLAN_IDS.filter(lower => !meets(lower, minimum_plan)))
        expect((await s.get(url, s.keyOn(plan))).statusCode).toBe(403)
    }
  })

  it('GET /v2/query/fields requires a key and refuses an unknown entity type', async () => {
    expect((await s.get('/v2/query/fields')).statusCode).toBe(401)
    expect((await s.get('/v2/query/fields?entity_type=dog', s.keyOn('free'))).statusCode).toBe(422)
  })
})

describe('GET /v2/query/examples', () => {
  it('every query of GET /v2/query/examples works unchanged and finds one entity', async () => {
    const response = await s.get('/v2/query/examples', s.keyOn('free'))
    expect([response.statusCode, response.headers['x-credits-charged']]).toEqual([200, '0'])
    const { data } = ExamplesAnswer.parse(response.json())
    expect(new Set(data.map(({ entity_type }) => entity_type))).toEqual(new Set(ENTITY_TYPES))
    for (const { url, minimum_plan } of data) {
      const answer = await s.get(url, s.keyOn(minimum_plan))
      expect(answer.statusCode, url).toBe(200)
      expect(QueryAnswer.parse(answer.json()).data_count, `${url} ${answer.body}`).toBe(1)
    }
  })
})

describe('field declarations', () => {
  const earnings = () => s.dataset('earnings')
  const view = () => earnings().fields![0]!
  const loading = (...datasets: readonly Dataset[]) => expect(() => fieldsOf(datasets))

  it('the catalog accepts a complete field declaration', () => loading(earnings()).not.toThrow())
  it('the catalog refuses a field name that another dataset declares', () =>
    loading(earnings(), { ...earnings(), slug: 'other' }).toThrow('other and earnings both declare the field earnings.revenue of company'))
  it('the catalog refuses a field name with more than one dot', () =>
    loading({ ...earnings(), fields: [{ ...view(), names: { 'a.b.c': 'eps' } }] }).toThrow('earnings declares a field a.b.c'))
  it('the catalog refuses a default that is not a declared field', () =>
    loading({ ...earnings(), fields: [{ ...view(), defaults: ['eps'] }] }).toThrow('earnings has no field eps'))
  it('the catalog refuses an id column that is not the key of the dataset', () =>
    loading({ ...earnings(), fields: [{ ...view(), id: 'fiscal_period' }] }).toThrow('by ticker, not by fiscal_period'))
  it('the catalog refuses field declarations without a plan for a dataset that is not sold', () => {
    const { access: _, ...unsold } = earnings()
    loading(unsold).toThrow('its fields need their own plan')
  })
})
