import { afterAll, describe, expect, it } from 'vitest'
import { FAULT_TYPES, REFUSAL_CODES, Refusal } from '../../../src/core/index.ts'
import type { OpenApi, Parameter } from '../../../src/http/openapi/index.ts'
import { shop } from '../../accounts/billing/shop.ts'
import { service } from '../../support.ts'
import { credentialsOn, type Documented, operationsOf, requestOf, shownBy } from '../openapi/openapi.ts'

const s = await service()
const api = (await s.get('/openapi.json')).json() as OpenApi
const credentials = credentialsOn(s)
afterAll(() => s.close())

const HAN = /\p{Script=Han}/u
/** Words of the schema library's own sentences. */
const OF_LIBRARY = /\b(Invalid|expected|received|Too (big|small)|Unrecognized|Required)\b/
const IN_CHINESE = { 'accept-language': 'zh-TW' }

interface Fault {
  readonly loc: readonly string[]
  readonly msg: string
  readonly type: string
}
interface Refused {
  readonly detail: string | readonly Fault[]
  readonly error: { readonly error_code: string; readonly error_message: string }
}

/** Texts anywhere in a refusal, but for `input`, which repeats the request. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inside]) => (name === 'input' ? [] : textsIn(inside)))
}

/** A text of several words, none of them Chinese. */
const isEnglish = (text: string): boolean => /[a-z]{2,}[,;:]? [a-z]+/i.test(text) && !HAN.test(text)

/** What of one refusal, asked for in both languages, is not as every refusal is. */
function mistakes(about: string, [english, chinese]: readonly [Refused, Refused]): readonly string[] {
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

const credentialOf = ({ operation }: Documented) => credentials[Object.keys(operation.security[0] ?? {})[0] ?? 'public']

/** Sends a request in both languages. @returns null where it is not refused */
async function refused(documented: Documented, url: string, headers: object, payload?: unknown): Promise<[Refused, Refused] | null> {
  const type = payload === undefined ? {} : { 'content-type': 'application/json' }
  const ask = (more: object) =>
    s.app.inject({
      method: documented.method as 'GET',
      url,
      headers: { ...credentialOf(documented), ...headers, ...type, ...more },
      ...(payload === undefined ? {} : { payload: JSON.stringify(payload) }),
    })
  const [english, chinese] = [await ask({}), await ask(IN_CHINESE)]
  return english.statusCode < 400 || chinese.statusCode < 400 ? null : [english.json(), chinese.json()]
}

const WRONG_TEXT = ['', '-1', '1.5', 'x'.repeat(300), '2026-02-30', '\u0000', 'nonsense']
const WRONG_VALUES = [5, -1, 1.5, true, null, [], {}, '', 'x'.repeat(2_500), 'nonsense']

const operations = operationsOf(api).filter(({ operation }) => !('payment_provider' in (operation.security[0] ?? {})))

it.each(operations)('$name words every mistake in a parameter itself, in both languages', async documented => {
  const shown = shownBy(documented)
  const found: string[] = []
  const look = async (name: string, url: string, headers: object): Promise<void> => {
    const bodies = await refused(documented, url, headers)
    if (bodies) found.push(...mistakes(`${name}`, bodies))
  }
  for (const { name, in: place } of (documented.operation.parameters ?? []) as readonly Parameter[]) {
    if (place === 'header') continue
    for (const value of place === 'query' ? [...WRONG_TEXT, ['a', 'b']] : ['nonsense']) {
      const { url, headers } = requestOf(documented, { ...shown, [name]: value })
      await look(`${name}=${String(value).slice(0, 20)}`, url, headers)
    }
    const { [name]: _, ...others } = shown
    if (place === 'query') await look(`without ${name}`, requestOf(documented, others).url, requestOf(documented, others).headers)
  }
  const { url, headers } = requestOf(documented, shown)
  if (documented.method === 'GET') await look('an unknown one', `${url}${url.includes('?') ? '&' : '?'}no_such=1`, headers)
  expect(found).toEqual([])
})

/** A body with one value replaced, for every name of its schema, then bodies that are no objects. */
function wrongBodies({ operation }: Documented): readonly unknown[] {
  const content = operation.requestBody?.content['application/json']
  if (!content) return []
  const good = (content.example ?? {}) as Record<string, unknown>
  const names = Object.keys((content.schema['properties'] ?? {}) as object)
  const replaced = names.flatMap(name => [...WRONG_VALUES.map(value => ({ ...good, [name]: value })), { ...good, [name]: undefined }])
  return [...replaced, { ...good, no_such: 1 }, 5, 'text', true, []]
}

it.each(operations.filter(one => wrongBodies(one).length > 0 && one.method === 'POST'))(
  '$name words every mistake in a body itself, in both languages',
  async documented => {
    const found: string[] = []
    let refusals = 0
    const { url, headers } = requestOf(documented, shownBy(documented))
    for (const body of wrongBodies(documented)) {
      const bodies = await refused(documented, url, headers, body)
      if (!bodies) continue
      refusals++
      found.push(...mistakes(JSON.stringify(body).slice(0, 80), bodies))
    }
    expect(found).toEqual([])
    expect(refusals).toBeGreaterThan(5)
  },
)

it('bodies of payment routes are refused in our words, too, in both languages', async () => {
  const counter = await shop()
  try {
    const found: string[] = []
    for (const path of ['/v2/billing/checkout-session', '/v2/self-serve/billing/portal-session'])
      for (const documented of operations.filter(one => one.path === path))
        for (const body of wrongBodies(documented)) {
          // Somebody new each time, so that no limit of requests answers instead.
          const { token } = counter.member()
          const ask = async (more: Record<string, string>) =>
            (await counter.call('POST', path, { 'x-self-serve-token': token, ...more }, JSON.stringify(body))).json
          const [english, chinese] = [await ask({}), await ask(IN_CHINESE)]
          if (english.error && chinese.error) found.push(...mistakes(`${path} ${JSON.stringify(body).slice(0, 80)}`, [english, chinese]))
        }
    expect(found).toEqual([])
  } finally {
    await counter.close()
  }
})

it.each([
  ['/v2/datasets/theme-taxonomy?release=nonsense', 404],
  ['/v2/datasets/theme-taxonomy?release=20000101T000000000Z', 410],
  ['/v2/datasets/no-such-thing', 404],
  ['/v2/datasets/earnings', 404],
  ['/v2/datasets/', 404],
  ['/v2/updates?cursor=nonsense', 400],
  ['/nowhere', 404],
  ['/fact/earnings/2330/2026Q1', 501],
])('%s is refused in Chinese throughout, hints and other facts included', async (url, status) => {
  const ask = (headers: object) => s.app.inject({ url, headers: { ...credentials['api_key'], ...headers } })
  const [english, chinese] = [await ask({}), await ask(IN_CHINESE)]
  expect([english.statusCode, chinese.statusCode]).toEqual([status, status])
  expect(mistakes(url, [english.json(), chinese.json()])).toEqual([])
})

it.each([
  ['GET', '/v2/search', {}, 'q is required, for example q=2330', 'q 為必填，例如 q=2330'],
  ['GET', '/v2/query', {}, /^entity_type is required: one of company, /, /^entity_type 為必填，必須是下列其中之一：company、/],
  ['POST', '/v2/self-serve/onboarding/complete', {}, /^flow_id is required, for example flow_/, /^flow_id 為必填，例如 flow_/],
  ['POST', '/v2/self-serve/onboarding/start', 5, 'body must be a JSON object', 'body 必須是 JSON 物件'],
  ['GET', '/v2/datasets/theme-taxonomy?sort_by=x', {}, 'sort_by must be as_of_date', 'sort_by 必須是 as_of_date'],
  ['GET', '/v2/datasets/trading-calendar?is_open=x', {}, 'is_open must be true or false', 'is_open 必須是 true 或 false'],
] as const)('%s %s with %o says what to send', async (method, url, body, english, chinese) => {
  for (const [language, says] of [
    ['en', english],
    ['zh-TW', chinese],
  ] as const) {
    const payload = method === 'POST' ? { payload: JSON.stringify(body) } : {}
    const headers = {
      ...credentials['api_key'],
      'accept-language': language,
      ...(method === 'POST' && { 'content-type': 'application/json' }),
    }
    const response = await s.app.inject({ method, url, headers, ...payload })
    expect(response.json().detail[0].msg).toEqual(typeof says === 'string' ? says : expect.stringMatching(says))
  }
})

it('answers that hold a sentence have it in the language asked for, and say that they depend on it', async () => {
  const key = s.keyOn('free')
  const ask = (url: string, language: string) => s.get(url, key, { 'accept-language': language, 'accept-encoding': 'gzip' })
  const told = async (url: string, language: string, of: (body: never) => unknown) => {
    const response = await ask(url, language)
    expect(String(response.headers['vary'])).toContain('Accept-Language')
    return of(response.json() as never)
  }
  const hint = ({ hint }: { hint: string }) => hint
  const reasons = ({ datasets }: { datasets: readonly { reason: string | null }[] }) => datasets.flatMap(({ reason }) => reason ?? [])
  expect(await told('/v2/search?q=qqqqqqqq', 'zh-TW', hint)).toMatch(HAN)
  expect(await told('/v2/search?q=qqqqqqqq', 'en', hint)).toMatch(/^Names are found/)
  expect(new Set((await told('/v2/account/entitlements', 'zh-TW', reasons)) as string[])).toEqual(
    new Set(['需要 pro 方案', '需要 max 方案']),
  )
  expect(new Set((await told('/v2/account/entitlements', 'en', reasons)) as string[])).toEqual(
    new Set(['needs plan pro', 'needs plan max']),
  )
})

describe('every refusal', () => {
  it.each(REFUSAL_CODES)('%s has a sentence in each language', code => {
    const { en, zh } = new Refusal(code).words
    expect(en).not.toMatch(HAN)
    expect(zh).toMatch(HAN)
    // Simplified characters, which a wording for Taiwan does not have.
    expect(zh).not.toMatch(/[请参误这说钥销态时间标头传码账关级别数户]/u)
  })
})
