import { z } from 'zod'
import { listed } from './environment.ts'

/** Where traces are sent. */
export interface TraceSettings {
  readonly url: string
  /** Sent with them; they may hold a credential. */
  readonly headers: Readonly<Record<string, string>>
  /** The name this service goes by there. */
  readonly service: string
  /** Share of requests that are traced where their sender does not say, from 0 to 1. */
  readonly ratio: number
}

const isCollector = (text: string): boolean => /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).search === ''

/** A name of a header, and its value percent-encoded. */
function isPair(text: string): boolean {
  try {
    return /^[\w-]+\s*=/.test(text) && decodeURIComponent(text) !== ''
  } catch {
    return false
  }
}

/** Address of a collector. */
export const Collector = z
  .string()
  .refine(text => isCollector(text), 'must be an address such as http://127.0.0.1:4318, without a query')
  .optional()
/** Pairs of names and values, separated by commas. */
export const TraceHeaders = z
  .string()
  .refine(
    text => listed(text).every(isPair),
    'must be name=value pairs, separated by commas, with what is special in values percent-encoded',
  )
  .optional()
const SHARE = 'must be a number from 0 to 1'
export const Share = z.coerce.number({ error: SHARE }).min(0, SHARE).max(1, SHARE)

/** Variables of traces, by OpenTelemetry's names. */
interface TraceVariables {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined
  readonly OTEL_EXPORTER_OTLP_HEADERS?: string | undefined
  readonly OTEL_SERVICE_NAME: string
  readonly OTEL_TRACES_SAMPLER_ARG: number
}

/** @returns null where no collector is named */
export function traceSettings(env: TraceVariables): TraceSettings | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: service, OTEL_TRACES_SAMPLER_ARG: ratio } = env
  if (endpoint === undefined) return null
  const pairs = listed(env.OTEL_EXPORTER_OTLP_HEADERS).map(pair => {
    const at = pair.indexOf('=')
    return [pair.slice(0, at).trim().toLowerCase(), decodeURIComponent(pair.slice(at + 1).trim())] as const
  })
  return { url: `${endpoint.replace(/\/+$/, '')}/v1/traces`, headers: Object.fromEntries(pairs), service, ratio }
}
