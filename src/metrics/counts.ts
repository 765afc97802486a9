import { ENCODERS } from '../formats/index.ts'
import { type AttemptListener, OUTCOMES } from '../webhooks/index.ts'
import { createCounter, createEach, createHistogram } from './instruments.ts'
import type { Samples } from './text.ts'

/** A request whose answer is over. */
export interface AnsweredRequest {
  readonly method: string
  /** As the router has it; null where there is none. */
  readonly route: string | null
  readonly status: number
  /** Milliseconds from the request to the end of its answer. */
  readonly ms: number
  /** Of the body, as sent. */
  readonly bytes: number
  /** Value of its `Content-Type`; undefined where there is none. */
  readonly type: string | undefined
}

/** A priced read that was answered. */
export interface AnsweredRead {
  readonly product: string
  readonly format: string
  readonly rows: number
  readonly credits: number
  /** Milliseconds by stage. */
  readonly stages: Readonly<Record<string, number>>
}

/** What rooms count while they work. Nothing of it fails, waits or allocates once a route, a product and a status were seen. */
export type Counts = ReturnType<typeof createCounts>

const MEDIA = new Map<string, string>(Object.entries(ENCODERS).map(([format, { mediaType }]) => [plainType(mediaType), format]))
function plainType(type: string): string {
  return type.split(';', 1)[0]!.trim()
}
const formatOf = (type: string): string => MEDIA.get(plainType(type)) ?? (plainType(type) === 'text/html' ? 'page' : 'other')

/** Requests that lead nowhere are of one route. */
const NOWHERE = 'none'
/** The method of what could not be read. */
const UNKNOWN = 'none'
/** Methods that a route does not take, and the status it says so with: there are many, and they are none of its own. */
const [OTHER, NOT_ALLOWED] = ['other', 405]

export function createCounts() {
  const routes = createEach((_: string) =>
    createEach((_: string) => ({ duration: createHistogram(), statuses: createEach((_: number) => createCounter()) })),
  )
  const types = createEach((type: string) => formats.of(formatOf(type)))
  const formats = createEach((_: string) => createCounter())
  const refusals = createEach((_: string) => createCounter())
  const products = createEach((_: string) => ({ reads: 0, credits: 0 }))
  const rows = createEach((_: string) => createCounter())
  const stages = createEach((_: string) => createHistogram())
  const attempts = createEach((_: string) => createCounter())
  for (const outcome of OUTCOMES) attempts.of(outcome)
  const [wait, hold, commit, entries] = [createHistogram(), createHistogram(), createHistogram(), createCounter()]
  return {
    request({ method, route, status, ms, bytes, type }: AnsweredRequest): void {
      const of = routes.of(route ?? NOWHERE).of(status === NOT_ALLOWED ? OTHER : method)
      of.duration.observe(ms / 1_000)
      of.statuses.of(status).value++
      if (type !== undefined && bytes > 0) types.of(type).value += bytes
    },
    refusal(code: string): void {
      refusals.of(code).value++
    },
    /** A request that could not be read as one: its method and path are not known, and neither is when it began. */
    unread(status: number, code: string): void {
      routes.of(NOWHERE).of(UNKNOWN).statuses.of(status).value++
      refusals.of(code).value++
    },
    read({ product, format, rows: sent, credits, stages: laps }: AnsweredRead): void {
      const of = products.of(product)
      of.reads++
      of.credits += credits
      rows.of(format).value += sent
      for (const stage in laps) stages.of(stage).observe(laps[stage]! / 1_000)
    },
    /** A read of the engine's. @param waited milliseconds for a connection @param held milliseconds on it */
    engineRead(waited: number, held: number): void {
      wait.observe(waited / 1_000)
      hold.observe(held / 1_000)
    },
    /** A commit of the ledger's. */
    commit(ms: number, size: number): void {
      commit.observe(ms / 1_000)
      entries.value += size
    },
    /** An attempt to deliver a webhook. */
    webhook(outcome: Parameters<AttemptListener>[0]): void {
      attempts.of(outcome).value++
    },
    samples(): Samples {
      const ways = routes.entries().flatMap(([route, methods]) => methods.entries().map(([method, way]) => ({ route, method, ...way })))
      return {
        twmd_requests_total: ways.flatMap(({ route, method, statuses }) =>
          statuses.entries().map(([status, { value }]) => [value, method, route, String(status)] as const),
        ),
        twmd_request_duration_seconds: ways
          .filter(({ method }) => method !== UNKNOWN)
          .map(({ route, method, duration }) => [duration.state(), method, route]),
        twmd_response_bytes_total: valuesOf(formats),
        twmd_refusals_total: valuesOf(refusals),
        twmd_reads_total: products.entries().map(([product, { reads }]) => [reads, product]),
        twmd_credits_charged_total: products.entries().map(([product, { credits }]) => [credits, product]),
        twmd_rows_total: valuesOf(rows),
        twmd_read_stage_seconds: stages.entries().map(([stage, histogram]) => [histogram.state(), stage]),
        twmd_engine_wait_seconds: [[wait.state()]],
        twmd_engine_read_seconds: [[hold.state()]],
        twmd_ledger_commit_seconds: [[commit.state()]],
        twmd_ledger_entries_total: [[entries.value]],
        twmd_webhook_attempts_total: valuesOf(attempts),
      }
    },
  }
}

const valuesOf = (each: { entries(): readonly (readonly [string, { readonly value: number }])[] }) =>
  each.entries().map(([label, { value }]) => [value, label] as const)
