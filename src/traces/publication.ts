import { createWallClock, newSpanId, newTraceId, type Span, stageSpans } from './span.ts'

export interface TimedPublication {
  readonly dataset: string
  /** `failed` if the publication threw an error. */
  readonly status: 'published' | 'unchanged' | 'refused' | 'failed'
  readonly release: string | null
  /** Start in ms of the monotonic clock. `ms` is the duration. */
  readonly since: number
  readonly ms: number
  /** Duration of each stage in ms, in order. */
  readonly stages: Readonly<Record<string, number>>
}

export function publicationSpans({ dataset, status, release, since, ms, stages }: TimedPublication): readonly Span[] {
  const wallTime = createWallClock()
  const ids = { traceId: newTraceId(), spanId: newSpanId() }
  const failed = status === 'refused' || status === 'failed'
  const span: Span = {
    ...ids,
    parentId: null,
    name: `publish ${dataset}`,
    kind: 'internal',
    from: wallTime(since),
    to: wallTime(since + ms),
    attributes: { 'twmd.dataset': dataset, 'twmd.outcome': status, ...(release !== null && { 'twmd.release': release }) },
    failure: failed ? status : null,
  }
  return [span, ...stageSpans(ids, stages, wallTime(since))]
}
