import { afterAll, beforeAll, expect, it } from 'vitest'
import type { OpenApi } from '../../../src/http/openapi/index.ts'
import { service } from '../../support.ts'
import { cell } from '../cells.ts'
import { callerOf, credentialsOn, operationsOf, requestOf, shownBy } from '../openapi/openapi.ts'

const s = await service()
const operations = operationsOf((await s.get('/openapi.json')).json() as OpenApi)
let credentials: ReturnType<typeof credentialsOn>
beforeAll(() => {
  credentials = credentialsOn(s)
})
afterAll(() => s.close())

const days = operations.flatMap(documented =>
  (documented.operation.parameters ?? []).flatMap(parameter =>
    parameter.schema['format'] === 'date' ? [{ at: `${documented.name} ${parameter.name}`, documented, parameter }] : [],
  ),
)

const OLDEST = '1000-01-01'
const NEWEST = '9999-12-31'
/** Additional days, for the first parameter of each name. */
const INNER = ['1899-01-01', '2200-02-28']

it('every date parameter accepts days from 1000-01-01 to 9999-12-31 and refuses days outside with 422', async () => {
  expect(days.length).toBeGreaterThan(10)
  const names = new Set<string>()
  for (const { at, documented, parameter } of days) {
    const ask = async (day: string) => {
      const { url } = requestOf(documented, { ...shownBy(documented), [parameter.name]: day })
      return s.app.inject({ url, headers: { ...credentials[callerOf(documented)] } })
    }
    const isFirst = !names.has(parameter.name)
    names.add(parameter.name)
    for (const day of [OLDEST, ...(isFirst ? INNER : []), NEWEST])
      await cell(`${at}=${day}`, async () => {
        const { statusCode, body } = await ask(day)
        // A field query refuses a future as_of_date.
        if (parameter.name === 'as_of_date' && documented.path === '/v2/query' && day > '2026')
          expect([statusCode, JSON.parse(body).detail[0].type]).toEqual([422, 'range'])
        else expect([statusCode, statusCode === 200 ? '' : body]).toEqual([200, ''])
        expect(day).toMatch(new RegExp(String(parameter.schema['pattern'])))
      })
    for (const day of ['0999-12-31', '10000-01-01', ...(isFirst ? ['0001-01-01'] : [])])
      await cell(`${at}=${day}`, async () => {
        const { statusCode, body } = await ask(day)
        expect([statusCode, JSON.parse(body).detail[0].msg]).toEqual([422, expect.stringContaining('from 1000-01-01 to 9999-12-31')])
        expect(day).not.toMatch(new RegExp(String(parameter.schema['pattern'])))
      })
  }
})
