import fc from 'fast-check'
import { expect } from 'vitest'
import type { OpenApi, Parameter } from '../../../src/http/openapi/index.ts'
import type { TestService } from '../../support.ts'
import { cell } from '../cells.ts'
import { callerOf, credentialsOn, type Documented, operationsOf, requestOf, shownBy } from './openapi.ts'

/**
 * Types of errors that a pattern cannot detect: days and times that do not exist, reversed ranges,
 * repeated names, missing objects.
 */
const BEYOND_PATTERNS = ['date', 'timestamp', 'range', 'repeated_value', 'not there']
/** True if the length of the text is at most maxLength. */
const within = ({ schema }: Parameter, text: string): boolean => [...text].length <= Number(schema['maxLength'] ?? Number.POSITIVE_INFINITY)

/**
 * Compares the `pattern` of query parameters with the service's validation, using random texts.
 *
 * @param isWhole checks every parameter instead of one for each name and pattern
 * @param rounds texts per parameter and direction
 */
export async function patternsOf(s: TestService, { isWhole, rounds }: { readonly isWhole: boolean; readonly rounds: number }) {
  const operations = operationsOf((await s.get('/openapi.json')).json() as OpenApi)
  const credentials = credentialsOn(s)
  const all = operations.flatMap(documented =>
    (documented.operation.parameters ?? []).flatMap(parameter =>
      documented.method === 'GET' && parameter.in === 'query' && typeof parameter.schema['pattern'] === 'string'
        ? [{ at: `${documented.path} ${parameter.name}`, documented, parameter, form: new RegExp(parameter.schema['pattern'], 'u') }]
        : [],
    ),
  )
  expect(all.length).toBeGreaterThan(60)
  const identity = ({ parameter, form }: (typeof all)[number]): string => `${parameter.name} ${form}`
  const patterned = isWhole ? all : [...new Map(all.map(one => [identity(one), one])).values()]

  /** Error types for a value of one parameter in an otherwise unchanged example request. */
  async function mistakesIn(documented: Documented, { name }: Parameter, value: string): Promise<readonly string[]> {
    const { url, headers } = requestOf(documented, { ...shownBy(documented), [name]: value })
    const { statusCode, body } = await s.app.inject({ url, headers: { ...credentials[callerOf(documented)], ...headers } })
    expect(statusCode, body).toBeLessThan(500)
    if (statusCode !== 422) return [404, 410].includes(statusCode) ? ['not there'] : []
    return JSON.parse(body).detail.flatMap((one: { loc: readonly string[]; type: string }) => (one.loc[1] === name ? [one.type] : []))
  }

  return {
    /** Checks that the service accepts the format of every text that matches the pattern. */
    async acceptsMatches(): Promise<void> {
      for (const { at, documented, parameter, form } of patterned)
        await cell(at, async () => {
          const meets = fc.stringMatching(form, { maxLength: 60 }).filter(text => form.test(text) && within(parameter, text))
          await fc.assert(
            fc.asyncProperty(meets, async text => {
              const mistakes = await mistakesIn(documented, parameter, text)
              expect([text, mistakes.filter(type => !BEYOND_PATTERNS.includes(type))]).toEqual([text, []])
            }),
            { numRuns: rounds, seed: 20_260_701 },
          )
        })
    },
    /** Checks that the service refuses every text that does not match the pattern. */
    async refusesOthers(): Promise<void> {
      for (const { at, documented, parameter, form } of patterned)
        await cell(at, async () => {
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
              async entry => {
                expect([entry, await mistakesIn(documented, parameter, entry)]).not.toEqual([entry, []])
              },
            ),
            { numRuns: rounds, seed: 20_260_701 },
          )
        })
    },
  }
}
