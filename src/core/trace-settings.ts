import { z } from 'zod'
import { splitList } from './environment.ts'

export interface TraceSettings {
  readonly url: string
  /** HTTP headers for the collector. Can contain credentials. */
  readonly headers: Readonly<Record<string, string>>
  readonly service: string
  /** Share of requests to trace, from 0 to 1. The `traceparent` header has priority. */
  readonly ratio: number
}

const isCollector = (text: string): boolean => /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).search === ''

function isPair(text: string): boolean {
  try {
    return /^[\w-]+\s*=/.test(text) && decodeURIComponent(text) !== ''
  } catch {
    return false
  }
}

export const Collector = z
  .string()
  .refine(text => isCollector(text), 'must be an address without a query, for example http://127.0.0.1:4318')
  .optional()
export const TraceHeaders = z
  .string()
  .refine(text => splitList(text).every(isPair), 'must be name=value pairs separated by commas, with special characters percent-encoded')
  .optional()
const RATIO_RANGE = 'must be a number from 0 to 1'
export const TraceRatio = z.coerce.number({ error: RATIO_RANGE }).min(0, RATIO_RANGE).max(1, RATIO_RANGE)

interface TraceVariables {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined
  readonly OTEL_EXPORTER_OTLP_HEADERS?: string | undefined
  readonly OTEL_SERVICE_NAME: string
  readonly OTEL_TRACES_SAMPLER_ARG: number
}

/** Null if tracing is disabled. */
export function traceSettings(env: TraceVariables): TraceSettings | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: service, OTEL_TRACES_SAMPLER_ARG: ratio } = env
  if (endpoint === undefined) return null
  const pairs = splitList(env.OTEL_EXPORTER_OTLP_HEADERS).map(pair => {
    const separator = pair.indexOf('=')
    return [pair.slice(0, separator).trim().toLowerCase(), decodeURIComponent(pair.slice(separator + 1).trim())] as const
  })
  return { url: `${endpoint.replace(/\/+$/, '')}/v1/traces`, headers: Object.fromEntries(pairs), service, ratio }
}
