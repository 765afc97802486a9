import { setTimeout as sleep } from 'node:timers/promises'
import { type Dispatcher, request } from 'undici'
import type { z } from 'zod'
import { commandRefusal, type Refusal } from '../../src/core/index.ts'

/** Another service, asked with one key, or none. */
export interface Remote {
  /**
   * An answer of it, not read yet. Asks again, after the time the service names, while it is overloaded, limits or does not answer.
   *
   * @param target a path, or a whole URL that it gave; what leads to another origin is asked without the key
   * @throws Refusal with the service's own sentence where it refuses, and where it sends on to another address
   */
  get(target: string, headers?: Readonly<Record<string, string>>): Promise<Dispatcher.ResponseData>
  /** A whole answer, byte for byte. @throws Refusal like `get`, and where the answer breaks off or does not end */
  read(path: string): Promise<RemoteAnswer>
  /** The body of an answer as JSON of a form. @throws Refusal like `read`, and where it has another form */
  json<T>(path: string, form: z.ZodType<T>): Promise<T>
}

/** An answer that arrived whole. */
export interface RemoteAnswer {
  readonly headers: Dispatcher.ResponseData['headers']
  readonly bytes: Buffer
}

export interface RemoteOptions {
  /** For example `https://api.example`. */
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
/** Seconds before another try where the service names none, doubled each time. */
const PAUSE_S = 1
const LONGEST_PAUSE_S = 60
/** Longest silence of a connection. */
const SILENCE_MS = 30_000
/** Of lists and documents. Statistics of the largest dataset take some tens of megabytes. */
const MOST_BYTES = 1 << 28

export function openRemote({ url, key, tries = 6, waiting = () => {}, answering = () => {} }: RemoteOptions): Remote {
  let waited = false
  const attempt = async (target: string, headers: Readonly<Record<string, string>>): Promise<Dispatcher.ResponseData> => {
    const address = new URL(target, url)
    const own = key !== undefined && target.startsWith('/') && address.origin === new URL(url).origin ? { 'x-api-key': key } : {}
    return request(address, { headers: { ...own, ...headers }, headersTimeout: SILENCE_MS, bodyTimeout: SILENCE_MS })
  }
  const get: Remote['get'] = async (target, headers = {}) => {
    for (let tried = 1; ; tried++) {
      const last = tried >= tries
      const answer = await attempt(target, headers).catch(error => (last ? Promise.reject(unreachable(url, error)) : (error as Error)))
      if (answer instanceof Error) await pause(tried, undefined, causeOf(answer))
      else if (answer.statusCode < 300) {
        if (waited) answering()
        waited = false
        return answer
      } else if (AGAIN.has(answer.statusCode) && !last) {
        const refusal = await refusalOf(answer, url)
        await pause(tried, answer.headers['retry-after'], refusal.message)
      } else throw await refusalOf(answer, url)
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
  const read: Remote['read'] = async path => {
    const { headers, body } = await get(path)
    return { headers, bytes: await wholeOf(body, url) }
  }
  return { get, read, json: async (path, form) => inForm(form, await read(path)) }
}

/** @throws Refusal where the body breaks off or does not end */
async function wholeOf(body: AsyncIterable<Buffer>, url: string): Promise<Buffer> {
  const pieces: Buffer[] = []
  let bytes = 0
  try {
    for await (const piece of body) {
      bytes += piece.length
      if (bytes > MOST_BYTES) break
      pieces.push(piece)
    }
  } catch (error) {
    throw unreachable(url, error as Error)
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

/** What the service refused with, in its own words. */
async function refusalOf({ statusCode, headers, body }: Dispatcher.ResponseData, url: string): Promise<Refusal> {
  const text = String(await wholeOf(body, url).catch(() => ''))
  const { code, message, credits_needed, resets_at } = errorIn(text)
  const more = credits_needed === undefined ? '' : ` It needs ${credits_needed} credits; they return at ${resets_at}.`
  const moved = movedTo(headers['location'], url)
  return commandRefusal(
    'conflict',
    { status: statusCode, code },
    `The service answered ${statusCode}: ${message ?? moved ?? 'no reason is given'}${more}`,
  )
}

/** Where an answer sends on to. Nobody goes there by himself: a key is for the address that was named. */
const movedTo = (location: string | readonly string[] | undefined, url: string): string | null =>
  typeof location === 'string' && URL.canParse(location, url)
    ? `it sends on to ${new URL(location, url).origin}; name that address if it is yours.`
    : null

interface RemoteError {
  readonly code?: string
  readonly message?: string
  readonly credits_needed?: number
  readonly resets_at?: string
}

function errorIn(text: string): RemoteError {
  try {
    const { error } = JSON.parse(text)
    return { ...error, code: error.error_code, message: error.error_message }
  } catch {
    return {}
  }
}
