import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import type { Log, TraceSettings } from '../core/index.ts'
import { otlpText } from './otlp.ts'
import { publicationSpans, type TimedPublication } from './publication.ts'
import { requestSpans, type TracedRequest } from './request.ts'
import { parentOf, type Span } from './span.ts'

/** Spans on their way to a collector. Nothing of it fails or waits for the collector: what cannot be sent is dropped, and the log says so. */
export interface Traces {
  /** @param traceparent the header of that name, as it came */
  request(request: TracedRequest, traceparent: unknown): void
  publication(publication: TimedPublication): void
  /** Sends what there is, for a bounded time. */
  close(): Promise<void>
}

export interface TracesDeps {
  readonly settings: TraceSettings
  readonly log: Log
  /** From 0 up to 1, for what is recorded of requests that begin a trace; `Math.random` when absent. */
  readonly random?: () => number
}

/** Spans that wait; beyond, they are dropped. */
const MOST = 4_096
/** Spans that are sent as soon as there are as many. */
const ENOUGH = 512
const EVERY_MS = 5_000
const TIMEOUT_MS = 10_000
const CLOSING_MS = 2_000
/** Milliseconds between log lines about spans that were dropped. */
const SAID_EVERY_MS = 60_000

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { readonly version: string }

export function openTraces({ settings: { url, headers, service, ratio }, log, random = Math.random }: TracesDeps): Traces {
  let waiting: Span[] = []
  let [dropped, silentUntil] = [0, Number.NEGATIVE_INFINITY]
  let sending: Promise<void> = Promise.resolve()
  let running = false
  const drop = (spans: number, error: string): void => {
    dropped += spans
    if (performance.now() < silentUntil) return
    log('failed', { during: 'sending traces', error, dropped })
    dropped = 0
    silentUntil = performance.now() + SAID_EVERY_MS
  }
  const send = async (spans: readonly Span[]): Promise<void> => {
    try {
      const options = { headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS, signal: AbortSignal.timeout(TIMEOUT_MS) }
      const body = otlpText(spans, { name: service, version })
      const answer = await request(url, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body, ...options })
      await answer.body.dump()
      if (answer.statusCode >= 300) drop(spans.length, `the collector answered ${answer.statusCode}`)
    } catch (error) {
      drop(spans.length, (error as NodeJS.ErrnoException).code ?? (error as Error).name)
    }
  }
  const sendAll = async (): Promise<void> => {
    running = true
    while (waiting.length > 0) {
      const spans = waiting
      waiting = []
      await send(spans)
    }
    running = false
  }
  const flush = (): void => {
    if (!running && waiting.length > 0) sending = sendAll()
  }
  const add = (spans: readonly Span[]): void => {
    if (waiting.length + spans.length > MOST) return drop(spans.length, 'the collector takes them too slowly')
    waiting.push(...spans)
    if (waiting.length >= ENOUGH) flush()
  }
  const timer = setInterval(flush, EVERY_MS)
  timer.unref()
  return {
    request(answered, traceparent) {
      const parent = parentOf(traceparent)
      if (parent ? parent.sampled : random() < ratio) add(requestSpans(answered, parent))
    },
    publication: publication => add(publicationSpans(publication)),
    async close() {
      clearInterval(timer)
      flush()
      await Promise.race([sending, sleep(CLOSING_MS, undefined, { ref: false })])
    },
  }
}
