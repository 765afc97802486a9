import type { Fault, RefusalCode } from './service.ts'

/** Codes of errors that the client detects itself. */
export type ClientFault =
  /**
   * No response. `facts.unsent` is true if the request was never sent. Free and unsent requests
   * were retried before this error. Any other request may have been charged.
   */
  | 'unreachable'
  /**
   * No response within the timeout. Free requests were retried before this error. Any other request
   * may have been charged.
   */
  | 'timeout'
  /**
   * The response ended too early. The client does not retry, because the request may have been
   * charged.
   */
  | 'broken_off'
  /**
   * The service redirects to another address. The client does not follow the redirect, because it
   * sends the key only to the configured address.
   */
  | 'redirected'
  /**
   * The response comes from another program, for example a proxy. If the status is 500 or more, a
   * read may have been charged.
   */
  | 'not_twmd'

/** A failed call. Programs should use `code`. `message` and `nextStep` are for users. */
export class TwmdError extends Error {
  override readonly name = 'TwmdError'
  /**
   * Error code of the service or of the client. Newer services may have codes that are not in this
   * list.
   */
  readonly code: RefusalCode | ClientFault | (string & {})
  /** HTTP status. 0 if there was no response. */
  readonly status: number
  /**
   * Next step for the user, with a link to the page about the code. Null for an error of the
   * client.
   */
  readonly nextStep: string | null
  /** Request id for support. Null if there was no response. */
  readonly requestId: string | null
  /**
   * Seconds to wait before another attempt, from `Retry-After`. Null if the response has no such
   * header.
   */
  readonly retryAfter: number | null
  /** All faults of a request that was refused with status 422. Empty for other errors. */
  readonly faults: readonly Fault[]
  /**
   * All fields of the error response, with their original names: `required_plan`, `did_you_mean`,
   * `resets_at` and others.
   */
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
 * Returns the error for a refused request, with the message of the service.
 *
 * @param resolve converts a path of the service to a URL
 * @param unknown sentence to add to a 5xx that another program sent, because the outcome of the
 * request is then unknown
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
/** Next step for each status. A name in braces is replaced by the field of the error response. */
const ADVICE: Readonly<Record<number, string>> = {
  401: 'Set apiKey of createClient.',
  402: 'Credits renew at {resets_at}. dryRun() returns the cost of a read.',
  403: 'Set apiKey of createClient.',
  404: LIST,
  408: 'Try again later.',
  410: LIST,
  429: 'Send fewer requests, or create the client with more retries.',
}

/** Returns the next step. The rules equal those of `next_step` in the Python client. */
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

/** Parses `Retry-After`, which is a number of seconds or a date. Returns seconds. */
function secondsOf(header: string | null): number | null {
  if (header === null) return null
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null
}
