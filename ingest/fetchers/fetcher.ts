import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, commandRefusal, type FetchSettings, type Refusal, taipei } from '../../src/core/index.ts'
import type { FetchRequest } from '../formats/index.ts'
import { type AskAgain, type ExchangeOptions, type FetchedBody, openExchange } from './exchange.ts'
import { type HostLimitDeps, MAX_PAUSE_S, openHostLimits } from './host-limits.ts'

/** A response body, with the time and address of the request. */
export interface Fetched extends FetchedBody {
  /** Time of the request, RFC 3339 in Taipei. */
  readonly fetchedAt: string
  /** The address that was actually requested. The configuration may replace the host. */
  readonly askedAt: string
}

/** Verdict about a body. `shutOut` means that the source seems to block clients. */
export type Verdict = { readonly good: true } | { readonly good: false; readonly shutOut: boolean; readonly why: string }

export interface FetchOneOptions {
  readonly mostBytes: number
  /** Judges a body. A bad body is requested again. The last body is returned in any case. */
  readonly judge: (bytes: Uint8Array) => Verdict
  readonly waiting?: (seconds: number, why: string) => void
  readonly signal?: AbortSignal
}

/** Sends one request at a time, with pauses between requests to the same host. */
export interface Fetcher {
  readonly settings: FetchSettings
  /** @throws Refusal overloaded after several attempts; body_refused if a retry would not help */
  fetch(request: FetchRequest, options: FetchOneOptions): Promise<Fetched>
  close(): Promise<void>
}

export interface FetcherOptions extends FetchSettings, Pick<ExchangeOptions, 'version' | 'silenceMs' | 'longestMs'> {
  readonly dataDir: string
  readonly tries?: number
  /** Minimum milliseconds between two requests to a host. Default: 3,000, or 0 for this machine. */
  readonly pauseMs?: number
  readonly deps?: Partial<HostLimitDeps>
}

const TRIES = 4
/**
 * Pause in seconds after the first failure. Each further failure doubles the pause. The exchanges
 * block frequent clients for half an hour.
 */
const FIRST_HOLD_S = 30
const LONGEST_OWN_HOLD_S = 1_800

/**
 * Opens a fetcher. All fetchers of a data folder share the request limits, also between processes.
 */
export function openFetcher({ dataDir, tries = TRIES, pauseMs, deps = {}, ...options }: FetcherOptions): Fetcher {
  const clock: Clock = deps.clock ?? (() => new Date())
  const random = deps.random ?? Math.random
  const wait: HostLimitDeps['sleep'] = deps.sleep ?? ((ms, signal) => sleep(ms, undefined, signal && { signal }))
  const exchange = openExchange(options)
  const hostLimits = openHostLimits(join(dataDir, 'fetch', 'hosts'), { clock, sleep: wait, random }, pauseMs)
  const holdOff = (host: string, { why, afterS }: AskAgain): number => {
    const own = Math.min(FIRST_HOLD_S * 2 ** hostLimits.failures(host), LONGEST_OWN_HOLD_S) * (0.8 + 0.4 * random())
    const seconds = Math.min(Math.max(own, afterS ?? 0), MAX_PAUSE_S)
    hostLimits.pause(host, seconds, why)
    return seconds
  }
  const fetch: Fetcher['fetch'] = async (request, { mostBytes, judge, waiting, signal }) => {
    const address = exchange.addressOf(request.url)
    const { host } = address
    for (let tried = 1; ; tried++) {
      const last = tried >= tries
      const answer = await hostLimits.take(host, () => exchange.ask(request, mostBytes, signal), waiting, signal)
      if ('again' in answer) {
        const seconds = holdOff(host, answer.again)
        if (last || (answer.again.afterS ?? 0) > MAX_PAUSE_S) throw unreachable(host, answer.again, seconds, clock)
        continue
      }
      const verdict = judge(answer.body.bytes)
      if (verdict.good) hostLimits.answered(host)
      else if (verdict.shutOut) holdOff(host, { why: verdict.why, afterS: null })
      if (verdict.good || last) return { ...answer.body, fetchedAt: taipei(clock()), askedAt: address.href }
    }
  }
  return { settings: options, fetch, close: exchange.close }
}

const unreachable = (host: string, { why }: AskAgain, seconds: number, clock: Clock): Refusal =>
  commandRefusal(
    'overloaded',
    { rule: 'source_unreachable', host },
    `No data from ${host}: ${why}. The next request is sent after ${taipei(new Date(clock().getTime() + seconds * 1_000)).slice(11, 16)} (Taipei), because exchanges block frequent callers for about half an hour. Fetched files are stored; run the command again then to resume.`,
  )
