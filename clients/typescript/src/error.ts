import type { Fault, RefusalCode } from './service.ts'

/** What the client itself finds wrong. */
export type ClientFault =
  /** No answer came. `facts.unsent` is true where the request never left; what is free, or never left, was asked again; anything else may have been charged. */
  | 'unreachable'
  /** No answer began within the time-out. What is free was asked again; anything else may have been charged. */
  | 'timeout'
  /** An answer broke off. It is not asked for again by itself: it may have been charged. */
  | 'broken_off'
  /** The service sends on to another address. The key is for the one that was named. */
  | 'redirected'
  /** What answers is not a twmd service, or something in front of one. Behind a status of 500 or more a read may have been charged. */
  | 'not_twmd'

/** Why a call did not succeed: decide by `code`, show `message` and `nextStep`. */
export class TwmdError extends Error {
  override readonly name = 'TwmdError'
  /** A code of the service, or one of the client's own; newer services have codes that are not listed here. */
  readonly code: RefusalCode | ClientFault | (string & {})
  /** HTTP status; 0 where there was no answer. */
  readonly status: number
  /** What to do, where the service says so; else the page that explains the code, or null. */
  readonly nextStep: string | null
  /** What to name when asking the operator; null where there was no answer. */
  readonly requestId: string | null
  /** Seconds to wait before asking again; null where that is no help. */
  readonly retryAfter: number | null
  /** Every mistake of a request that was refused with 422; empty otherwise. */
  readonly faults: readonly Fault[]
  /** All that the refusal says, under its names on the wire: `required_plan`, `did_you_mean`, `resets_at` and others. */
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
 * The refusal that an answer is, in the service's own words.
 *
 * @param at makes an address of a path of the service
 * @param unknown what to say of a request of which something in front of the service tells that it failed
 */
export async function refusalIn(response: Response, at: (path: string) => URL, unknown: string): Promise<TwmdError> {
  const { status, headers } = response
  const common = { status, requestId: headers.get('x-request-id'), retryAfter: secondsOf(headers.get('retry-after')) }
  const body = (await response.json().catch(() => undefined)) as { detail?: unknown; error?: Record<string, unknown> } | undefined
  if (typeof body?.error?.['error_code'] !== 'string')
    return new TwmdError({
      ...common,
      code: 'not_twmd',
      message: `The address answered ${status}, not as twmd does; look at baseUrl.${status >= 500 ? unknown : ''}`,
    })
  const { error_code: code, error_message: message, hint, docs_url: docs, request_id: requestId, ...facts } = body.error
  return new TwmdError({
    ...common,
    code: code as string,
    message: String(message),
    nextStep: typeof hint === 'string' ? hint : typeof docs === 'string' ? `See ${at(docs).href}` : null,
    requestId: typeof requestId === 'string' ? requestId : common.requestId,
    faults: Array.isArray(body.detail) ? (body.detail as readonly Fault[]) : [],
    facts,
  })
}

/** `Retry-After` as seconds, whether it names some or a time. */
function secondsOf(header: string | null): number | null {
  if (header === null) return null
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null
}
