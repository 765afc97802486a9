/** Sends requests and publications as OpenTelemetry spans over OTLP. */
export type { TimedPublication } from './publication.ts'
export type { TracedRequest } from './request.ts'
export { openTraces, type Traces } from './traces.ts'
