import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OpenApi } from '../../../src/http/openapi/index.ts'
import { service } from '../../support.ts'
import { credentialsOn, operationsOf, requestOf, shownBy } from '../openapi/openapi.ts'

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

it('days are taken in many places', () => expect(days.length).toBeGreaterThan(10))

describe.each(days)('$at', ({ documented, parameter }) => {
  const ask = async (day: string) => {
    const { url } = requestOf(documented, { ...shownBy(documented), [parameter.name]: day })
    const caller = Object.keys(documented.operation.security[0] ?? {})[0] ?? 'public'
    return s.app.inject({ url, headers: { ...credentials[caller] } })
  }
  it.each(['1000-01-01', '1899-01-01', '2200-02-28', '9999-12-31'])('takes %s for a day', async day => {
    const { statusCode, body } = await ask(day)
    // A field query is answered as of a day that has been.
    if (parameter.name === 'as_of_date' && documented.path === '/v2/query' && day > '2026') {
      expect([statusCode, JSON.parse(body).detail[0].type]).toEqual([422, 'range'])
    } else expect([statusCode, statusCode === 200 ? '' : body]).toEqual([200, ''])
    expect(day).toMatch(new RegExp(String(parameter.schema['pattern'])))
  })
  it.each(['0001-01-01', '0999-12-31', '10000-01-01'])('refuses %s with the days it takes', async day => {
    const { statusCode, body } = await ask(day)
    expect([statusCode, JSON.parse(body).detail[0].msg]).toEqual([422, expect.stringContaining('from 1000-01-01 to 9999-12-31')])
    expect(day).not.toMatch(new RegExp(String(parameter.schema['pattern'])))
  })
})
