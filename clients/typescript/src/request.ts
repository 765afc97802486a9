import { refusalIn, TwmdError } from './error.ts'

export interface ClientOptions {
  /** Where the service is, for example `https://api.example`, or `https://example/twmd` behind a proxy; no more is taken. */
  readonly baseUrl: string
  /** Without one only what is public is answered. */
  readonly apiKey?: string | undefined
  /** Another `fetch`, for tests or a proxy. */
  readonly fetch?: typeof fetch | undefined
  /** How often a request is asked again where that charges nothing twice; 4 when absent. */
  readonly retries?: number | undefined
  /** Longest wait between two tries in seconds; where the service names a longer one, its refusal is thrown. 60 when absent. */
  readonly longestWait?: number | undefined
  /** Seconds until an answer must have begun; 60 when absent. */
  readonly timeout?: number | undefined
  /** Language of the sentences in refusals; English when absent. */
  readonly language?: 'en' | 'zh-TW' | undefined
  /** Told of every wait before a further try. */
  readonly onWait?: ((wait: { readonly seconds: number; readonly because: TwmdError }) => void) | undefined
}

/** What every call takes beside its parameters. */
export interface CallOptions {
  /** Ends the call, its waits and its body. */
  readonly signal?: AbortSignal | undefined
}

/** A value of a query parameter; a list is sent joined by commas. */
export type Param = string | number | boolean | readonly string[] | null | undefined

/**
 * Asks for a path and waits out what passes. What may have been charged is not asked again: a request that is not `free` is repeated
 * where the service refused it for a while in its own words, or where it never left.
 *
 * @throws TwmdError where the service refuses, and the signal's reason where it ended the call
 */
export type Ask = (
  path: string,
  params?: Readonly<Record<string, Param>>,
  options?: CallOptions & { readonly free?: boolean },
) => Promise<Response>

/** Statuses of the kind that passes. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504])
/** Of these, the ones by which the service says that nothing was charged and the same request may be sent again. */
const REFUSED_FOR_A_WHILE: ReadonlySet<number> = new Set([429, 503])
/** Refused with one of these, and not before somebody publishes. */
const LASTING: ReadonlySet<string> = new Set(['dataset_building', 'data_unavailable'])
/** No answer came, and what became of the request is not known. */
const UNANSWERED: ReadonlySet<string> = new Set(['timeout', 'unreachable'])
/** Causes of a request that never left, as Node names them; browsers do not tell. */
const UNSENT: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])
/** These also end a connection on which a request has left. */
const UNSENT_AT_CONNECT: ReadonlySet<unknown> = new Set(['EHOSTUNREACH', 'ENETUNREACH'])
/** Seconds of the first wait where the service names none; doubled each time. */
const FIRST_WAIT = 0.5
const MAYBE_CHARGED = ' It may have been charged, so it was not asked again.'

/** @throws TypeError where it is no address, without repeating it: a password may be in it */
function baseOf(baseUrl: string): URL {
  const base = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (base && /^https?:$/.test(base.protocol) && !(base.username || base.password || base.search || base.hash)) return base
  throw new TypeError('baseUrl takes http:// or https://, a host and a path where a proxy has one; the key belongs into apiKey.')
}

export function createAsk({ baseUrl, apiKey, language, onWait, ...options }: ClientOptions): Ask {
  const { fetch: send = fetch, retries = 4, longestWait = 60, timeout = 60 } = options
  const base = baseOf(baseUrl)
  const prefix = base.pathname.replace(/\/+$/, '')
  // Behind a proxy the service may be under a path, of which its own paths know nothing.
  const at = (path: string): URL => new URL(path.startsWith('/') ? prefix + path : path, base)
  const headers = {
    ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
    ...(language === undefined ? {} : { 'accept-language': language }),
  }

  async function attempt(address: URL, signal: AbortSignal | undefined, free: boolean): Promise<Response> {
    const unknown = free ? '' : MAYBE_CHARGED
    const late = new TwmdError({ code: 'timeout', message: `No answer within ${timeout} s.${unknown}` })
    const aborter = new AbortController()
    const timer = setTimeout(() => aborter.abort(late), timeout * 1_000)
    const both = signal ? AbortSignal.any([signal, aborter.signal]) : aborter.signal
    try {
      // A header such as x-api-key would go along to wherever an answer leads.
      return await send(address, { headers, redirect: 'manual', signal: both })
    } catch (cause) {
      signal?.throwIfAborted()
      if (aborter.signal.aborted) throw late
      const { code, syscall } = ((cause as Error).cause ?? {}) as Readonly<Record<'code' | 'syscall', unknown>>
      const unsent = UNSENT.has(code) || (syscall === 'connect' && UNSENT_AT_CONNECT.has(code))
      const message = `${base.origin} does not answer.${unsent ? '' : unknown}`
      throw new TwmdError({ code: 'unreachable', message, facts: { unsent } }, { cause })
    } finally {
      clearTimeout(timer)
    }
  }

  /** Seconds until the next try; undefined where there is none. */
  function waitAfter({ code, status, retryAfter, facts }: TwmdError, tried: number, free: boolean): number | undefined {
    const refused = REFUSED_FOR_A_WHILE.has(status) && code !== 'not_twmd'
    const passes = !LASTING.has(code) && (refused || facts['unsent'] === true || (free && (PASSING.has(status) || UNANSWERED.has(code))))
    if (tried >= retries || !passes) return undefined
    const seconds = retryAfter ?? FIRST_WAIT * 2 ** tried
    if (seconds > longestWait) return undefined
    // Callers that were refused together do not come back together.
    return seconds + Math.random() * Math.max(FIRST_WAIT, seconds / 4)
  }

  return async (path, params = {}, { signal, free = false } = {}) => {
    const address = at(path)
    if (address.origin !== base.origin) throw new TwmdError({ code: 'redirected', message: `The service leads to ${address.origin}.` })
    for (const [name, value] of Object.entries(params))
      if (value !== undefined && value !== null) address.searchParams.set(name, Array.isArray(value) ? value.join(',') : String(value))
    for (let tried = 0; ; tried++) {
      const outcome = await attempt(address, signal, free).catch((error: unknown) => asRefusal(error))
      if (!(outcome instanceof TwmdError) && outcome.ok) return outcome
      const because =
        outcome instanceof TwmdError ? outcome : (movedTo(outcome, address) ?? (await refusalIn(outcome, at, free ? '' : MAYBE_CHARGED)))
      const seconds = waitAfter(because, tried, free)
      if (seconds === undefined) throw because
      onWait?.({ seconds, because })
      await pause(seconds, signal)
    }
  }
}

/** What ended the call itself is thrown on. */
function asRefusal(error: unknown): TwmdError {
  if (error instanceof TwmdError) return error
  throw error
}

/** Browsers tell nothing of where an answer leads. */
function movedTo({ type, status, headers }: Response, from: URL): TwmdError | undefined {
  if (type !== 'opaqueredirect' && !(status >= 300 && status < 400)) return undefined
  const location = headers.get('location')
  const where = location !== null && URL.canParse(location, from) ? new URL(location, from).origin : 'another address'
  return new TwmdError({ code: 'redirected', status, message: `The service sends on to ${where}; name that as baseUrl if it is yours.` })
}

/** @throws the reason of the signal where it comes first */
export function pause(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const ended = (): void => {
      clearTimeout(timer)
      reject(signal!.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', ended)
      resolve()
    }, seconds * 1_000)
    signal?.addEventListener('abort', ended, { once: true })
  })
}

/** The body of an answer as JSON. @throws TwmdError `broken_off` where it does not come whole */
export async function jsonOf<T>(response: Response): Promise<T> {
  try {
    return (await response.json()) as T
  } catch (cause) {
    // Anything else is the reason of a signal.
    if (!(cause instanceof TypeError || cause instanceof SyntaxError)) throw cause
    const code = cause instanceof SyntaxError ? 'not_twmd' : 'broken_off'
    throw new TwmdError({ code, message: 'The answer did not come whole.', requestId: response.headers.get('x-request-id') }, { cause })
  }
}
