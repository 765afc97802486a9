import { afterAll, expect, it } from 'vitest'
import type { OpenApi } from '../../../src/http/openapi/index.ts'
import { service } from '../../support.ts'
import { operationsOf } from './openapi.ts'
import { patternsOf } from './patterns.ts'

const s = await service()
const operations = operationsOf((await s.get('/openapi.json')).json() as OpenApi)
const patterns = await patternsOf(s, { isWhole: false, rounds: 2 })
afterAll(() => s.close())

it('the service accepts texts that match the documented pattern of their parameter', () => patterns.acceptsMatches())

it('the service refuses texts that do not match the documented pattern of their parameter', () => patterns.refusesOthers())

it('every documented header example is a valid header value', () => {
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

it('sign-in accepts any language tag up to 35 characters as locale, as documented', async () => {
  const { schema } = operations.find(({ path }) => path === '/v2/self-serve/onboarding/start')!.operation.requestBody!.content[
    'application/json'
  ]!
  const { locale } = schema['properties'] as Readonly<Record<string, Readonly<Record<string, unknown>>>>
  const start = async (value: unknown): Promise<number> => {
    const payload = { email: 'locale@example.test', locale: value }
    return (await s.app.inject({ method: 'POST', url: '/v2/self-serve/onboarding/start', payload })).statusCode
  }
  expect(locale).toMatchObject({ type: 'string', maxLength: 35 })
  expect(locale).not.toHaveProperty('default')
  expect(locale).not.toHaveProperty('enum')
  for (const name of ['en', 'zh-TW', 'de', 'zh-Hant-TW', 'x'.repeat(35), undefined]) expect([name, await start(name)]).toEqual([name, 200])
  for (const other of ['x'.repeat(36), 7, null, ['en'], true]) expect([other, await start(other)]).toEqual([other, 422])
})
