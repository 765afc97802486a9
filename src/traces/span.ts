import { randomBytes } from 'node:crypto'

/** A piece of work with its start and end. */
export interface Span {
  /** Id of the trace, 32 hexadecimal digits. `spanId` has 16 digits. */
  readonly traceId: string
  readonly spanId: string
  /** Parent of the span. Null if the span has no parent. */
  readonly parentId: string | null
  readonly name: string
  /** `server` for a request that the service answered, `internal` for other work. */
  readonly kind: 'server' | 'internal'
  /** Start in ms since 1970, with fractions. `to` is the end. */
  readonly from: number
  readonly to: number
  readonly attributes: Readonly<Record<string, string | number>>
  /** Status or error code. Null if the work succeeded. */
  readonly failure: string | null
}

/** Parent span, which another process started. */
export interface TraceParent {
  readonly traceId: string
  readonly spanId: string
  /** True if the other process records the trace. */
  readonly sampled: boolean
}

export const newTraceId = (): string => randomBytes(16).toString('hex')
export const newSpanId = (): string => randomBytes(8).toString('hex')

/**
 * Returns a function that converts times of the monotonic clock to ms since 1970. Use one function
 * per trace, so that all its spans have the same offset. The offsets of two functions can differ,
 * because clocks drift and the wall clock can be set.
 */
export function createWallClock(): (monotonicMs: number) => number {
  const offset = Date.now() - performance.now()
  return monotonicMs => offset + monotonicMs
}

const ALL_ZERO = /^0+$/

/**
 * Parses a `traceparent` header (W3C Trace Context).
 *
 * @returns undefined if the header is absent or invalid; the caller then starts a new trace
 */
export function parseTraceparent(header: unknown): TraceParent | undefined {
  if (typeof header !== 'string') return undefined
  const [, version, traceId = '', spanId = '', flags = '', more] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/.exec(header) ?? []
  // Version 00 ends after the flags. Later versions may have more fields. Version ff is invalid.
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (ALL_ZERO.test(traceId) || ALL_ZERO.test(spanId)) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/**
 * Converts the stages of a piece of work to consecutive child spans.
 *
 * @param stages duration of each stage in ms, in the order of the stages
 * @param from start of the first stage in ms since 1970
 */
export function stageSpans(
  { traceId, spanId }: Pick<Span, 'traceId' | 'spanId'>,
  stages: Readonly<Record<string, number>>,
  from: number,
): readonly Span[] {
  let end = from
  return Object.entries(stages).map(([name, ms]) => {
    const start = end
    end += ms
    const span = { traceId, spanId: newSpanId(), parentId: spanId, name, kind: 'internal', attributes: {}, failure: null } as const
    return { ...span, from: start, to: end }
  })
}
