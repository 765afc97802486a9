import { setTimeout as sleep } from 'node:timers/promises'
import { type Dispatcher, request } from 'undici'
import { commandRefusal, type Refusal } from '../../src/core/index.ts'

/** Another service, asked with one key. */
export interface Remote {
  /**
   * An answer of it, not read yet. Asks again, after the time the service names, while it is overloaded, limits or does not answer.
   *
   * @param target a path, or a whole URL that it gave, to which no key is sent
   * @throws Refusal with the service's own sentence where it refuses
   */
  get(target: string, headers?: Readonly<Record<string, string>>): Promise<Dispatcher.ResponseData>
  /** The body of an answer as JSON. */
  json(path: string): Promise<unknown>
  /** The body of an answer, byte for byte. */
  bytes(path: string): Promise<Buffer>
}

export interface RemoteOptions {
  /** For example `https://api.example`. */
  readonly url: string
  readonly key: string
  /** Tries of one request before it is given up. */
  readonly tries?: number
  /** Called before each further try. */
  readonly waiting?: (seconds: number, why: string) => void
}

/** Answers after which the same request may succeed. */
const AGAIN: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])
/** Seconds before another try where the service names none, doubled each time. */
const PAUSE_S = 1
const LONGEST_PAUSE_S = 60
/** Longest silence of a connection. */
const SILENCE_MS = 30_000

export function openRemote({ url, key, tries = 6, waiting = () => {} }: RemoteOptions): Remote {
  const attempt = async (target: string, headers: Readonly<Record<string, string>>): Promise<Dispatcher.ResponseData> => {
    const own = target.startsWith('/') ? { 'x-api-key': key } : {}
    return request(new URL(target, url), { headers: { ...own, ...headers }, headersTimeout: SILENCE_MS, bodyTimeout: SILENCE_MS })
  }
  const get: Remote['get'] = async (target, headers = {}) => {
    for (let tried = 1; ; tried++) {
      const last = tried >= tries
      const answer = await attempt(target, headers).catch(error => (last ? Promise.reject(unreachable(url, error)) : (error as Error)))
      if (answer instanceof Error) await pause(tried, undefined, causeOf(answer))
      else if (answer.statusCode < 400) return answer
      else if (AGAIN.has(answer.statusCode) && !last) {
        const refusal = await refusalOf(answer)
        await pause(tried, answer.headers['retry-after'], refusal.message)
      } else throw await refusalOf(answer)
    }
  }
  const pause = async (tried: number, after: string | readonly string[] | undefined, why: string): Promise<void> => {
    const named = Number(after)
    const seconds = Number.isFinite(named) && named > 0 ? named : PAUSE_S * 2 ** (tried - 1)
    const bounded = Math.min(seconds, LONGEST_PAUSE_S)
    waiting(bounded, why)
    await sleep(bounded * 1_000)
  }
  return {
    get,
    json: async path => (await get(path)).body.json(),
    bytes: async path => Buffer.from(await (await get(path)).body.arrayBuffer()),
  }
}

const causeOf = (error: Error): string => (error as NodeJS.ErrnoException).code ?? error.message

const unreachable = (url: string, error: Error): Refusal =>
  commandRefusal(
    'overloaded',
    {},
    `${new URL(url).origin} does not answer (${causeOf(error)}); what was pulled so far stays, run the command again.`,
  )

/** What the service refused with, in its own words. */
async function refusalOf({ statusCode, body }: Dispatcher.ResponseData): Promise<Refusal> {
  const text = await body.text().catch(() => '')
  const { code, message, credits_needed, resets_at } = errorIn(text)
  const more = credits_needed === undefined ? '' : ` It needs ${credits_needed} credits; they return at ${resets_at}.`
  return commandRefusal(
    'conflict',
    { status: statusCode, code },
    `The service answered ${statusCode}: ${message ?? 'no reason is given'}${more}`,
  )
}

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
