import type { Caller } from '../../http/kernel/index.ts'
import type { Entry } from './operations.ts'

export interface Credential {
  readonly header: string
  /** Text before the secret, for example `Bearer `. */
  readonly before: string
  readonly variable: string
}

const key = { header: 'X-API-Key', before: '', variable: 'TWMD_API_KEY' } as const

/** Null for callers that send no credential themselves. */
export const CREDENTIALS: Readonly<Record<Caller, Credential | null>> = {
  public: null,
  browser: null,
  payment_provider: null,
  api_key: key,
  file_reader: key,
  agent: key,
  self_serve_token: { header: 'x-self-serve-token', before: '', variable: 'TWMD_SESSION' },
  payer: key,
  service_token: { header: 'Authorization', before: 'Bearer ', variable: 'TWMD_SERVICE_TOKEN' },
  admin_token: { header: 'Authorization', before: 'Bearer ', variable: 'TWMD_ADMIN_TOKEN' },
  diagnostics_secret: { header: 'x-diagnostics-secret', before: '', variable: 'TWMD_DIAGNOSTICS_SECRET' },
  diagnostics_probe: { header: 'x-diagnostics-probe', before: '', variable: 'TWMD_DIAGNOSTICS_PROBE' },
}

export interface SampleRequest {
  readonly method: string
  readonly origin: string
  /** Path without placeholders. */
  readonly path: string
  readonly query: readonly (readonly [name: string, value: string])[]
  readonly headers: Readonly<Record<string, string>>
  readonly credential: Credential | null
  readonly body: unknown
  /** `rows` means rows in the format of the query string. */
  readonly answer: 'rows' | 'json' | 'text' | 'file'
}

/** Takes missing values from the examples of the parameters. */
export function sampleRequest({ method, path, operation, endpoint }: Entry, origin: string): SampleRequest {
  const { example, caller, answer, formats } = endpoint
  let filled = path
  const query: (readonly [string, string])[] = []
  for (const { name, in: place, required, example: shown } of operation.parameters ?? []) {
    if (place === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(String(example?.path?.[name] ?? shown ?? name)))
    if (place !== 'query') continue
    const sent = example?.query?.[name] ?? (required ? shown : undefined)
    for (const value of [sent ?? []].flat()) query.push([name, String(value)])
  }
  const kind = typeof answer !== 'string' ? 'json' : /^(text\/|application\/(json|x-ndjson))/.test(answer) ? 'text' : 'file'
  return {
    method,
    origin,
    path: filled,
    query,
    headers: example?.headers ?? {},
    credential: CREDENTIALS[caller],
    body: operation.requestBody?.content['application/json']?.example,
    answer: formats && method.toUpperCase() === 'GET' ? 'rows' : kind,
  }
}

/**
 * Builds a URL without escaping commas.
 * @param more additional parameters
 */
export function urlOf({ origin, path, query }: SampleRequest, more: readonly (readonly [string, string])[] = []): string {
  const all = new URLSearchParams([...query, ...more].map(([name, value]) => [name, value]))
  return all.size === 0 ? `${origin}${path}` : `${origin}${path}?${String(all).replaceAll('%2C', ',')}`
}
