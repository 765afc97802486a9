import { newSpanId, newTraceId, type Span, stageSpans, wallClock } from './span.ts'

/** A publication that ended. */
export interface TimedPublication {
  /** Slug. */
  readonly dataset: string
  /** `failed` where it threw. */
  readonly status: 'published' | 'unchanged' | 'refused' | 'failed'
  readonly release: string | null
  /** When it began and how long it took, by the process's monotonic clock, in milliseconds. */
  readonly since: number
  readonly ms: number
  /** Milliseconds by stage, in order. */
  readonly stages: Readonly<Record<string, number>>
}

/** A publication as a trace of its own, with its stages inside. */
export function publicationSpans({ dataset, status, release, since, ms, stages }: TimedPublication): readonly Span[] {
  const wallTime = wallClock()
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
