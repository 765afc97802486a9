import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fieldsOf, listedFields } from '../../catalog/index.ts'
import { service, type TestService } from '../support.ts'
import { checkRandomQueries, checkValidQueries } from './random-queries.ts'

let s: TestService
let key = ''
beforeAll(async () => {
  s = await service({ indexed: false })
  key = s.keyOn('max')
})
afterAll(() => s.close())

const COMPANY = 'entity_type=company&entity_id=2330'

async function faults(query: string) {
  const response = await s.get(`/v2/query?${query}`, key)
  expect(response.statusCode, response.body).toBe(422)
  return response.json().detail as readonly { loc: string[]; msg: string; type: string }[]
}

const ids = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => String(1_000 + index))

describe('entities', () => {
  it('a field query accepts a hundred entities, ignoring repeats, and refuses more', async () => {
    const hundred = ids(100).join(',')
    const response = await s.get(`/v2/query?entity_type=company&entity_ids=${hundred}&entity_id=1000&fields=market`, key)
    expect(response.statusCode).toBe(200)
    expect(response.json().missing).toHaveLength(100)
    const [fault] = await faults(`entity_type=company&entity_ids=${hundred}&entity_id=2330&fields=market`)
    expect(fault).toMatchObject({ loc: ['query', 'entity_ids'], type: 'too_many' })
  })

  it('Q8: a field query with hundreds of entities gets 422, and one with thousands gets 414', async () => {
    const many = (count: number): string =>
      ids(count)
        .map(id => `entity_ids[]=${id}`)
        .join('&')
    expect((await faults(`entity_type=company&${many(400)}`))[0]!.type).toBe('too_many')
    const response = await s.get(`/v2/query?entity_type=company&${many(5_000)}`, key)
    expect([response.statusCode, response.json().error.error_code]).toEqual([414, 'uri_too_long'])
  })

  it.each([
    ['entity_type=company', 'missing'],
    ['entity_type=company&entity_id=', 'pattern'],
    ['entity_type=company&entity_ids=2330,', 'pattern'],
    ['entity_type=company&entity_ids[]=2330,2317', 'pattern'],
    ["entity_type=company&entity_id=2330'--", 'pattern'],
    ['entity_type=company&entity_id=台積電', 'pattern'],
    ['entity_type=bond_tenor&entity_id=TWGB', 'pattern'],
    ['entity_id=2330', 'missing'],
    ['entity_type=Company&entity_id=2330', 'enum'],
    ['entity_type=__proto__&entity_id=2330', 'enum'],
    ['entity_type=company&entity_id=2330&entity_id=2317', 'repeated_parameter'],
    [`${COMPANY}&symbol=2330`, 'unknown_parameter'],
    [`${COMPANY}&minimal_fields=maybe`, 'bool'],
  ])('the service refuses the field query %s with %s', async (query, type) => {
    expect((await faults(query)).map(fault => fault.type)).toEqual([type])
  })
})

describe('fields', () => {
  it.each(['*', 'password', '__proto__', 'constructor', '1;select', '', 'earnings', 'broker_name'])(
    'Q2: the field query refuses fields=%s and lists the known fields',
    async name => {
      const response = await s.get(`/v2/query?${COMPANY}&fields=${encodeURIComponent(name)}`, key)
      expect(response.statusCode).toBe(422)
      const { detail, error } = response.json()
      expect(detail).toHaveLength(1)
      expect(detail[0]).toMatchObject({ loc: ['query', 'fields'], type: 'unknown_field' })
      expect(error.allowed).toEqual(listedFields(fieldsOf(s.catalog.values()).get('company')!).map(({ name }) => name))
    },
  )

  it('Q2: the field query reports at most 20 of five hundred unknown fields', async () => {
    const names = Array.from({ length: 500 }, (_, index) => `f${index}`)
    expect((await faults(`${COMPANY}&fields=${names.join(',')}`)).length).toBeLessThanOrEqual(20)
    expect((await faults(`${COMPANY}&${names.map(name => `fields[]=${name}`).join('&')}`)).length).toBeLessThanOrEqual(20)
  })

  it('the field query suggests a field for a misspelt name', async () => {
    expect((await faults(`${COMPANY}&fields=earnings.ep`))[0]!.msg).toContain('did you mean earnings.eps?')
  })

  it.each(['eps', 'esp'])('the field query suggests earnings.eps for fields=%s, a name without its group', async name => {
    expect((await faults(`${COMPANY}&fields=${name}`))[0]!.msg).toContain('did you mean earnings.eps?')
  })

  it.each(['fields', 'fields[]'])('the field query refuses an empty %s parameter and states what to send', async name => {
    expect((await faults(`${COMPANY}&${name}=`))[0]!.msg).toBe(
      `${name} contains an empty name: specify fields of company, or omit ${name} for the default fields`,
    )
  })
})

describe('responses', () => {
  it.each([`/v2/query?${COMPANY}&fields=market`, '/v2/query/fields', '/v2/query/examples'])(
    'the field query forbids shared caches to store %s',
    async url => {
      expect((await s.get(url, key)).headers['cache-control']).toBe('private, no-cache')
    },
  )

  it('query examples are empty while no dataset is served', async () => {
    const empty = await service({ examples: false, indexed: false })
    const { data } = (await empty.get('/v2/query/examples', empty.keyOn('max'))).json()
    await empty.close()
    expect(data).toEqual([])
  })
})

describe('as_of_date', () => {
  it.each([
    ['2026-07-02', 'range'],
    ['2026-02-30', 'date'],
    ['2026-7-1', 'date'],
    ['today', 'date'],
    ['', 'date'],
  ])('the service refuses as_of_date=%s with %s', async (value, type) => {
    expect((await faults(`${COMPANY}&as_of_date=${value}`)).map(fault => [fault.loc[1], fault.type])).toEqual([['as_of_date', type]])
  })

  it('as_of_date defaults to the current day in Taipei', async () => {
    const late = await service({ examples: false, indexed: false, now: () => new Date('2026-07-01T16:00:00Z') })
    const response = await late.get('/v2/query?entity_type=broker&entity_id=9800', late.keyOn('free'))
    expect(response.json().as_of_date).toBe('2026-07-02')
    await late.close()
  })
})

it('random field queries never cause a server error', () => checkRandomQueries(s, key, 60))

it('random valid field queries return a value or a reason for every entity and field', () => checkValidQueries(s, key, 20))
