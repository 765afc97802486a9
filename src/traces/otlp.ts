import type { Span } from './span.ts'

export interface Resource {
  readonly name: string
  readonly version: string
}

const KINDS = { internal: 1, server: 2 } as const
/** Status of failed spans. OpenTelemetry forbids servers to set a status on other spans. */
const STATUS_ERROR = 2

/** Encodes OTLP JSON, the body of `/v1/traces`. */
export function otlpText(spans: readonly Span[], { name, version }: Resource): string {
  const attributes = attributesOf({ 'service.name': name, 'service.version': version, 'process.pid': process.pid })
  const scopeSpans = [{ scope: { name: 'twmd', version }, spans: spans.map(otlpSpan) }]
  return JSON.stringify({ resourceSpans: [{ resource: { attributes }, scopeSpans }] })
}

const otlpSpan = ({ traceId, spanId, parentId, name, kind, from, to, attributes, failure }: Span) => ({
  traceId,
  spanId,
  ...(parentId !== null && { parentSpanId: parentId }),
  name,
  kind: KINDS[kind],
  startTimeUnixNano: nanoseconds(from),
  endTimeUnixNano: nanoseconds(Math.max(from, to)),
  attributes: attributesOf(attributes),
  status: failure === null ? {} : { code: STATUS_ERROR },
})

/** Returns text, because JSON cannot represent such large integers. */
const nanoseconds = (ms: number): string => String(BigInt(Math.round(ms * 1_000)) * 1_000n)

const attributesOf = (attributes: Readonly<Record<string, string | number>>) =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) },
  }))
