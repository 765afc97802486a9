import fc from 'fast-check'
import { expect } from 'vitest'
import { ENTITY_TYPES, fieldsOf } from '../../catalog/index.ts'
import { QueryAnswer } from '../../src/http/routes/query/schemas.ts'
import type { TestService } from '../support.ts'

const IDS = {
  company: ['2330', '9999', '1101B'],
  broker: ['9997', '9998', '0000'],
  branch: ['585B', '585b', '585b/585B'],
  index: ['IX0001', 'IX0027', 'IX0043', 'ZZ'],
  bond_tenor: ['2Y', '10Y', '6M'],
} as const

const names = [
  'entity_type',
  'entity_id',
  'entity_ids',
  'entity_ids[]',
  'fields',
  'fields[]',
  'as_of_date',
  'minimal_fields',
  'limit',
  '__proto__',
]
const words = fc.oneof(
  fc.constantFrom<string>(
    ...ENTITY_TYPES,
    '2330',
    '585b',
    'IX0001',
    '10Y',
    '9997',
    'true',
    'false',
    '2026-05-14',
    '2026-06-30',
    '1900-01-01',
  ),
  fc.constantFrom(
    'earnings.eps',
    'market',
    'themes',
    'risk_types',
    'index_value',
    'yield_rate',
    'broker_name,market',
    '*',
    "'; --",
    '\u0000',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
)

/**
 * Sends random parameters. Checks that each response is an answer, or a refusal of these
 * parameters.
 */
export async function checkRandomQueries(s: TestService, key: string, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.constantFrom(...names), words), { maxLength: 8 }), async pairs => {
      const query = pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value.toWellFormed())}`).join('&')
      const { statusCode, body } = await s.get(`/v2/query?${query}`, key)
      expect([200, 400, 422], body).toContain(statusCode)
      expect(body).not.toMatch(/SELECT|read_parquet|\/tmp\//)
    }),
    { numRuns },
  )
}

/** Sends random valid queries and checks that each entity and field has a value or a reason. */
export async function checkValidQueries(s: TestService, key: string, numRuns: number): Promise<void> {
  const fields = fieldsOf(s.catalog.values())
  const query = fc.constantFrom(...ENTITY_TYPES).chain(type =>
    fc.record({
      type: fc.constant(type),
      ids: fc.uniqueArray(fc.constantFrom(...IDS[type]), { minLength: 1 }),
      names: fc.uniqueArray(fc.constantFrom(...fields.get(type)!.keys()), { minLength: 1, maxLength: 12 }),
      asOf: fc
        .date({ min: new Date('2025-06-01'), max: new Date('2026-07-01'), noInvalidDate: true })
        .map(date => date.toISOString().slice(0, 10)),
    }),
  )
  await fc.assert(
    fc.asyncProperty(query, async ({ type, ids, names, asOf }) => {
      const url = `/v2/query?entity_type=${type}&entity_ids=${ids.join(',')}&fields=${names.join(',')}&as_of_date=${asOf}`
      const response = await s.get(url, key)
      expect(response.statusCode).toBe(200)
      const { data, missing } = QueryAnswer.parse(response.json())
      const valued = data.flatMap(entity => Object.keys(entity.fields).map(field => `${entity.entity_id} ${field}`))
      const reasoned = missing.map(({ entity_id, field }) => `${entity_id} ${field}`)
      expect([...valued, ...reasoned].sort()).toEqual(ids.flatMap(id => names.map(name => `${id} ${name}`)).sort())
    }),
    { numRuns },
  )
}
