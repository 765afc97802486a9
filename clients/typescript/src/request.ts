import { refusalIn, TwmdError } from './error.ts'

export interface ClientOptions {
  /** For example `https://api.example`, or `https://example/twmd` behind a proxy. */
  readonly baseUrl: string
  /** Without a key, only public requests succeed. */
  readonly apiKey?: string | undefined
  /** Replaces the global `fetch`, for tests or a proxy. */
  readonly fetch?: typeof fetch | undefined
  /** Maximum retries. Requests that may be charged twice are never retried. Default: 4. */
  readonly retries?: number | undefined
  /**
   * Maximum seconds between two attempts. Default: 60. If the service requests a longer wait, the
   * call fails.
   */
  readonly longestWait?: number | undefined
  /** Maximum seconds until the response starts. Default: 60. */
  readonly timeout?: number | undefined
  /** Language of error messages. Default: English. */
  readonly language?: 'en' | 'zh-TW' | undefined
  /** Called before each wait for another attempt. */
  readonly onWait?: ((wait: { readonly seconds: number; readonly because: TwmdError }) => void) | undefined
}

export interface CallOptions {
  /** Aborts the request, pending waits, and reading of the body. */
  readonly signal?: AbortSignal | undefined
}

/** List values are joined by commas. */
export type Param = string | number | boolean | readonly string[] | null | undefined

/**
 * Sends a request, and retries temporary failures. A request that may have been charged is never
 * retried. Requests without `free` are therefore only retried if the service refused them
 * temporarily, or if they were never sent.
 *
 * @throws TwmdError if the service refuses the request. If the signal aborts the call, throws the
 * reason of the signal
 */
export type Ask = (
  path: string,
  params?: Readonly<Record<string, Param>>,
  options?: CallOptions & { readonly free?: boolean },
) => Promise<Response>

const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504])
/** Status codes of temporary refusals, which are never charged. */
const REFUSED_FOR_A_WHILE: ReadonlySet<number> = new Set([429, 503])
/** Only the next publication resolves these errors, so they are not retried. */
const LASTING: ReadonlySet<string> = new Set(['dataset_building', 'data_unavailable'])
/** Errors after which the service may have processed the request. */
const UNANSWERED: ReadonlySet<string> = new Set(['timeout', 'unreachable'])
/** Node.js codes of requests that were never sent. Browsers have no such codes. */
const UNSENT: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])
/**
 * Node.js codes that also occur after a request was sent. Only a failed `connect` counts as unsent.
 */
const UNSENT_AT_CONNECT: ReadonlySet<unknown> = new Set(['EHOSTUNREACH', 'ENETUNREACH'])
/**
 * Seconds of the first wait. Each further wait is twice as long. Used only if the service states
 * no wait.
 */
const FIRST_WAIT = 0.5
const MAYBE_CHARGED = ' It may have been charged, so it was not repeated.'

/**
 * @throws TypeError for an invalid address. The message omits the address, which may contain a
 * password
 */
function baseOf(baseUrl: string): URL {
  const base = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (base && /^https?:$/.test(base.protocol) && !(base.username || base.password || base.search || base.hash)) return base
  throw new TypeError('baseUrl must be an http:// or https:// address, with a path only behind a proxy. Set the key in apiKey.')
}

export function createAsk({ baseUrl, apiKey, language, onWait, ...options }: ClientOptions): Ask {
  const { fetch: send = fetch, retries = 4, longestWait = 60, timeout = 60 } = options
  const base = baseOf(baseUrl)
  const prefix = base.pathname.replace(/\/+$/, '')
  // Links in responses do not have the path prefix of a proxy.
  const resolve = (path: string): URL => new URL(path.startsWith('/') ? prefix + path : path, base)
  const headers = {
    ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
    ...(language === undefined ? {} : { 'accept-language': language }),
  }

  async function attempt(address: URL, signal: AbortSignal | undefined, free: boolean): Promise<Response> {
    const unknown = free ? '' : MAYBE_CHARGED
    const late = new TwmdError({ code: 'timeout', message: `No response within ${timeout} s.${unknown}` })
    const aborter = new AbortController()
    const timer = setTimeout(() => aborter.abort(late), timeout * 1_000)
    const both = signal ? AbortSignal.any([signal, aborter.signal]) : aborter.signal
    try {
      // A followed redirect would send headers such as x-api-key to the target.
      return await send(address, { headers, redirect: 'manual', signal: both })
    } catch (cause) {
      signal?.throwIfAborted()
      if (aborter.signal.aborted) throw late
      const { code, syscall } = ((cause as Error).cause ?? {}) as Readonly<Record<'code' | 'syscall', unknown>>
      const unsent = UNSENT.has(code) || (syscall === 'connect' && UNSENT_AT_CONNECT.has(code))
      const message = `${base.origin} does not respond.${unsent ? '' : unknown}`
      throw new TwmdError({ code: 'unreachable', message, facts: { unsent } }, { cause })
    } finally {
      clearTimeout(timer)
    }
  }

  /** Returns the seconds until the next attempt. Undefined if no further attempt is allowed. */
  function waitAfter({ code, status, retryAfter, facts }: TwmdError, tried: number, free: boolean): number | undefined {
    const refused = REFUSED_FOR_A_WHILE.has(status) && code !== 'not_twmd'
    const passes = !LASTING.has(code) && (refused || facts['unsent'] === true || (free && (PASSING.has(status) || UNANSWERED.has(code))))
    if (tried >= retries || !passes) return undefined
    const seconds = retryAfter ?? FIRST_WAIT * 2 ** tried
    if (seconds > longestWait) return undefined
    // The random delay spreads the retries of several clients.
    return seconds + Math.random() * Math.max(FIRST_WAIT, seconds / 4)
  }

  return async (path, params = {}, { signal, free = false } = {}) => {
    const address = resolve(path)
    if (address.origin !== base.origin)
      throw new TwmdError({ code: 'redirected', message: `The service links to ${address.origin}, which is another address.` })
    for (const [name, value] of Object.entries(params))
      if (value !== undefined && value !== null) address.searchParams.set(name, Array.isArray(value) ? value.join(',') : String(value))
    for (let tried = 0; ; tried++) {
      const outcome = await attempt(address, signal, free).catch((error: unknown) => asRefusal(error))
      if (!(outcome instanceof TwmdError) && outcome.ok) return outcome
      const because =
        outcome instanceof TwmdError
          ? outcome
          : (movedTo(outcome, address) ?? (await refusalIn(outcome, resolve, free ? '' : MAYBE_CHARGED)))
      const seconds = waitAfter(because, tried, free)
      if (seconds === undefined) throw because
      onWait?.({ seconds, because })
      await pause(seconds, signal)
    }
  }
}

/** @throws the reason of the signal if a signal aborted the call */
function asRefusal(error: unknown): TwmdError {
  if (error instanceof TwmdError) return error
  throw error
}

/** Undefined if the response is no redirect. Browsers hide the target. */
function movedTo({ type, status, headers }: Response, from: URL): TwmdError | undefined {
  if (type !== 'opaqueredirect' && !(status >= 300 && status < 400)) return undefined
  const location = headers.get('location')
  const where = location !== null && URL.canParse(location, from) ? new URL(location, from).origin : 'another address'
  return new TwmdError({ code: 'redirected', status, message: `The service redirects to ${where}. Use that as baseUrl if it is yours.` })
}

/** @throws the reason of the signal if the signal aborts first */
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

/** @throws TwmdError `broken_off` if the body is incomplete, `not_twmd` if the body is not JSON */
export async function jsonOf<T>(response: Response): Promise<T> {
  try {
    return (await response.json()) as T
  } catch (cause) {
    // Any other error is the reason of an aborted signal.
    if (!(cause instanceof TypeError || cause instanceof SyntaxError)) throw cause
    const code = cause instanceof SyntaxError ? 'not_twmd' : 'broken_off'
    throw new TwmdError({ code, message: 'The response is incomplete.', requestId: response.headers.get('x-request-id') }, { cause })
  }
}
