import type { Fault, RefusalCode } from './service.ts'

export type ClientFault =
  /**
   * No response. The request may have been charged, unless `facts.unsent` is true. Free and unsent
   * requests were retried before this error.
   */
  | 'unreachable'
  /**
   * No response within the timeout. The request may have been charged, unless it is free. Free
   * requests were retried before this error.
   */
  | 'timeout'
  /** The response ended too early. Not retried, because the request may have been charged. */
  | 'broken_off'
  /**
   * The service redirects to another address. The client sends the key only to the configured
   * address.
   */
  | 'redirected'
  /**
   * Another program responded, such as a proxy. If the status is 500 or more, a read may have been
   * charged.
   */
  | 'not_twmd'

/** A failed call. Programs use `code`; `message` and `nextStep` are for users. */
export class TwmdError extends Error {
  override readonly name = 'TwmdError'
  /** Newer services may have codes that are not in this list. */
  readonly code: RefusalCode | ClientFault | (string & {})
  /** HTTP status. 0 without a response. */
  readonly status: number
  /** Advice for the user, with a link. Null for errors of the client. */
  readonly nextStep: string | null
  /** Request id for support. Null if there was no response. */
  readonly requestId: string | null
  /** Seconds from `Retry-After`. Null without the header. */
  readonly retryAfter: number | null
  /** Faults of a request with status 422. Empty for other errors. */
  readonly faults: readonly Fault[]
  /** All fields of the error response, such as `required_plan` and `resets_at`. */
  readonly facts: Readonly<Record<string, unknown>>

  constructor(
    { code, message, status = 0, nextStep = null, requestId = null, retryAfter = null, faults = [], facts = {} }: TwmdErrorFacts,
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.code = code
    this.status = status
    this.nextStep = nextStep
    this.requestId = requestId
    this.retryAfter = retryAfter
    this.faults = faults
    this.facts = facts
  }
}

interface TwmdErrorFacts {
  readonly code: string
  readonly message: string
  readonly status?: number
  readonly nextStep?: string | null
  readonly requestId?: string | null
  readonly retryAfter?: number | null
  readonly faults?: readonly Fault[]
  readonly facts?: Readonly<Record<string, unknown>>
}

/**
 * Returns the error with the service's message.
 *
 * @param resolve function that converts a path of the service to a URL
 * @param unknown sentence about a possible charge, added if another program sent a 5xx status
 */
export async function refusalIn(response: Response, resolve: (path: string) => URL, unknown: string): Promise<TwmdError> {
  const { status, headers } = response
  const common = { status, requestId: headers.get('x-request-id'), retryAfter: secondsOf(headers.get('retry-after')) }
  const body = (await response.json().catch(() => undefined)) as { detail?: unknown; error?: Record<string, unknown> } | undefined
  if (typeof body?.error?.['error_code'] !== 'string')
    return new TwmdError({
      ...common,
      code: 'not_twmd',
      message: `Status ${status} is not from a twmd service. Check baseUrl.${status >= 500 ? unknown : ''}`,
    })
  const { error_code: code, error_message: message, hint, docs_url: docs, request_id: requestId, ...facts } = body.error
  return new TwmdError({
    ...common,
    code: code as string,
    message: String(message),
    nextStep: nextStepOf(code as string, status, facts, hint, typeof docs === 'string' ? resolve(docs).href : null),
    requestId: typeof requestId === 'string' ? requestId : common.requestId,
    faults: Array.isArray(body.detail) ? (body.detail as readonly Fault[]) : [],
    facts,
  })
}

const LIST = 'datasets() and releases() list the available ones.'
/** Next step by status. Names in braces are fields of the error response. */
const ADVICE: Readonly<Record<number, string>> = {
  401: 'Set apiKey of createClient.',
  402: 'Credits renew at {resets_at}. dryRun() returns the cost of a read.',
  403: 'Set apiKey of createClient.',
  404: LIST,
  408: 'Try again later.',
  410: LIST,
  429: 'Send fewer requests, or create the client with more retries.',
}

/** Same rules as `next_step` in the Python client. */
function nextStepOf(code: string, status: number, facts: Readonly<Record<string, unknown>>, hint: unknown, docs: string | null): string {
  const byStatus = ADVICE[status] ?? (status < 500 ? 'Correct the request; repeating it unchanged will fail again.' : 'Try again later.')
  const advice = code === 'plan_required' ? 'It requires the plan {required_plan}; yours is {current_plan}.' : byStatus
  const meant = facts['did_you_mean']
  return [
    ...(meant ? [`Did you mean ${String(meant)}?`] : []),
    typeof hint === 'string' ? hint : advice.replace(/\{(\w+)\}/g, (_, name: string) => String(facts[name] ?? name)),
    ...(docs === null ? [] : [`${docs} explains ${code}.`]),
  ].join(' ')
}

/** Parses `Retry-After`, which is seconds or a date. Returns seconds. */
function secondsOf(header: string | null): number | null {
  if (header === null) return null
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null
}
