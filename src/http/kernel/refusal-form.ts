import type { IncomingHttpHeaders } from 'node:http'
import { type Refusal, type RefusalCode, type Words, withoutSecrets } from '../../core/index.ts'
import { acceptable } from './negotiation.ts'

export interface RefusalForm {
  readonly type: 'application/json' | 'application/problem+json'
  readonly language: keyof Words
  /** True to add the field names of the Delta Sharing protocol. */
  readonly sharing?: true
}

const SHARING = '/delta-sharing/'

export const PLAIN_FORM: RefusalForm = { type: 'application/json', language: 'en' }

export const LANGUAGES: Readonly<Record<keyof Words, string>> = { en: 'en', zh: 'zh-TW' }
/** Simplified Chinese is not supported. */
const RANGES = { en: /^en(-|$)/, zh: /^zh(-hant)?(-(tw|hk|mo))?$/ } as const satisfies Readonly<Record<keyof Words, RegExp>>

/**
 * The format is an RFC 9457 problem if `Accept` prefers this format to JSON.
 * @param url URL of the request. Empty if unknown
 */
export function formFor({ accept, 'accept-language': languages }: IncomingHttpHeaders, url = ''): RefusalForm {
  const sharing = url.startsWith(SHARING) && ({ sharing: true } as const)
  if (accept === undefined && languages === undefined) return { ...PLAIN_FORM, ...sharing }
  const named = (name: string) => acceptable(accept).find(({ value }) => value === name)?.weight ?? 0
  const problem = named('application/problem+json')
  return {
    type: problem > 0 && problem >= named('application/json') ? 'application/problem+json' : 'application/json',
    language: languageNamed(languages) ?? 'en',
    ...sharing,
  }
}

/** Accepts an `Accept-Language` header or a single tag. Null if no language is supported. */
export function languageNamed(tags: string | undefined): keyof Words | null {
  const wanted = acceptable(tags).find(({ value }) => RANGES.en.test(value) || RANGES.zh.test(value))
  return wanted ? (RANGES.zh.test(wanted.value) ? 'zh' : 'en') : null
}

/** Redacts text that looks like a secret. */
export function errorBody(refusal: Refusal, requestId: string, form: RefusalForm = PLAIN_FORM): object {
  const body = bodyOf(refusal, requestId, form)
  const text = JSON.stringify(body)
  const safe = withoutSecrets(text)
  return safe === text ? body : JSON.parse(safe)
}

function bodyOf(refusal: Refusal, requestId: string, { type, language, sharing }: RefusalForm): object {
  const { dataset = null, ...facts } = worded(refusal.facts, language)
  const message = refusal.words[language]
  const faults = refusal.faults.map(({ loc, words, type, ...sent }) => ({ loc, msg: words[language], type, ...sent }))
  const error = {
    error_code: refusal.wireCode,
    error_message: message,
    blocking_gate: refusal.gate,
    dataset,
    request_id: requestId,
    docs_url: `/docs#error-${refusal.wireCode}`,
    slug: null,
    ...facts,
  }
  const inProtocol = sharing && { errorCode: error.error_code, message }
  if (type === 'application/json') return { ...inProtocol, detail: refusal.status === 422 ? faults : message, error }
  return {
    type: error.docs_url,
    title: refusal.general[language],
    status: refusal.status,
    detail: message,
    instance: `urn:twmd:${requestId}`,
    ...(refusal.status === 422 ? { errors: faults } : {}),
    error,
  }
}

const worded = (facts: Refusal['facts'], language: keyof Words): Refusal['facts'] =>
  Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, areWords(fact) ? fact[language] : fact]))

const areWords = (fact: unknown): fact is Words => typeof fact === 'object' && fact !== null && 'en' in fact && 'zh' in fact

/** `WWW-Authenticate` by code. The default is a bearer token. */
const CHALLENGES: Partial<Record<RefusalCode, string>> = {
  missing_api_key: 'Bearer realm="twmd", ApiKey realm="twmd", header="X-API-Key"',
  invalid_api_key: 'Bearer realm="twmd", error="invalid_token", ApiKey realm="twmd", header="X-API-Key"',
  revoked_api_key: 'Bearer realm="twmd", error="invalid_token", ApiKey realm="twmd", header="X-API-Key"',
  expired_api_key: 'Bearer realm="twmd", error="invalid_token", ApiKey realm="twmd", header="X-API-Key"',
  conflicting_credentials: 'Bearer realm="twmd", error="invalid_request"',
  invalid_self_serve_token: 'SelfServeToken realm="twmd", header="x-self-serve-token"',
  invalid_or_expired_code: 'SignInCode realm="twmd"',
}

export const refusalHeaders = ({ status, code, facts }: Refusal, { type, language }: RefusalForm): Readonly<Record<string, string>> => ({
  'content-type': `${type}; charset=utf-8`,
  'content-language': LANGUAGES[language],
  ...(status === 416 ? { 'content-range': `bytes */${facts['bytes']}` } : {}),
  ...(status === 401 ? { 'www-authenticate': CHALLENGES[code] ?? 'Bearer realm="twmd"' } : {}),
})

export const FORM_VARIES = ['Accept', 'Accept-Language'] as const
