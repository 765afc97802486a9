/** Requests and publications as spans, sent to a collector of OpenTelemetry over OTLP. */
export type { TimedPublication } from './publication.ts'
export type { TracedRequest } from './request.ts'
export { openTraces, type Traces } from './traces.ts'
