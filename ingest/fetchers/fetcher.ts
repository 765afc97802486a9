import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, commandRefusal, type FetchSettings, type Refusal, taipei } from '../../src/core/index.ts'
import type { FetchRequest } from '../formats/index.ts'
import { type AskAgain, type ExchangeOptions, type FetchedBody, openExchange } from './exchange.ts'
import { LONGEST_HOLD_S, openTurns, type TurnDeps } from './turns.ts'

/** A body, and when and where it was fetched. */
export interface Fetched extends FetchedBody {
  /** RFC 3339 in Taipei. */
  readonly fetchedAt: string
  /** Where it was asked for: the request's own address, or that under the base set for its host. */
  readonly askedAt: string
}

/** What a body that arrived is found to be: good, another answer than was asked for, or a sign that the source shuts us out. */
export type Verdict = { readonly good: true } | { readonly good: false; readonly shutOut: boolean; readonly why: string }

export interface FetchOneOptions {
  readonly mostBytes: number
  /** Judges a body right after it arrived. One that is not good is asked for again, and after the last try given back all the same. */
  readonly judge: (bytes: Uint8Array) => Verdict
  readonly waiting?: (seconds: number, why: string) => void
  readonly signal?: AbortSignal
}

/** Asks public sources, politely: at most one request at a time, at most one in three seconds of each host, later where a host fails. */
export interface Fetcher {
  readonly settings: FetchSettings
  /** @throws Refusal overloaded where the source does not answer after several tries; body_refused where asking again would not help */
  fetch(request: FetchRequest, options: FetchOneOptions): Promise<Fetched>
  close(): Promise<void>
}

export interface FetcherOptions extends FetchSettings, Pick<ExchangeOptions, 'version' | 'silenceMs' | 'longestMs'> {
  readonly dataDir: string
  readonly tries?: number
  /** Least time between two requests of a host; three seconds where absent, none for this machine itself. */
  readonly pauseMs?: number
  readonly deps?: Partial<TurnDeps>
}

const TRIES = 4
/** First pause after a failure, doubled with each further one. A host that shuts somebody out does so for half an hour. */
const FIRST_HOLD_S = 30
const LONGEST_OWN_HOLD_S = 1_800

/** Opens what asks sources for one data folder, whose other processes take turns with it. */
export function openFetcher({ dataDir, tries = TRIES, pauseMs, deps = {}, ...options }: FetcherOptions): Fetcher {
  const clock: Clock = deps.clock ?? (() => new Date())
  const random = deps.random ?? Math.random
  const wait: TurnDeps['sleep'] = deps.sleep ?? ((ms, signal) => sleep(ms, undefined, signal && { signal }))
  const exchange = openExchange(options)
  const turns = openTurns(join(dataDir, 'fetch', 'hosts'), { clock, sleep: wait, random }, pauseMs)
  const holdOff = (host: string, { why, afterS }: AskAgain): number => {
    const own = Math.min(FIRST_HOLD_S * 2 ** turns.failures(host), LONGEST_OWN_HOLD_S) * (0.8 + 0.4 * random())
    const seconds = Math.min(Math.max(own, afterS ?? 0), LONGEST_HOLD_S)
    turns.holdOff(host, seconds, why)
    return seconds
  }
  const fetch: Fetcher['fetch'] = async (request, { mostBytes, judge, waiting, signal }) => {
    const address = exchange.addressOf(request.url)
    const { host } = address
    for (let tried = 1; ; tried++) {
      const last = tried >= tries
      const answer = await turns.take(host, () => exchange.ask(request, mostBytes, signal), waiting, signal)
      if ('again' in answer) {
        const seconds = holdOff(host, answer.again)
        if (last || (answer.again.afterS ?? 0) > LONGEST_HOLD_S) throw unreachable(host, answer.again, seconds, clock)
        continue
      }
      const verdict = judge(answer.body.bytes)
      if (verdict.good) turns.answered(host)
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
    `${host} gives nothing: ${why}. It is left alone until ${taipei(new Date(clock().getTime() + seconds * 1_000)).slice(11, 16)} in Taipei; exchanges shut out for about half an hour who asks too often. What came before is kept, and the command goes on where it was.`,
  )
