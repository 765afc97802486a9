import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OpenApi, Parameter } from '../../../src/http/openapi/index.ts'
import { service } from '../../support.ts'
import { credentialsOn, type Documented, operationsOf, requestOf, shownBy } from './openapi.ts'

const s = await service()
const operations = operationsOf((await s.get('/openapi.json')).json() as OpenApi)
let credentials: ReturnType<typeof credentialsOn>
beforeAll(() => {
  credentials = credentialsOn(s)
})
afterAll(() => s.close())

const callerOf = ({ operation }: Documented): string => Object.keys(operation.security[0] ?? {})[0] ?? 'public'

/** What is said of one parameter when everything else of the request is as the document shows it: its mistakes, by type. */
async function mistakesIn(documented: Documented, { name }: Parameter, value: string): Promise<readonly string[]> {
  const { url, headers } = requestOf(documented, { ...shownBy(documented), [name]: value })
  const { statusCode, body } = await s.app.inject({ url, headers: { ...credentials[callerOf(documented)], ...headers } })
  expect(statusCode, body).toBeLessThan(500)
  if (statusCode !== 422) return [404, 410].includes(statusCode) ? ['not there'] : []
  return JSON.parse(body).detail.flatMap((one: { loc: readonly string[]; type: string }) => (one.loc[1] === name ? [one.type] : []))
}

/** What a pattern cannot say: which days and instants exist, which day is before which, that a name comes once, what there is. */
const BEYOND_PATTERNS = ['date', 'timestamp', 'range', 'repeated_value', 'not there']
/** Numbers of characters a pattern leaves to maxLength. */
const within = ({ schema }: Parameter, text: string): boolean => [...text].length <= Number(schema['maxLength'] ?? Number.POSITIVE_INFINITY)

const patterned = operations.flatMap(documented =>
  (documented.operation.parameters ?? []).flatMap(parameter =>
    documented.method === 'GET' && parameter.in === 'query' && typeof parameter.schema['pattern'] === 'string'
      ? [{ at: `${documented.path} ${parameter.name}`, documented, parameter, form: new RegExp(parameter.schema['pattern'], 'u') }]
      : [],
  ),
)

it('patterns are stated of many parameters', () => expect(patterned.length).toBeGreaterThan(60))

describe.each(patterned)('the pattern of $at', ({ documented, parameter, form }) => {
  it('is met by nothing that is refused for how it is written', async () => {
    const meets = fc.stringMatching(form, { maxLength: 60 }).filter(text => form.test(text) && within(parameter, text))
    await fc.assert(
      fc.asyncProperty(meets, async text => {
        const mistakes = await mistakesIn(documented, parameter, text)
        expect([text, mistakes.filter(type => !BEYOND_PATTERNS.includes(type))]).toEqual([text, []])
      }),
      { numRuns: 25, seed: 20_260_701 },
    )
  })

  it('is not met by anything that is taken', async () => {
    const example = String(parameter.example ?? 'x')
    const near = fc.constantFrom(
      `${example} `,
      ` ${example}`,
      `${example}\n`,
      `${example}٣`,
      `${example},`,
      example.toLowerCase(),
      '-',
      ' ',
    )
    const text = fc.oneof(near, fc.string({ unit: 'grapheme', maxLength: 12 }), fc.string({ maxLength: 30 }))
    await fc.assert(
      fc.asyncProperty(
        text.filter(one => one.isWellFormed() && !form.test(one)),
        async one => {
          expect([one, await mistakesIn(documented, parameter, one)]).not.toEqual([one, []])
        },
      ),
      { numRuns: 25, seed: 20_260_701 },
    )
  })
})

it('every header a request is shown with can be sent', () => {
  const shown = operations.flatMap(({ name, operation }) => [
    ...(operation.parameters ?? []).flatMap(({ name: header, in: place, example }) =>
      place === 'header' && example !== undefined ? [[name, header, example] as const] : [],
    ),
    ...Object.entries(operation['x-example-request']?.headers ?? {}).map(([header, example]) => [name, header, example] as const),
  ])
  expect(shown.length).toBeGreaterThan(2)
  for (const [name, header, example] of shown) {
    expect([name, header, example]).toEqual([name, header, expect.stringMatching(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/)])
    expect(() => new Headers({ [header]: String(example) })).not.toThrow()
  }
})

describe('the body of a start', () => {
  const { schema } = operations.find(({ path }) => path === '/v2/self-serve/onboarding/start')!.operation.requestBody!.content[
    'application/json'
  ]!
  const { locale } = schema['properties'] as Readonly<Record<string, Readonly<Record<string, unknown>>>>
  const start = async (value: unknown): Promise<number> => {
    const payload = { email: 'locale@example.test', locale: value }
    return (await s.app.inject({ method: 'POST', url: '/v2/self-serve/onboarding/start', payload })).statusCode
  }

  it('takes any language by name, and says so', async () => {
    expect(locale).toMatchObject({ type: 'string', maxLength: 35 })
    expect(locale).not.toHaveProperty('default')
    expect(locale).not.toHaveProperty('enum')
    for (const name of ['en', 'zh-TW', 'de', 'zh-Hant-TW', 'x'.repeat(35), undefined])
      expect([name, await start(name)]).toEqual([name, 200])
    for (const other of ['x'.repeat(36), 7, null, ['en'], true]) expect([other, await start(other)]).toEqual([other, 422])
  })
})
