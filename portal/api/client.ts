import { LANGUAGE } from '../parts/language.ts'
import type { Row } from './row.ts'

/**
 * Query parameters. Values that are undefined, null or empty are not sent. Lists are joined with
 * commas.
 */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | null | undefined>>

export interface Request {
  /** For example `/v2/datasets/daily-prices`. */
  readonly path: string
  readonly query?: Query | undefined
  readonly method?: 'GET' | 'POST' | 'DELETE' | undefined
  /** Request body, sent as JSON. */
  readonly body?: unknown
  /**
   * Credentials that the user typed on this page, for example the operator's token. If absent, the
   * request uses the browser's session.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * If true, the request contains no session, even if the user is signed in. A page uses this for
   * reads that the user did not request, so that these reads cost no credits.
   */
  readonly asVisitor?: boolean | undefined
}

/** An error response of the API, with a message in the language of the page. */
export interface Refused {
  readonly status: number
  /** Error code, for example `plan_required`. `unreachable` if there was no response. */
  readonly code: string
  readonly message: string
  readonly requestId: string | null
  /** Seconds to wait before another attempt. Null if unknown. */
  readonly retryAfter: number | null
}

export type Answer<T> =
  | { readonly ok: true; readonly body: T; readonly headers: Headers; readonly milliseconds: number }
  | { readonly ok: false; readonly refused: Refused }

/** Returns the path and query string of a request. */
export function urlOf({ path, query = {} }: Pick<Request, 'path' | 'query'>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== '') search.set(name, Array.isArray(value) ? value.join(',') : String(value))
  return search.size === 0 ? path : `${path}?${search}`
}

/**
 * Sends a request with this browser's session, if there is one. Returns an error response as a
 * value.
 *
 * @param sent response to the same request, if the script in the head has already sent the request
 * @throws Error only if the signal is aborted
 */
export async function ask<T>(request: Request, signal?: AbortSignal, sent?: Promise<Response | undefined>): Promise<Answer<T>> {
  const startedAt = performance.now()
  try {
    const response = (await sent) ?? (await send(request, signal))
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') ?? false
    const body: unknown = isJson && text !== '' ? JSON.parse(text) : text
    if (response.ok) return { ok: true, body: body as T, headers: response.headers, milliseconds: performance.now() - startedAt }
    return { ok: false, refused: refusedBy(response, body) }
  } catch (error) {
    if (signal?.aborted) throw error
    return { ok: false, refused: { status: 0, code: 'unreachable', message: UNREACHABLE[LANGUAGE], requestId: null, retryAfter: 5 } }
  }
}

const send = (request: Request, signal?: AbortSignal): Promise<Response> =>
  fetch(urlOf(request), {
    method: request.method ?? 'GET',
    credentials: request.asVisitor ? 'omit' : 'same-origin',
    headers: {
      // The service accepts the session cookie only together with this header, because pages of
      // other sites cannot send the header.
      'x-portal': '1',
      'accept-language': LANGUAGE === 'zh' ? 'zh-TW' : 'en',
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...request.headers,
    },
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
    ...(signal ? { signal } : {}),
  })

const UNREACHABLE = {
  en: 'No response from the service. Check the connection and try again.',
  zh: '服務沒有回應，請檢查連線後再試。',
} as const

/**
 * Returns the refusal that a response contains.
 *
 * @param body parsed JSON of the response, or any other value if the response has no JSON
 */
export function refusedBy(response: Response, body: unknown): Refused {
  const error = (body as { readonly error?: { readonly error_code?: string; readonly error_message?: string } } | null)?.error
  const after = response.headers.get('retry-after')
  return {
    status: response.status,
    code: error?.error_code ?? 'internal',
    message: error?.error_message ?? `HTTP ${response.status}`,
    requestId: response.headers.get('x-request-id'),
    retryAfter: after === null ? null : Number(after),
  }
}

export type { Cell, Row } from './row.ts'

/** Rows of a read, with the metadata in the headers of the response. */
export interface Rows {
  readonly rows: readonly Row[]
  readonly release: string | null
  readonly dataAsOf: string | null
  readonly warnings: readonly string[]
  readonly knownGaps: readonly string[]
  /** Label of the reason why there are no rows. Null if there are rows. */
  readonly emptyReason: string | null
  /** Credits charged for this response. */
  readonly charged: number | null
  /** Address of the next page. Null on the last page. */
  readonly next: string | null
}

const listOf = (header: string | null): readonly string[] =>
  header === null || header === '' ? [] : header.split(',').map(part => part.trim())

/**
 * Returns the rows of a response. Some responses have the rows at the top level, others in an
 * envelope.
 */
export function rowsOf({ body, headers }: Extract<Answer<unknown>, { ok: true }>): Rows {
  const { data, envelope } = body as { readonly data?: readonly Row[]; readonly envelope?: { readonly data?: readonly Row[] } }
  return {
    rows: data ?? envelope?.data ?? [],
    release: headers.get('x-release'),
    dataAsOf: headers.get('x-data-as-of'),
    warnings: listOf(headers.get('x-warnings')),
    knownGaps: listOf(headers.get('x-known-gaps')),
    emptyReason: headers.get('x-empty-reason'),
    charged: headers.has('x-credits-charged') ? Number(headers.get('x-credits-charged')) : null,
    next: /<([^>]*)>;\s*rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? null,
  }
}
