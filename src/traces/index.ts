/** Requests and publications as OpenTelemetry spans, sent by OTLP. */
export type { TimedPublication } from './publication.ts'
export type { TracedRequest } from './request.ts'
export { openTraces, type Traces } from './traces.ts'
