import { expect } from 'vitest'
import { FAULT_TYPES } from '../../../src/core/index.ts'
import type { OpenApi, Parameter } from '../../../src/http/openapi/index.ts'
import type { TestService } from '../../support.ts'
import { callerOf, credentialsOn, type Documented, operationsOf, requestOf, shownBy } from '../openapi/openapi.ts'

export const HAN = /\p{Script=Han}/u
/** Words that occur in the schema library's own messages. */
const OF_LIBRARY = /\b(Invalid|expected|received|Too (big|small)|Unrecognized|Required)\b/
export const IN_CHINESE = { 'accept-language': 'zh-TW' }

interface Fault {
  readonly loc: readonly string[]
  readonly msg: string
  readonly type: string
}
export interface Refused {
  readonly detail: string | readonly Fault[]
  readonly error: { readonly error_code: string; readonly error_message: string }
}

/** All texts of a refusal except `input`, which repeats the request. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inside]) => (name === 'input' ? [] : textsIn(inside)))
}

/** A text of several words, none of them Chinese. */
const isEnglish = (text: string): boolean => /[a-z]{2,}[,;:]? [a-z]+/i.test(text) && !HAN.test(text)

/**
 * Violations of the wording rules in one refusal.
 *
 * @param refusal the refusal in English and in Chinese
 */
export function mistakes(about: string, [english, chinese]: readonly [Refused, Refused]): readonly string[] {
  const faults = (body: Refused) => (typeof body.detail === 'string' ? [] : body.detail)
  const wrong = [
    ...faults(english).flatMap(({ msg, type }) => [
      ...(OF_LIBRARY.test(msg) || HAN.test(msg) ? [msg] : []),
      ...(Object.hasOwn(FAULT_TYPES, type) ? [] : [`type ${type}`]),
    ]),
    ...faults(chinese).flatMap(({ msg }) => (HAN.test(msg) ? [] : [msg])),
    ...(HAN.test(chinese.error.error_message) ? [] : [chinese.error.error_message]),
    ...(OF_LIBRARY.test(english.error.error_message) ? [english.error.error_message] : []),
    ...textsIn(chinese).filter(isEnglish),
  ]
  return wrong.map(one => `${about}: ${one}`)
}

const WRONG_TEXT = ['', '-1', '1.5', 'x'.repeat(300), '2026-02-30', '\u0000', 'nonsense']
const WRONG_VALUES = [5, -1, 1.5, true, null, [], {}, '', 'x'.repeat(2_500), 'nonsense']

/**
 * Operations whose refusals are checked. Operations that only the payment provider calls are left
 * out, because it does not read messages.
 */
export const callableOf = (api: OpenApi): readonly Documented[] =>
  operationsOf(api).filter(({ operation }) => !('payment_provider' in (operation.security[0] ?? {})))

/**
 * Bodies with one invalid or missing value for every property of the schema, and bodies that are
 * not objects.
 *
 * @param wrongOf the invalid values for the property at an index
 */
export function wrongBodies(
  { operation }: Documented,
  wrongOf: (index: number) => readonly unknown[] = () => WRONG_VALUES,
): readonly unknown[] {
  const content = operation.requestBody?.content['application/json']
  if (!content) return []
  const good = (content.example ?? {}) as Record<string, unknown>
  const names = Object.keys((content.schema['properties'] ?? {}) as object)
  const replaced = names.flatMap((name, at) => [...wrongOf(at).map(value => ({ ...good, [name]: value })), { ...good, [name]: undefined }])
  return [...replaced, { ...good, no_such: 1 }, 5, 'text', true, []]
}

/** Two of the values. Which two depends on the index. */
const some = <T>(values: readonly T[], index: number): readonly T[] => [0, 1].map(next => values[(2 * index + next) % values.length]!)

/**
 * Checks the wording of refused parameters and bodies in both languages.
 *
 * @param isWhole sends every invalid value to every operation, instead of two values for each
 * parameter name and type
 */
export function wordingOf(s: TestService, api: OpenApi, isWhole: boolean) {
  const credentials = credentialsOn(s)
  const operations = callableOf(api)

  /**
   * Sends a request in both languages.
   *
   * @returns null if it is not refused
   */
  async function refused(documented: Documented, url: string, headers: object, payload?: unknown): Promise<[Refused, Refused] | null> {
    const type = payload === undefined ? {} : { 'content-type': 'application/json' }
    const ask = (more: object) =>
      s.app.inject({
        method: documented.method as 'GET',
        url,
        headers: { ...credentials[callerOf(documented)], ...headers, ...type, ...more },
        ...(payload === undefined ? {} : { payload: JSON.stringify(payload) }),
      })
    const [english, chinese] = [await ask({}), await ask(IN_CHINESE)]
    return english.statusCode < 400 || chinese.statusCode < 400 ? null : [english.json(), chinese.json()]
  }

  /** @returns the number of refusals */
  async function check(about: string, documented: Documented, url: string, headers: object, payload?: unknown): Promise<number> {
    const bodies = await refused(documented, url, headers, payload)
    if (!bodies) return 0
    expect.soft(mistakes(about, bodies), about).toEqual([])
    return 1
  }

  return {
    async parameters(): Promise<void> {
      const checked = new Set<string>()
      for (const documented of operations) {
        const shown = shownBy(documented)
        for (const { name, in: place, schema } of (documented.operation.parameters ?? []) as readonly Parameter[]) {
          const identity = `${place} ${name} ${schema['type']} ${schema['format']}`
          if (place === 'header' || (!isWhole && checked.has(identity))) continue
          checked.add(identity)
          const wrong = [...WRONG_TEXT, ['a', 'b']]
          for (const value of place === 'query' ? (isWhole ? wrong : some(wrong, checked.size)) : ['nonsense']) {
            const { url, headers } = requestOf(documented, { ...shown, [name]: value })
            await check(`${documented.name}, ${name}=${String(value).slice(0, 20)}`, documented, url, headers)
          }
          const { [name]: _, ...others } = shown
          const { url, headers } = requestOf(documented, others)
          if (place === 'query') await check(`${documented.name} without ${name}`, documented, url, headers)
        }
        const { url, headers } = requestOf(documented, shown)
        if (documented.method === 'GET')
          await check(`${documented.name}, no_such=1`, documented, `${url}${url.includes('?') ? '&' : '?'}no_such=1`, headers)
      }
      expect(checked.size).toBeGreaterThan(30)
    },
    async bodies(): Promise<void> {
      for (const documented of operations.filter(one => one.method === 'POST')) {
        const wrong = wrongBodies(documented, isWhole ? undefined : at => some(WRONG_VALUES, at))
        if (wrong.length === 0) continue
        const { url, headers } = requestOf(documented, shownBy(documented))
        let refusals = 0
        for (const body of wrong)
          refusals += await check(`${documented.name} ${JSON.stringify(body).slice(0, 80)}`, documented, url, headers, body)
        expect.soft(refusals, `refusals of ${documented.name}`).toBeGreaterThan(isWhole ? 5 : 2)
      }
    },
  }
}
