import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, type Dispatcher, request } from 'undici'
import type { z } from 'zod'
import type { RefusedRead } from '../../clients/typescript/src/index.ts'
import { commandRefusal, limitInformational, type Refusal } from '../../src/core/index.ts'

/** Another service, asked with one key, or none. */
export interface Remote {
  /**
   * An answer of it, not read yet. What is free is asked again while the service is overloaded, limits or does not answer. Everything
   * else is asked again only where nothing was charged: it was refused for a while in the service's own words, or never left.
   *
   * @param target a path below the address, or a whole URL that it gave; what leads to another origin is asked without the key
   * @throws Refusal with the service's own sentence where it refuses, and where it sends on to another address; its fact
   * `may_be_charged` is true where the request left and nothing says what became of it
   */
  get(target: string, asking?: Asking): Promise<Dispatcher.ResponseData>
  /** A whole answer, byte for byte. @throws Refusal like `get`, and where the answer breaks off or does not end */
  read(path: string, asking?: Asking): Promise<RemoteAnswer>
  /** The body of a free answer as JSON of a form. @throws Refusal like `read`, and where it has another form */
  json<T>(path: string, form: z.ZodType<T>): Promise<T>
}

/** What is to be known of a request beside its target. */
export interface Asking {
  /** It costs nothing, so that it may be asked again whatever became of it. */
  readonly free?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

/** An answer that arrived whole. */
export interface RemoteAnswer {
  readonly headers: Dispatcher.ResponseData['headers']
  readonly bytes: Buffer
}

export interface RemoteOptions {
  /** For example `https://api.example`, or `https://example/twmd` behind a proxy; without a slash at its end. */
  readonly url: string
  /** Without one only what is public is answered. */
  readonly key?: string
  /** Tries of one request before it is given up. */
  readonly tries?: number
  /** Called before each further try. */
  readonly waiting?: (seconds: number, why: string) => void
  /** Called at the first good answer after there was a wait. */
  readonly answering?: () => void
}

/** Answers after which the same request may succeed. */
const AGAIN: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])
/** Of these, the ones by which the service says that it charged nothing and may be asked again. */
const AGAIN_IF_PRICED: ReadonlySet<number> = new Set([429, 503])
/** Refused with one of these, and not before somebody publishes. */
const LASTING: ReadonlySet<unknown> = new Set(['dataset_building', 'data_unavailable'])
/** Seconds before another try where the service names none, doubled each time. */
const PAUSE_S = 1
const LONGEST_PAUSE_S = 60
/** Longest silence of a connection. */
const SILENCE_MS = 30_000
/** Of lists and documents. Statistics of the largest dataset take some tens of megabytes. */
const MOST_BYTES = 1 << 28

export function openRemote({ url, key, tries = 6, waiting = () => {}, answering = () => {} }: RemoteOptions): Remote {
  let waited = false
  const dispatcher = new Agent()
  /** Errors of connections that were never made: nothing was sent, whatever they are called. */
  const unsent = new WeakSet<Error>()
  dispatcher.on('connectionError', (_origin, _targets, error) => unsent.add(error))
  const attempt = async (target: string, headers: Readonly<Record<string, string>>): Promise<Dispatcher.ResponseData> => {
    const isPath = /^\/(?!\/)/.test(target)
    const address = isPath ? new URL(url + target) : new URL(target, url)
    const own = key !== undefined && isPath ? { 'x-api-key': key } : {}
    const informational = new AbortController()
    return request(address, {
      dispatcher,
      headers: { ...own, ...headers },
      headersTimeout: SILENCE_MS,
      bodyTimeout: SILENCE_MS,
      signal: informational.signal,
      onInfo: limitInformational(reason => informational.abort(reason)),
    })
  }
  const get: Remote['get'] = async (target, { free = false, headers = {} } = {}) => {
    for (let tried = 1; ; tried++) {
      const answer = await attempt(target, headers).catch((error: Error) => error)
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
  const read: Remote['read'] = async (path, asking) => {
    const { headers, body } = await get(path, asking)
    return { headers, bytes: await wholeOf(body, error => (asking?.free ? unreachable(url, error) : unanswered(url, error))) }
  }
  return { get, read, json: async (path, form) => inForm(form, await read(path, { free: true })) }
}

/** Whether the same request may succeed later, and costs nothing twice. */
const passes = ({ facts: { status, code } }: Refusal, free: boolean): boolean =>
  !LASTING.has(code) && (free ? AGAIN.has(status as number) : AGAIN_IF_PRICED.has(status as number) && code !== undefined)

/** @throws Refusal where the body breaks off, or does not end */
async function wholeOf(body: AsyncIterable<Buffer>, brokenOff: (error: Error) => Refusal): Promise<Buffer> {
  const pieces: Buffer[] = []
  let bytes = 0
  try {
    for await (const piece of body) {
      bytes += piece.length
      if (bytes > MOST_BYTES) break
      pieces.push(piece)
    }
  } catch (error) {
    throw brokenOff(error as Error)
  }
  if (bytes > MOST_BYTES)
    throw commandRefusal('conflict', {}, 'The service sends a list or document that does not end; nothing of it is kept.')
  return Buffer.concat(pieces)
}

/** A body as JSON of a form. @throws Refusal where it has another */
export function inForm<T>(form: z.ZodType<T>, { bytes }: RemoteAnswer): T {
  const parsed = form.safeParse(jsonOf(bytes.toString('utf8')))
  if (parsed.success) return parsed.data
  throw commandRefusal('conflict', {}, 'What answers is not a service of this version, or stands in front of one; look at the address.')
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const causeOf = (error: Error): string => (error as NodeJS.ErrnoException).code ?? error.message

const unreachable = (url: string, error: Error): Refusal =>
  commandRefusal(
    'overloaded',
    {},
    `${new URL(url).origin} does not answer (${causeOf(error)}); look at the address, or run the command again: nothing that came whole is lost.`,
  )

/** A request that may have been answered, and booked, without anything of it arriving. */
const unanswered = (url: string, error: Error): Refusal =>
  commandRefusal(
    'overloaded',
    { may_be_charged: true },
    `${new URL(url).origin} took the request, and no whole answer came (${causeOf(error)}). ${MAYBE_CHARGED}`,
  )

const MAYBE_CHARGED = 'It may have been charged, so it was not asked again.'

/** What the service refused with, in its own words. Of an answer that is not its own nobody knows what became of the request behind it. */
async function refusalOf({ statusCode, headers, body }: Dispatcher.ResponseData, url: string, free: boolean): Promise<Refusal> {
  const text = String(await wholeOf(body, error => unreachable(url, error)).catch(() => ''))
  const { code, message, missing, ...facts } = errorIn(text)
  const moved = movedTo(headers['location'], url)
  const unknown = !free && code === undefined && statusCode >= 500
  const passing = AGAIN.has(statusCode) && !LASTING.has(code)
  return commandRefusal(
    passing ? 'overloaded' : 'conflict',
    { status: statusCode, code, ...(missing.length > 0 && { missing }), ...(unknown && { may_be_charged: true }) },
    `The service answered ${statusCode}: ${message ?? moved ?? 'no reason is given.'}${neededIn(facts)}${unknown ? ` ${MAYBE_CHARGED}` : ''}`,
  )
}

/** Where an answer sends on to. Nobody goes there by himself: a key is for the address that was named. */
const movedTo = (location: string | readonly string[] | undefined, url: string): string | null =>
  typeof location === 'string' && URL.canParse(location, url)
    ? `it sends on to ${new URL(location, url).origin}; name that address if it is yours.`
    : null

/** What the facts of a refusal say is needed, as sentences behind its own, each after a blank. */
export function neededIn({ required_plan: plan, current_plan: own, credits_needed: credits, resets_at: at }: Partial<RefusedRead>): string {
  if (plan !== undefined) return ` It needs the plan ${plan}${own === undefined ? '' : `; this key has ${own}`}.`
  return credits === undefined ? '' : ` It needs ${credits} credits; they return at ${at}.`
}

interface RemoteError extends Partial<RefusedRead> {
  readonly code?: string
  readonly message?: string
  /** Parameters that were to be sent. */
  readonly missing: readonly string[]
}

function errorIn(text: string): RemoteError {
  try {
    const { error, detail } = JSON.parse(text)
    const { error_code: code, error_message: message } = error
    const ofText = (value: unknown) => (typeof value === 'string' ? value : undefined)
    return { ...error, code: ofText(code), message: ofText(message), missing: missingIn(detail) }
  } catch {
    return { missing: [] }
  }
}

/** Names of the parameters whose absence is among the mistakes of a refusal. */
export const missingIn = (detail: unknown): readonly string[] =>
  Array.isArray(detail) ? detail.filter(({ type }) => type === 'missing').map(({ loc }) => String(loc?.at?.(-1))) : []
