import type { Caller } from '../../http/kernel/index.ts'
import type { Entry } from './operations.ts'

/** How a caller of a kind says who it is. */
export interface Credential {
  /** Name of the header. */
  readonly header: string
  /** What stands before the secret in it. */
  readonly before: string
  /** The variable of the environment that samples take the secret from. */
  readonly variable: string
}

const key = { header: 'X-API-Key', before: '', variable: 'TWMD_KEY' } as const

/** By kind of caller; null where a person sends none. */
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

/** A request as samples write it. */
export interface SampleRequest {
  readonly method: string
  /** Origin of the service. */
  readonly origin: string
  /** With every placeholder filled. */
  readonly path: string
  readonly query: readonly (readonly [name: string, value: string])[]
  /** Beside the credential. */
  readonly headers: Readonly<Record<string, string>>
  readonly credential: Credential | null
  readonly body: unknown
  /** What is answered: rows in every format there is, JSON, text, or bytes of a file. */
  readonly answer: 'rows' | 'json' | 'text' | 'file'
}

/** The request of an operation's declared example; what it does not give is taken from the examples of its parameters. */
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
    answer: formats ? 'rows' : kind,
  }
}

/** The whole URL of a request, commas as they are: lists are read more easily. @param more parameters that only one sample sends */
export function urlOf({ origin, path, query }: SampleRequest, more: readonly (readonly [string, string])[] = []): string {
  const all = new URLSearchParams([...query, ...more].map(([name, value]) => [name, value]))
  return all.size === 0 ? `${origin}${path}` : `${origin}${path}?${String(all).replaceAll('%2C', ',')}`
}
