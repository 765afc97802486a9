import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, type Dispatcher, request } from 'undici'
import { z } from 'zod'
import { clipped, commandRefusal, limitInformational, Refusal } from '../../src/core/index.ts'
import { DATA_LIMITS, ERROR_LIMITS, type JsonLimits, LIST_LIMITS, parseJson, tooLarge } from './bounded-json.ts'

export interface Remote {
  readonly url: string
  /**
   * Checks that a URL belongs to the service or to `fileOrigins`.
   *
   * @throws Refusal conflict
   */
  checkFileUrl(fileUrl: string): void
  /**
   * Sends a request, and returns the response before its body is read. Retries a free request if
   * the service is overloaded, limits the rate or does not respond. Retries any other request only
   * if it cannot have been charged: refused temporarily, or never sent.
   *
   * @param target a path, requested with the key, or a file URL, requested without the key. Only
   * file URLs may redirect.
   * @throws Refusal with the service's message if it refuses; conflict for a URL or redirect that
   * is not allowed. Its fact `may_be_charged` is true if the outcome of a sent request is unknown
   */
  get(target: string, asking?: Asking): Promise<Dispatcher.ResponseData>
  /**
   * Sends a request and returns the complete response.
   *
   * @throws Refusal like `get`; also if the body is incomplete or exceeds its limit
   */
  read(path: string, asking?: Asking): Promise<RemoteAnswer>
  /**
   * Requests a free list.
   *
   * @throws Refusal like `read`, and for JSON of another structure
   */
  json<T>(path: string, form: z.ZodType<T>): Promise<T>
}

export interface Asking {
  /** True if the request costs no credits and can always be repeated. */
  readonly free?: boolean
  readonly headers?: Readonly<Record<string, string>>
  /** Maximum bytes of the body, for `read`. Default: the limit for data. */
  readonly maxBytes?: number
}

export interface RemoteAnswer {
  readonly headers: Dispatcher.ResponseData['headers']
  readonly bytes: Buffer
}

export interface RemoteOptions {
  /** For example `https://example/twmd`. Without a trailing slash. */
  readonly url: string
  /** Without a key, only public requests succeed. */
  readonly key?: string
  /** Other origins that may serve files. */
  readonly fileOrigins?: readonly string[]
  readonly tries?: number
  /** Called before each further attempt. */
  readonly waiting?: (seconds: number, why: string) => void
  /** Called at the first success after a wait. */
  readonly answering?: () => void
}

/** Status codes after which the same request may succeed. */
const AGAIN: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])
/** Status codes of requests that were not charged. */
const AGAIN_IF_PRICED: ReadonlySet<number> = new Set([429, 503])
/** Only the next publication resolves these errors, so they are not retried. */
const LASTING: ReadonlySet<unknown> = new Set(['dataset_building', 'data_unavailable'])
/** Seconds before the second attempt. The pause doubles with each attempt. */
const PAUSE_S = 1
const LONGEST_PAUSE_S = 60
/** Maximum ms without data on a connection. */
const SILENCE_MS = 30_000
const MAX_REDIRECTS = 5
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
/** Maximum length of a message of the service. Longer messages are cut. */
const MAX_MESSAGE = 500

export function openRemote({ url, key, fileOrigins = [], tries = 6, waiting = () => {}, answering = () => {} }: RemoteOptions): Remote {
  let waited = false
  const origins: ReadonlySet<string> = new Set([new URL(url).origin, ...fileOrigins])
  const allowed = (address: URL): URL => {
    if (!origins.has(address.origin)) throw foreignFile(address)
    return address
  }
  const dispatcher = new Agent()
  /** Errors before there was a connection. Nothing was sent, so nothing was charged. */
  const unsent = new WeakSet<Error>()
  dispatcher.on('connectionError', (_origin, _targets, error) => unsent.add(error))
  const send = (address: URL, headers: Readonly<Record<string, string>>): Promise<Dispatcher.ResponseData> => {
    const informational = new AbortController()
    return request(address, {
      dispatcher,
      headers,
      headersTimeout: SILENCE_MS,
      bodyTimeout: SILENCE_MS,
      signal: informational.signal,
      onInfo: limitInformational(reason => informational.abort(reason)),
    })
  }
  const sendForFile = async (target: string, headers: Readonly<Record<string, string>>): Promise<Dispatcher.ResponseData> => {
    let address = allowed(fileAddress(target, url))
    for (let redirects = 0; ; redirects++) {
      const response = await send(address, headers)
      const location = redirectOf(response)
      if (location === null) return response
      await response.body.dump()
      if (redirects === MAX_REDIRECTS) throw tooManyRedirects()
      address = allowed(fileAddress(location, address))
    }
  }
  const attempt = (target: string, headers: Readonly<Record<string, string>>): Promise<Dispatcher.ResponseData> =>
    isPath(target)
      ? send(new URL(url + target), { ...(key !== undefined && { 'x-api-key': key }), ...headers })
      : sendForFile(target, headers)
  const get: Remote['get'] = async (target, { free = false, headers = {} } = {}) => {
    for (let tried = 1; ; tried++) {
      const answer = await attempt(target, headers).catch((error: Error) => error)
      if (answer instanceof Refusal) throw answer
      if (answer instanceof Error) {
        if (!free && !unsent.has(answer)) throw unanswered(url, answer)
        if (tried >= tries) throw unreachable(url, answer)
        await pause(tried, undefined, causeOf(answer))
      } else if (answer.statusCode < 300) {
        if (waited) answering()
        waited = false
        return answer
      } else {
        const refusal = await refusalOf(answer, url, free)
        if (tried >= tries || !passes(refusal, free)) throw refusal
        await pause(tried, answer.headers['retry-after'], refusal.message)
      }
    }
  }
  const pause = async (tried: number, after: string | readonly string[] | undefined, why: string): Promise<void> => {
    const named = Number(after)
    const seconds = Number.isFinite(named) && named > 0 ? named : PAUSE_S * 2 ** (tried - 1)
    const bounded = Math.min(seconds, LONGEST_PAUSE_S)
    waited = true
    waiting(bounded, why)
    await sleep(bounded * 1_000)
  }
  const read: Remote['read'] = async (path, asking = {}) => {
    const { headers, body } = await get(path, asking)
    const brokenOff = (error: Error) => (asking.free ? unreachable(url, error) : unanswered(url, error))
    return { headers, bytes: await wholeOf(body, asking.maxBytes ?? DATA_LIMITS.bytes, brokenOff) }
  }
  return {
    url,
    checkFileUrl: fileUrl => {
      if (!isPath(fileUrl)) allowed(fileAddress(fileUrl, url))
    },
    get,
    read,
    json: async (path, form) => inForm(form, await read(path, { free: true, maxBytes: LIST_LIMITS.bytes })),
  }
}

const isPath = (target: string): boolean => /^\/(?!\/)/.test(target)

/** @throws Refusal conflict if the text is not a URL */
function fileAddress(text: string, base: string | URL): URL {
  if (URL.canParse(text, base)) return new URL(text, base)
  throw commandRefusal('conflict', {}, 'The service sent an invalid URL for a file. Check the address of the service.')
}

const foreignFile = ({ origin }: URL): Refusal =>
  commandRefusal(
    'conflict',
    {},
    `The service sent a file URL at another origin, ${origin}. If you trust it, add it to --file-origins or TWMD_FILE_ORIGINS.`,
  )

const tooManyRedirects = (): Refusal =>
  commandRefusal(
    'conflict',
    {},
    `The service redirected a file request more than ${MAX_REDIRECTS} times. Check the address of the service.`,
  )

const redirectOf = ({ statusCode, headers: { location } }: Dispatcher.ResponseData): string | null =>
  REDIRECTS.has(statusCode) && typeof location === 'string' ? location : null

/** True if the request may succeed later without a second charge. */
const passes = ({ facts: { status, code } }: Refusal, free: boolean): boolean =>
  !LASTING.has(code) && (free ? AGAIN.has(status as number) : AGAIN_IF_PRICED.has(status as number) && code !== undefined)

/** @throws Refusal if the body is incomplete; conflict if it exceeds its limit */
async function wholeOf(body: AsyncIterable<Buffer>, maxBytes: number, brokenOff: (error: Error) => Refusal): Promise<Buffer> {
  const pieces: Buffer[] = []
  let bytes = 0
  try {
    for await (const piece of body) {
      bytes += piece.length
      if (bytes > maxBytes) break
      pieces.push(piece)
    }
  } catch (error) {
    throw brokenOff(error as Error)
  }
  if (bytes > maxBytes) throw tooLarge(`a list or document of more than ${maxBytes} bytes`)
  return Buffer.concat(pieces)
}

/** @throws Refusal conflict for another structure or a document above a limit */
export function inForm<T>(form: z.ZodType<T>, { bytes }: RemoteAnswer): T {
  const parsed = form.safeParse(parseJson(bytes, LIST_LIMITS))
  if (parsed.success) return parsed.data
  throw commandRefusal(
    'conflict',
    {},
    'The response is not one of a twmd service of this version. Check the address and any proxy in between.',
  )
}

const Count = z.coerce.number().pipe(z.int().nonnegative())

/**
 * Returns the count in a header. 0 if missing.
 *
 * @throws Refusal conflict if the value is not a count
 */
export function countIn(headers: RemoteAnswer['headers'], name: string): number {
  const count = Count.safeParse(headers[name] ?? 0)
  if (count.success) return count.data
  throw commandRefusal(
    'conflict',
    {},
    `The service sent ${name}: ${clipped(String(headers[name]), 40)}, which is not a count. Check the address.`,
  )
}

const causeOf = (error: Error): string => (error as NodeJS.ErrnoException).code ?? error.message

const unreachable = (url: string, error: Error): Refusal =>
  commandRefusal(
    'overloaded',
    {},
    `${new URL(url).origin} does not respond (${causeOf(error)}). Check the address, or run the command again. Downloaded files are not lost.`,
  )

/**
 * Returns the refusal for a request without a complete response. The service may have charged the
 * request.
 */
const unanswered = (url: string, error: Error): Refusal =>
  commandRefusal(
    'overloaded',
    { may_be_charged: true },
    `${new URL(url).origin} accepted the request, but sent no complete response (${causeOf(error)}). ${MAYBE_CHARGED}`,
  )

const MAYBE_CHARGED = 'It may have been charged, so it was not repeated.'

/**
 * Creates a refusal with the service's message. If a proxy sent the response, the outcome of the
 * request is unknown.
 */
async function refusalOf({ statusCode, headers, body }: Dispatcher.ResponseData, url: string, free: boolean): Promise<Refusal> {
  // Without a readable body, only the status is reported.
  const bytes = await wholeOf(body, ERROR_LIMITS.bytes, error => unreachable(url, error)).catch(() => Buffer.alloc(0))
  const { code, message, missing, ...facts } = errorIn(bytes)
  const moved = movedTo(headers['location'], url)
  const unknown = !free && code === undefined && statusCode >= 500
  const passing = AGAIN.has(statusCode) && !LASTING.has(code)
  return commandRefusal(
    passing ? 'overloaded' : 'conflict',
    { status: statusCode, code, ...(missing.length > 0 && { missing }), ...(unknown && { may_be_charged: true }) },
    `The service answered ${statusCode}: ${message ?? moved ?? 'no reason given.'}${neededIn(facts)}${unknown ? ` ${MAYBE_CHARGED}` : ''}`,
  )
}

/** Describes a redirect, which is not followed: the key is sent to the configured URL only. */
const movedTo = (location: string | readonly string[] | undefined, url: string): string | null =>
  typeof location === 'string' && URL.canParse(location, url)
    ? `it redirects to ${new URL(location, url).origin}; use that address if it is yours.`
    : null

/** What the request needs: a plan or credits. */
interface Needed {
  readonly required_plan?: string | undefined
  readonly current_plan?: string | undefined
  readonly credits_needed?: number | undefined
  readonly resets_at?: string | undefined
}

/** Returns sentences about what the request needs, each after a space. */
export function neededIn({ required_plan: plan, current_plan: own, credits_needed: credits, resets_at: resetsAt }: Needed): string {
  if (plan !== undefined) return ` The request needs the plan ${plan}${own === undefined ? '' : `; this key has ${own}`}.`
  return credits === undefined ? '' : ` The request needs ${credits} credits; credits reset at ${resetsAt}.`
}

const Line = z.string().transform(text => clipped(text, MAX_MESSAGE))
/** Fields that are shown. Other types are ignored. */
const ErrorFields = z.object({
  error_code: Line.optional().catch(undefined),
  error_message: Line.optional().catch(undefined),
  required_plan: Line.optional().catch(undefined),
  current_plan: Line.optional().catch(undefined),
  credits_needed: z.int().nonnegative().optional().catch(undefined),
  resets_at: Line.optional().catch(undefined),
})
const ErrorBody = z.object({ error: ErrorFields, detail: z.unknown().optional() })

interface RemoteError extends Needed {
  readonly code?: string | undefined
  readonly message?: string | undefined
  readonly missing: readonly string[]
}

/** Returns the fields of an error. Empty if the body is not an error of the service. */
function errorIn(bytes: Buffer): RemoteError {
  const body = ErrorBody.safeParse(jsonWithin(bytes, ERROR_LIMITS))
  if (!body.success) return { missing: [] }
  const { error_code: code, error_message: message, ...facts } = body.data.error
  return { ...facts, code, message, missing: missingIn(body.data.detail) }
}

function jsonWithin(bytes: Buffer, limits: JsonLimits): unknown {
  try {
    return parseJson(bytes, limits)
  } catch {
    return undefined
  }
}

const Faults = z.array(z.object({ type: z.unknown().optional(), loc: z.array(z.unknown()).catch([]) })).catch([])

/** Returns the missing parameters in the details of a refusal. */
export const missingIn = (detail: unknown): readonly string[] =>
  Faults.parse(detail).flatMap(({ type, loc }) => (type === 'missing' && loc.length > 0 ? [String(loc.at(-1))] : []))
