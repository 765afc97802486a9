import { newSpanId, newTraceId, type Parent, type Span, stageSpans, wallClock } from './span.ts'

/** A request whose answer is over. Times are of the process's monotonic clock, in milliseconds. */
export interface TracedRequest {
  readonly requestId: string
  readonly method: string
  /** As the router has it; null where there is none. */
  readonly route: string | null
  /** 499 where the caller left before the end of the answer. */
  readonly status: number
  /** When it came, and how long it took. */
  readonly since: number
  readonly ms: number
  /** Bytes of the answer's body, as sent. */
  readonly bytes: number
  /** When the first stage began, and milliseconds by stage; null where it had none. */
  readonly time: { readonly began: number; readonly laps: Readonly<Record<string, number>> } | null
}

const CALLER_LEFT = 499

/**
 * A request as a span, with its stages inside. It names the route and not the path, which may name what was asked for, and nothing of who
 * asked: the log and the ledger have that by the request's id.
 */
export function requestSpans(
  { requestId, method, route, status, since, ms, bytes, time }: TracedRequest,
  parent: Parent | undefined,
): readonly Span[] {
  const wallTime = wallClock()
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
      ...(status !== CALLER_LEFT && { 'http.response.status_code': status }),
      ...(status === CALLER_LEFT && { 'twmd.caller_left': 'true' }),
      ...(failure !== null && { 'error.type': failure }),
      'http.response.body.size': bytes,
      'twmd.request_id': requestId,
    },
    failure,
  }
  return time ? [span, ...stageSpans(ids, time.laps, wallTime(time.began))] : [span]
}
