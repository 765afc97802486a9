import { createWallClock, newSpanId, newTraceId, type Span, stageSpans, type TraceParent } from './span.ts'

export interface TracedRequest {
  readonly requestId: string
  readonly method: string
  /** Null if no route matched. */
  readonly route: string | null
  /** 499 if the client disconnected before the response was complete. */
  readonly status: number
  /** Start in ms of the monotonic clock. `ms` is the duration. */
  readonly since: number
  readonly ms: number
  readonly bytes: number
  /** Duration of each stage in ms, and start of the first stage. Null if there are no stages. */
  readonly time: { readonly startedAt: number; readonly laps: Readonly<Record<string, number>> } | null
}

const CLIENT_DISCONNECTED = 499

/** One child span per stage. Contains no data about the caller. */
export function requestSpans(
  { requestId, method, route, status, since, ms, bytes, time }: TracedRequest,
  parent: TraceParent | undefined,
): readonly Span[] {
  const wallTime = createWallClock()
  const ids = { traceId: parent?.traceId ?? newTraceId(), spanId: newSpanId() }
  const failure = status >= 500 ? String(status) : null
  const span: Span = {
    ...ids,
    parentId: parent?.spanId ?? null,
    name: route === null ? method : `${method} ${route}`,
    kind: 'server',
    from: wallTime(since),
    to: wallTime(since + ms),
    attributes: {
      'http.request.method': method,
      ...(route !== null && { 'http.route': route }),
      ...(status !== CLIENT_DISCONNECTED && { 'http.response.status_code': status }),
      ...(status === CLIENT_DISCONNECTED && { 'twmd.caller_left': 'true' }),
      ...(failure !== null && { 'error.type': failure }),
      'http.response.body.size': bytes,
      'twmd.request_id': requestId,
    },
    failure,
  }
  return time ? [span, ...stageSpans(ids, time.laps, wallTime(time.startedAt))] : [span]
}
