import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { service, type TestService } from '../support.ts'

let s: TestService
let key: string
beforeAll(async () => {
  s = await service()
  key = s.keyOn('max')
})
afterAll(() => s.close())

const ask = (query: string) => s.get(`/v2/search?${query}`, key)
const hits = async (q: string): Promise<readonly string[]> => {
  const response = await ask(`q=${encodeURIComponent(q)}&limit=100`)
  expect(response.statusCode).toBe(200)
  return response.json().data.map(({ type, id }: { type: string; id: string }) => `${type} ${id}`)
}

describe('Q4: search queries', () => {
  it.each([
    ['in the syntax of a full-text engine', '2330" OR t:*', 'symbol 2330'],
    ['of simplified characters', '积电', 'symbol 2330'],
    ['of one character', '台', 'symbol 2330'],
    ['of one digit', '2', 'symbol 2330'],
    ['of two characters', '積電', 'symbol 2330'],
    ['in full width', '２３３０', 'symbol 2330'],
    ['in full width with a blank', '　２３３０　', 'symbol 2330'],
    ['with a NUL', '2330\0', 'symbol 2330'],
    ['with an emoji', '台積電😀', 'symbol 2330'],
    ['with a quote and a bracket', "'台積電'); DROP TABLE x--", 'symbol 2330'],
    ['with direction marks', '\u202e2330', 'symbol 2330'],
  ])('a query %s finds the symbol that it names', async (_, q, hit) => expect(await hits(q)).toContain(hit))

  it.each(['" OR t:*', 'NEAR(', 'a AND NOT b', '*', '%', '_', '^', '\\', '{}', '😀', '\0', '[object Object]', '../../etc/passwd'])(
    'the query %j finds no symbol and does not fail',
    async q => expect((await hits(q)).filter(hit => hit.startsWith('symbol'))).toEqual([]),
  )

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype', 'valueOf'])('the query %s finds nothing', async q =>
    expect(await hits(q)).toEqual([]),
  )

  it.each(['%ED%A0%80', '%FF', '%C3%28', '%', '%zz', '%00', '+', '%F0%9F'])(
    'the query %s, which is not UTF-8, is answered 200 or 422',
    async q => {
      expect([200, 422]).toContain((await ask(`q=${q}`)).statusCode)
    },
  )

  it.each([
    ['', 'q', 'missing'],
    ['q=', 'q', 'empty'],
    [`q=${'%20'.repeat(200)}`, 'q', 'empty'],
    [`q=${'%E3%80%80'.repeat(3)}`, 'q', 'empty'],
    [`q=${'a'.repeat(201)}`, 'q', 'too_long'],
    ['q=a&q=b', 'q', 'repeated_parameter'],
    ['q=a&type=stock', 'type', 'enum'],
    ['q=a&type=', 'type', 'enum'],
    ['q=a&type=ALL', 'type', 'enum'],
    ['q=a&type=__proto__', 'type', 'enum'],
    ['q=a&typ=all', 'typ', 'unknown_parameter'],
    ['q=a&symbol=2330', 'symbol', 'unknown_parameter'],
  ])('a search with "%s" is refused with parameter and reason', async (query, name, type) => {
    const response = await ask(query)
    expect(response.statusCode).toBe(422)
    expect(response.json().detail).toMatchObject([{ loc: ['query', name], type }])
  })
})

describe('Q5: bounds of a page of hits', () => {
  it.each(['limit=-1', 'limit=0', 'limit=101', 'limit=1e9', 'limit=1.5', 'limit=%205', 'limit=', 'limit=٣', 'limit=0x10'])(
    'a search with %s is refused',
    async limit => {
      const response = await ask(`q=a&${limit}`)
      expect(response.statusCode).toBe(422)
      expect(response.json().detail).toMatchObject([{ loc: ['query', 'limit'], type: 'int_range' }])
    },
  )
  it.each(['offset=-1', 'offset=9007199254740992', 'offset=1000000001', 'offset=1.5', 'offset=NaN', 'offset='])(
    'a search with %s is refused',
    async offset => {
      const response = await ask(`q=a&${offset}`)
      expect(response.statusCode).toBe(422)
      expect(response.json().detail).toMatchObject([{ loc: ['query', 'offset'], type: 'int_range' }])
    },
  )
  it.each(['limit', 'offset'])('a search with two values of %s is refused', async name => {
    expect((await ask(`q=a&${name}=1&${name}=1`)).json().detail).toMatchObject([{ type: 'repeated_parameter' }])
  })
  it('a search accepts limit 1 to 100 and offset 0 to 1,000,000,000', async () => {
    for (const bounds of ['limit=1', 'limit=100', 'offset=0', 'offset=1000000000'])
      expect((await ask(`q=2330&${bounds}`)).statusCode).toBe(200)
    const past = await ask('q=2330&offset=1000000000')
    expect(past.json()).toMatchObject({ total: 1, data_count: 0, data: [] })
    expect(past.headers['link']).toBeUndefined()
    expect((await ask('q=e')).json()).toMatchObject({ type: 'all', limit: 20, offset: 0, data_count: 20 })
  })
})
