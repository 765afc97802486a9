import fc from 'fast-check'
import { expect } from 'vitest'
import { type OpenApi, type Parameter, responsesIn } from '../../../src/http/openapi/index.ts'
import type { TestService } from '../../support.ts'
import { callerOf, credentialsOn, type Documented, documentChecker, operationsOf, requestOf, type Sent } from './openapi.ts'

/**
 * Codes of 5xx answers that are expected: a test service has no payments, and one path is reserved.
 */
const EXPECTED_5XX = ['billing_unavailable', 'reserved_endpoint']

/**
 * Values that break careless parsers: quotes, wildcards, other scripts, control characters, extreme
 * numbers, names of prototypes.
 */
const NASTY = [
  "' OR 1=1--",
  '%',
  '*',
  '',
  ' ',
  '\u0000',
  '臺積電',
  '２３３０',
  '😀',
  '-1',
  '1e9',
  '9007199254740993',
  '0001-01-01',
  '2026-02-30',
  '../../etc/passwd',
  '__proto__',
  'constructor',
  '{{7*7}}',
  'null',
  'NaN',
  'x'.repeat(300),
]

const nasty = fc.oneof(fc.constantFrom(...NASTY), fc.string({ maxLength: 40, unit: 'binary' }), fc.integer().map(String))

/** A value that the document describes as valid, by its type, enum and example. */
function fitting({ schema, example }: Parameter): fc.Arbitrary<unknown> {
  const { type, enum: words, format } = schema
  const [least, most] = [Number(schema['minimum']), Number(schema['maximum'])]
  const documented = example === undefined ? [] : [fc.constant(example)]
  if (words) return fc.constantFrom(...(words as readonly string[]))
  if (type === 'integer') return fc.oneof(...documented, fc.integer({ min: least, max: most }), fc.integer({ min: least, max: 20 }))
  if (type === 'boolean') return fc.boolean()
  if (format === 'date')
    return fc.oneof(
      ...documented,
      fc.date({ min: new Date('2026-01-01'), max: new Date('2026-07-01'), noInvalidDate: true }).map(day => day.toISOString().slice(0, 10)),
    )
  if (type === 'array') return fc.array(fc.oneof(...documented, nasty), { maxLength: 4 })
  return documented.length > 0 ? documented[0]! : fc.string({ maxLength: 12 })
}

/** Values of one parameter: mostly valid, sometimes missing, hostile or repeated. */
const value = (parameter: Parameter): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: parameter.required ? 80 : parameter.example === undefined ? 4 : 20, arbitrary: fitting(parameter) },
    { weight: parameter.required ? 2 : 60, arbitrary: fc.constant(undefined) },
    { weight: 2, arbitrary: nasty },
    { weight: 1, arbitrary: fc.constant(['a', 'b']) },
  )

const sentTo = ({ operation }: Documented): fc.Arbitrary<Sent> =>
  fc.record(Object.fromEntries((operation.parameters ?? []).map(parameter => [parameter.name, value(parameter)])))

/**
 * Sends random requests according to the OpenAPI document. Fails on an undeclared status, an
 * unexpected 5xx or a body that does not match its schema.
 */
export async function sendRandomRequests(s: TestService, requests: number): Promise<void> {
  const api = (await s.get('/openapi.json')).json() as OpenApi
  const check = documentChecker(api)
  const credentials = credentialsOn(s)
  // DELETE is left out, because it would close the account or end the session.
  const operations = operationsOf(api).filter(({ method }) => method !== 'DELETE')
  const byName = new Map(operations.map(documented => [documented.name, documented]))
  const request = fc.constantFrom(...byName.keys()).chain(name => {
    const documented = byName.get(name)!
    return fc.record({
      name: fc.constant(name),
      sent: sentTo(documented),
      stray: fc.oneof({ weight: 19, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.tuple(nasty, nasty) }),
      body: documented.operation.requestBody
        ? fc.oneof(fc.constant(documented.operation.requestBody.content['application/json']!.example), fc.jsonValue({ maxDepth: 2 }))
        : fc.constant(undefined),
      anonymous: fc.integer({ min: 0, max: 19 }).map(draw => draw === 0),
    })
  })

  const statuses = new Map<number, number>()
  await fc.assert(
    fc.asyncProperty(request, async ({ name, sent, stray, body, anonymous }) => {
      const documented = byName.get(name)!
      const { method, operation } = documented
      const { url, headers } = requestOf(documented, sent)
      // With an empty last parameter, the path belongs to another operation.
      fc.pre(!(name.endsWith('}') && url.split('?', 1)[0]!.endsWith('/')))
      const extra = stray
        ? `${url.includes('?') ? '&' : '?'}${encodeURIComponent(stray[0].toWellFormed())}=${encodeURIComponent(stray[1].toWellFormed())}`
        : ''
      const response = await s.app.inject({
        method: method as 'GET',
        url: `${url}${extra}`,
        headers: {
          ...(anonymous ? {} : credentials[callerOf(documented)]),
          ...printable(headers),
          ...(operation.requestBody ? { 'content-type': 'application/json' } : {}),
        },
        ...(operation.requestBody ? { payload: JSON.stringify(body ?? {}) } : {}),
      })
      statuses.set(response.statusCode, (statuses.get(response.statusCode) ?? 0) + 1)
      const declared = responsesIn(api, operation)[String(response.statusCode)]
      expect([name, url, response.statusCode, declared === undefined ? response.body : 'declared']).toEqual([
        documented.name,
        url,
        response.statusCode,
        'declared',
      ])
      if (response.statusCode >= 500) expect(EXPECTED_5XX).toContain(response.json().error.error_code)
      const type = String(response.headers['content-type']).replace(/; (charset|header)=.*/, '')
      const { content } = declared!
      if (content) expect([name, url, Object.keys(content)]).toEqual([name, url, expect.arrayContaining([type])])
      const json = type.startsWith('application/json') ? content?.[type] : undefined
      if (json) expect([name, url, check(json.schema, response.json())]).toEqual([name, url, []])
    }),
    { numRuns: requests, seed: 20_260_701 },
  )
  expect(statuses.get(200)).toBeGreaterThan(requests / 4)
}

/** The headers without unprintable characters, which clients refuse to send. */
const printable = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, text.replace(/[^\x20-\x7e]/g, '?')]))
