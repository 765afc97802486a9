import { afterAll, expect, it } from 'vitest'
import { REFUSAL_CODES, Refusal } from '../../../src/core/index.ts'
import type { OpenApi } from '../../../src/http/openapi/index.ts'
import { recordRetired } from '../../fixtures/publish/store.ts'
import { service } from '../../support.ts'
import { credentialsOn } from '../openapi/openapi.ts'
import { HAN, IN_CHINESE, mistakes, wordingOf } from './refusal-words.ts'

const s = await service()
recordRetired(s.workspace.releases, 'theme-taxonomy', '20000101T000000000Z')
const api = (await s.get('/openapi.json')).json() as OpenApi
const credentials = credentialsOn(s)
const wording = wordingOf(s, api, false)
afterAll(() => s.close())

it('messages about each kind of invalid parameter are specific and exist in English and Chinese', () => wording.parameters())

it('messages about invalid bodies are specific and exist in English and Chinese', () => wording.bodies())

it.each([
  ['/v2/datasets/theme-taxonomy?release=nonsense', 404],
  ['/v2/datasets/theme-taxonomy?release=20000101T000000000Z', 410],
  ['/v2/datasets/theme-taxonomy?release=20000102T000000000Z', 404],
  ['/v2/datasets/theme-taxonomy?release=20990101T000000000Z', 404],
  ['/v2/datasets/no-such-thing', 404],
  ['/v2/datasets/earnings', 404],
  ['/v2/datasets//', 404],
  ['/v2/updates?cursor=nonsense', 400],
  ['/nowhere', 404],
  ['/fact/earnings/2330/2026Q1', 501],
])('the refusal of %s with status %i is entirely in Chinese for zh-TW', async (url, status) => {
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
] as const)('the message for an invalid %s %s with body %o states what to send', async (method, url, body, english, chinese) => {
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

it('hints and reasons follow Accept-Language, with Vary: Accept-Language', async () => {
  const key = s.keyOn('free')
  const ask = (url: string, language: string) => s.get(url, key, { 'accept-language': language, 'accept-encoding': 'gzip' })
  const textsOf = async (url: string, language: string, select: (body: never) => unknown) => {
    const response = await ask(url, language)
    expect(String(response.headers['vary'])).toContain('Accept-Language')
    return select(response.json() as never)
  }
  const hint = ({ hint }: { hint: string }) => hint
  const reasons = ({ datasets }: { datasets: readonly { reason: string | null }[] }) => datasets.flatMap(({ reason }) => reason ?? [])
  expect(await textsOf('/v2/search?q=qqqqqqqq', 'zh-TW', hint)).toMatch(HAN)
  expect(await textsOf('/v2/search?q=qqqqqqqq', 'en', hint)).toMatch(/^Search matches names/)
  expect(new Set((await textsOf('/v2/account/entitlements', 'zh-TW', reasons)) as string[])).toEqual(
    new Set(['至少需要 pro 方案', '至少需要 max 方案']),
  )
  expect(new Set((await textsOf('/v2/account/entitlements', 'en', reasons)) as string[])).toEqual(
    new Set(['requires the pro plan', 'requires the max plan']),
  )
})

it('every error code has an English and a Traditional Chinese message', () => {
  for (const code of REFUSAL_CODES) {
    const { en, zh } = new Refusal(code).words
    expect.soft(en, code).not.toMatch(HAN)
    expect.soft(zh, code).toMatch(HAN)
    // Simplified characters, which a message for Taiwan must not contain.
    expect.soft(zh, code).not.toMatch(/[请参误这说钥销态时间标头传码账关级别数户]/u)
  }
})
