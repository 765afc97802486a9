import { signal } from '@preact/signals'
import { LANGUAGE } from '../parts/language.ts'
import type { Row } from './row.ts'

/** Undefined, null and empty values are not sent. Lists are joined with commas. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | null | undefined>>

export interface Request {
  readonly path: string
  readonly query?: Query | undefined
  readonly method?: 'GET' | 'POST' | 'DELETE' | undefined
  readonly body?: unknown
  /** Credentials that the user typed. Default: the browser's session. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** True to send no session, so that the read costs no credits. */
  readonly asVisitor?: boolean | undefined
}

/** An error response, with a message in the page's language. */
export interface Refused {
  readonly status: number
  /** For example `plan_required`. `unreachable` without a response. */
  readonly code: string
  readonly message: string
  readonly requestId: string | null
  /** Seconds before another attempt. Null if unknown. */
  readonly retryAfter: number | null
  /** Plan that the request requires. Absent if the plan is not the reason. */
  readonly requiredPlan?: string | undefined
}

export type Answer<T> =
  | { readonly ok: true; readonly body: T; readonly headers: Headers; readonly milliseconds: number }
  | { readonly ok: false; readonly refused: Refused }

export function urlOf({ path, query = {} }: Pick<Request, 'path' | 'query'>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== '') search.set(name, Array.isArray(value) ? value.join(',') : String(value))
  return search.size === 0 ? path : `${path}?${search}`
}

/** Remaining credits of the user, from the last read with the session. Null before such a read. */
export const creditsLeft = signal<number | null>(null)

/** @param headers of a response to a request with the session */
export function recordCredits(headers: Headers): void {
  const left = headers.get('x-credits-remaining')
  if (left !== null) creditsLeft.value = Number(left)
}

/**
 * Sends a request with the browser's session. Returns error responses as values.
 *
 * @param sent response to the same request, if the script in the head has already sent the request
 * @throws Error only if the signal is aborted
 */
export async function ask<T>(request: Request, signal?: AbortSignal, sent?: Promise<Response | undefined>): Promise<Answer<T>> {
  const startedAt = performance.now()
  try {
    const response = (await sent) ?? (await send(request, signal))
    if (!request.asVisitor && request.headers === undefined) recordCredits(response.headers)
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
      // The service accepts the session cookie only with this header, which other sites cannot
      // send.
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

const FAILED = { en: 'The service cannot respond now.', zh: '服務暫時無法回應。' } as const

/** @param body parsed JSON, or any other value for a response without JSON */
export function refusedBy(response: Response, body: unknown): Refused {
  const error = (
    body as { readonly error?: { readonly error_code?: string; readonly error_message?: string; readonly required_plan?: string } } | null
  )?.error
  const after = response.headers.get('retry-after')
  return {
    status: response.status,
    code: error?.error_code ?? 'internal',
    // A proxy responds without a message if the service does not respond.
    message: error?.error_message ?? `${FAILED[LANGUAGE]} (HTTP ${response.status})`,
    requestId: response.headers.get('x-request-id'),
    retryAfter: after === null ? null : Number(after),
    requiredPlan: error?.required_plan,
  }
}

export type { Cell, Row } from './row.ts'

/** Rows of a read, with metadata from the headers. */
export interface Rows {
  readonly rows: readonly Row[]
  readonly release: string | null
  readonly dataAsOf: string | null
  readonly warnings: readonly string[]
  readonly knownGaps: readonly string[]
  /** Why there are no rows. Null if there are rows. */
  readonly emptyReason: string | null
  /** Credits charged for this response. */
  readonly charged: number | null
  /** Address of the next page. Null on the last page. */
  readonly next: string | null
}

const listOf = (header: string | null): readonly string[] =>
  header === null || header === '' ? [] : header.split(',').map(part => part.trim())

/** Returns the rows of a response, from the top level or from an envelope. */
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
