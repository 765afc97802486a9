import { ENCODERS } from '../formats/index.ts'
import { type AttemptListener, OUTCOMES } from '../webhooks/index.ts'
import { createCounter, createHistogram, createLabelMap } from './instruments.ts'
import type { Samples } from './text.ts'

export interface AnsweredRequest {
  readonly method: string
  /** Null if no route matched. */
  readonly route: string | null
  readonly status: number
  readonly ms: number
  readonly bytes: number
  readonly type: string | undefined
}

export interface AnsweredRead {
  readonly product: string
  readonly format: string
  readonly rows: number
  readonly credits: number
  readonly stages: Readonly<Record<string, number>>
}

/** Updates never fail and never block. */
export type Counts = ReturnType<typeof createCounts>

const FORMAT_BY_MEDIA_TYPE = new Map<string, string>(
  Object.entries(ENCODERS).map(([format, { mediaType }]) => [plainType(mediaType), format]),
)
function plainType(type: string): string {
  return type.split(';', 1)[0]!.trim()
}
const formatOf = (type: string): string => FORMAT_BY_MEDIA_TYPE.get(plainType(type)) ?? (plainType(type) === 'text/html' ? 'page' : 'other')

const NO_ROUTE = 'none'
const UNKNOWN_METHOD = 'none'
/** Label of requests with status 405, whose method can be any text. */
const OTHER = 'other'
const NOT_ALLOWED = 405

export function createCounts() {
  const routes = createLabelMap((_: string) =>
    createLabelMap((_: string) => ({ duration: createHistogram(), statuses: createLabelMap((_: number) => createCounter()) })),
  )
  const types = createLabelMap((type: string) => formats.get(formatOf(type)))
  const formats = createLabelMap((_: string) => createCounter())
  const refusals = createLabelMap((_: string) => createCounter())
  const products = createLabelMap((_: string) => ({ reads: 0, credits: 0 }))
  const rows = createLabelMap((_: string) => createCounter())
  const stages = createLabelMap((_: string) => createHistogram())
  const attempts = createLabelMap((_: string) => createCounter())
  for (const outcome of OUTCOMES) attempts.get(outcome)
  const engineWait = createHistogram()
  const engineBusy = createHistogram()
  const ledgerCommit = createHistogram()
  const ledgerEntries = createCounter()
  return {
    request({ method, route, status, ms, bytes, type }: AnsweredRequest): void {
      const counts = routes.get(route ?? NO_ROUTE).get(status === NOT_ALLOWED ? OTHER : method)
      counts.duration.observe(ms / 1_000)
      counts.statuses.get(status).value++
      if (type !== undefined && bytes > 0) types.get(type).value += bytes
    },
    refusal(code: string): void {
      refusals.get(code).value++
    },
    malformedRequest(status: number, code: string): void {
      routes.get(NO_ROUTE).get(UNKNOWN_METHOD).statuses.get(status).value++
      refusals.get(code).value++
    },
    read({ product: productName, format, rows: rowCount, credits, stages: stageTimes }: AnsweredRead): void {
      const product = products.get(productName)
      product.reads++
      product.credits += credits
      rows.get(format).value += rowCount
      for (const stage in stageTimes) stages.get(stage).observe(stageTimes[stage]! / 1_000)
    },
    /**
     * @param waitMs time until a connection was free
     * @param busyMs time on the connection
     */
    engineRead(waitMs: number, busyMs: number): void {
      engineWait.observe(waitMs / 1_000)
      engineBusy.observe(busyMs / 1_000)
    },
    commit(ms: number, size: number): void {
      ledgerCommit.observe(ms / 1_000)
      ledgerEntries.value += size
    },
    webhook(outcome: Parameters<AttemptListener>[0]): void {
      attempts.get(outcome).value++
    },
    samples(): Samples {
      const methodsOfRoutes = routes
        .entries()
        .flatMap(([route, methods]) => methods.entries().map(([method, counters]) => ({ route, method, ...counters })))
      return {
        twmd_requests_total: methodsOfRoutes.flatMap(({ route, method, statuses }) =>
          statuses.entries().map(([status, { value }]) => [value, method, route, String(status)] as const),
        ),
        twmd_request_duration_seconds: methodsOfRoutes
          .filter(({ method }) => method !== UNKNOWN_METHOD)
          .map(({ route, method, duration }) => [duration.state(), method, route]),
        twmd_response_bytes_total: valuesOf(formats),
        twmd_refusals_total: valuesOf(refusals),
        twmd_reads_total: products.entries().map(([product, { reads }]) => [reads, product]),
        twmd_credits_charged_total: products.entries().map(([product, { credits }]) => [credits, product]),
        twmd_rows_total: valuesOf(rows),
        twmd_read_stage_seconds: stages.entries().map(([stage, histogram]) => [histogram.state(), stage]),
        twmd_engine_wait_seconds: [[engineWait.state()]],
        twmd_engine_read_seconds: [[engineBusy.state()]],
        twmd_ledger_commit_seconds: [[ledgerCommit.state()]],
        twmd_ledger_entries_total: [[ledgerEntries.value]],
        twmd_webhook_attempts_total: valuesOf(attempts),
      }
    },
  }
}

const valuesOf = (counters: { entries(): readonly (readonly [string, { readonly value: number }])[] }) =>
  counters.entries().map(([label, { value }]) => [value, label] as const)
