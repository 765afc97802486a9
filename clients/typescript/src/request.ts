import { refusalIn, TwmdError } from './error.ts'

export interface ClientOptions {
  /**
   * Address of the service, for example `https://api.example`, or `https://example/twmd` behind a
   * proxy.
   */
  readonly baseUrl: string
  /** Without a key, only public requests succeed. */
  readonly apiKey?: string | undefined
  /** Replacement for `fetch`, for tests or a proxy. */
  readonly fetch?: typeof fetch | undefined
  /** Maximum number of retries of a request that cannot be charged twice. Default: 4. */
  readonly retries?: number | undefined
  /**
   * Maximum seconds between two attempts. Default: 60. If the service names a longer wait, its
   * refusal is thrown.
   */
  readonly longestWait?: number | undefined
  /** Maximum seconds until the response starts. Default: 60. */
  readonly timeout?: number | undefined
  /** Language of error messages. Default: English. */
  readonly language?: 'en' | 'zh-TW' | undefined
  /** Called before each wait. */
  readonly onWait?: ((wait: { readonly seconds: number; readonly because: TwmdError }) => void) | undefined
}

/** Options that all calls accept. */
export interface CallOptions {
  /** Aborts the call, its waits and its body. */
  readonly signal?: AbortSignal | undefined
}

/** A value of a query parameter; a list is joined by commas. */
export type Param = string | number | boolean | readonly string[] | null | undefined

/**
 * Sends a request, and repeats it after temporary failures. A request that may have been charged is
 * not repeated. A request that is not `free` is therefore repeated only if the service refused it
 * temporarily, or if it was never sent.
 *
 * @throws TwmdError if the service refuses, and the signal's reason if it aborted the call
 */
export type Ask = (
  path: string,
  params?: Readonly<Record<string, Param>>,
  options?: CallOptions & { readonly free?: boolean },
) => Promise<Response>

/** Status codes of temporary failures. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504])
/** Statuses with which the service confirms that nothing was charged. */
const REFUSED_FOR_A_WHILE: ReadonlySet<number> = new Set([429, 503])
/** Error codes that last until the next publication. */
const LASTING: ReadonlySet<string> = new Set(['dataset_building', 'data_unavailable'])
/** Errors without a response: the outcome of the request is unknown. */
const UNANSWERED: ReadonlySet<string> = new Set(['timeout', 'unreachable'])
/** Node's codes for a request that was never sent. Browsers report none. */
const UNSENT: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])
/**
 * Codes that can also occur after a request was sent. They count as unsent only if `connect`
 * failed.
 */
const UNSENT_AT_CONNECT: ReadonlySet<unknown> = new Set(['EHOSTUNREACH', 'ENETUNREACH'])
/** Seconds of the first wait if the service names none. Each further wait is twice as long. */
const FIRST_WAIT = 0.5
const MAYBE_CHARGED = ' It may have been charged, so it was not repeated.'

/**
 * @throws TypeError for an invalid address. The message does not contain the address, because it
 * may contain a password
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
  // Behind a proxy, the service may have a path prefix. The links of the service lack this prefix.
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
      // Redirects are not followed automatically, because headers such as x-api-key would be sent
      // to the target.
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

  /** Seconds until the next attempt; undefined if there is none. */
  function waitAfter({ code, status, retryAfter, facts }: TwmdError, tried: number, free: boolean): number | undefined {
    const refused = REFUSED_FOR_A_WHILE.has(status) && code !== 'not_twmd'
    const passes = !LASTING.has(code) && (refused || facts['unsent'] === true || (free && (PASSING.has(status) || UNANSWERED.has(code))))
    if (tried >= retries || !passes) return undefined
    const seconds = retryAfter ?? FIRST_WAIT * 2 ** tried
    if (seconds > longestWait) return undefined
    // Adds a random delay, so that clients that were refused together do not return together.
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

/** The error as a TwmdError. Rethrows the reason of an aborted call. */
function asRefusal(error: unknown): TwmdError {
  if (error instanceof TwmdError) return error
  throw error
}

/**
 * The error for a redirect. Undefined for other responses. Browsers hide the target of a redirect.
 */
function movedTo({ type, status, headers }: Response, from: URL): TwmdError | undefined {
  if (type !== 'opaqueredirect' && !(status >= 300 && status < 400)) return undefined
  const location = headers.get('location')
  const where = location !== null && URL.canParse(location, from) ? new URL(location, from).origin : 'another address'
  return new TwmdError({ code: 'redirected', status, message: `The service redirects to ${where}. Use that as baseUrl if it is yours.` })
}

/** @throws the signal's reason if it aborts first */
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

/** The body of a response as JSON. @throws TwmdError `broken_off` if it is incomplete */
export async function jsonOf<T>(response: Response): Promise<T> {
  try {
    return (await response.json()) as T
  } catch (cause) {
    // Any other value is the reason of an aborted signal, so it is rethrown.
    if (!(cause instanceof TypeError || cause instanceof SyntaxError)) throw cause
    const code = cause instanceof SyntaxError ? 'not_twmd' : 'broken_off'
    throw new TwmdError({ code, message: 'The response is incomplete.', requestId: response.headers.get('x-request-id') }, { cause })
  }
}
