import type { Span } from './span.ts'

/** What tells this process from others. */
export interface Resource {
  /** Name of the service. */
  readonly name: string
  readonly version: string
}

const KINDS = { internal: 1, server: 2 } as const
/** Of a span that failed; a span that did not leaves its status unset, as is the custom for servers. */
const ERROR = 2

/** Spans in the JSON of OTLP, as a collector takes it at `/v1/traces`. */
export function otlpText(spans: readonly Span[], { name, version }: Resource): string {
  const attributes = attributesOf({ 'service.name': name, 'service.version': version, 'process.pid': process.pid })
  const scopeSpans = [{ scope: { name: 'twmd', version }, spans: spans.map(spanOf) }]
  return JSON.stringify({ resourceSpans: [{ resource: { attributes }, scopeSpans }] })
}

const spanOf = ({ traceId, spanId, parentId, name, kind, from, to, attributes, failure }: Span) => ({
  traceId,
  spanId,
  ...(parentId !== null && { parentSpanId: parentId }),
  name,
  kind: KINDS[kind],
  startTimeUnixNano: nanoseconds(from),
  endTimeUnixNano: nanoseconds(Math.max(from, to)),
  attributes: attributesOf(attributes),
  status: failure === null ? {} : { code: ERROR },
})

/** As text: the number is larger than JSON's readers keep exactly. */
const nanoseconds = (ms: number): string => String(BigInt(Math.round(ms * 1_000)) * 1_000n)

const attributesOf = (attributes: Readonly<Record<string, string | number>>) =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) },
  }))
