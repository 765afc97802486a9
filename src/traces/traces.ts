import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import type { Log, TraceSettings } from '../core/index.ts'
import { otlpText } from './otlp.ts'
import { publicationSpans, type TimedPublication } from './publication.ts'
import { requestSpans, type TracedRequest } from './request.ts'
import { parseTraceparent, type Span } from './span.ts'

/**
 * Sends spans to a collector. Never throws or waits. Spans that cannot be sent are dropped and
 * logged.
 */
export interface Traces {
  request(request: TracedRequest, traceparent: unknown): void
  publication(publication: TimedPublication): void
  /** Sends the pending spans. Gives up after 2 s. */
  close(): Promise<void>
}

export interface TracesDeps {
  readonly settings: TraceSettings
  readonly log: Log
  /** Returns a number from 0 to 1, for sampling. */
  readonly random?: () => number
}

/** Maximum number of waiting spans. Further spans are dropped. */
const MAX_PENDING = 4_096
const BATCH_SPANS = 512
const INTERVAL_MS = 5_000
const TIMEOUT_MS = 10_000
const CLOSE_TIMEOUT_MS = 2_000
const LOG_INTERVAL_MS = 60_000

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { readonly version: string }

export function openTraces({ settings: { url, headers, service, ratio }, log, random = Math.random }: TracesDeps): Traces {
  let pending: Span[] = []
  let dropped = 0
  let silentUntil = Number.NEGATIVE_INFINITY
  let sending: Promise<void> = Promise.resolve()
  let running = false
  const drop = (spans: number, error: string): void => {
    dropped += spans
    if (performance.now() < silentUntil) return
    log('failed', { during: 'sending traces', error, dropped })
    dropped = 0
    silentUntil = performance.now() + LOG_INTERVAL_MS
  }
  const send = async (spans: readonly Span[]): Promise<void> => {
    try {
      const options = { headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS, signal: AbortSignal.timeout(TIMEOUT_MS) }
      const body = otlpText(spans, { name: service, version })
      const response = await request(url, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body, ...options })
      await response.body.dump()
      if (response.statusCode >= 300) drop(spans.length, `the collector responded with status ${response.statusCode}`)
    } catch (error) {
      drop(spans.length, (error as NodeJS.ErrnoException).code ?? (error as Error).name)
    }
  }
  const sendAll = async (): Promise<void> => {
    running = true
    while (pending.length > 0) {
      const spans = pending
      pending = []
      await send(spans)
    }
    running = false
  }
  const flush = (): void => {
    if (!running && pending.length > 0) sending = sendAll()
  }
  const add = (spans: readonly Span[]): void => {
    if (pending.length + spans.length > MAX_PENDING) return drop(spans.length, 'the collector is too slow')
    pending.push(...spans)
    if (pending.length >= BATCH_SPANS) flush()
  }
  const timer = setInterval(flush, INTERVAL_MS)
  timer.unref()
  return {
    request(tracedRequest, traceparent) {
      const parent = parseTraceparent(traceparent)
      if (parent ? parent.sampled : random() < ratio) add(requestSpans(tracedRequest, parent))
    },
    publication: publication => add(publicationSpans(publication)),
    async close() {
      clearInterval(timer)
      flush()
      await Promise.race([sending, sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })])
    },
  }
}
