import { randomBytes } from 'node:crypto'

/** A timed piece of work. */
export interface Span {
  /** Ids of 32 and 16 hexadecimal digits. */
  readonly traceId: string
  readonly spanId: string
  /** Null for the root span. */
  readonly parentId: string | null
  readonly name: string
  /** `server` for an answered request, `internal` for other work. */
  readonly kind: 'server' | 'internal'
  /** Milliseconds since 1970, with fractions. */
  readonly from: number
  readonly to: number
  readonly attributes: Readonly<Record<string, string | number>>
  /** Status or code of the failure. Null if it succeeded. */
  readonly failure: string | null
}

/** Parent span in another process. */
export interface TraceParent {
  readonly traceId: string
  readonly spanId: string
  /** True if the caller records the trace. */
  readonly sampled: boolean
}

export const newTraceId = (): string => randomBytes(16).toString('hex')
export const newSpanId = (): string => randomBytes(8).toString('hex')

/**
 * Returns a function that converts monotonic times to ms since 1970. Create one function per trace,
 * so that its spans use the same offset. Offsets of different traces can differ, because clocks
 * drift and the wall clock can be set.
 */
export function createWallClock(): (monotonicMs: number) => number {
  const offset = Date.now() - performance.now()
  return monotonicMs => offset + monotonicMs
}

const ALL_ZERO = /^0+$/

/**
 * Parses a `traceparent` header (W3C Trace Context).
 *
 * @returns undefined if there is no valid header; a new trace starts in that case
 */
export function parseTraceparent(header: unknown): TraceParent | undefined {
  if (typeof header !== 'string') return undefined
  const [, version, traceId = '', spanId = '', flags = '', more] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/.exec(header) ?? []
  // Version 00 ends after the flags. Later versions may continue. Version ff is invalid.
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (ALL_ZERO.test(traceId) || ALL_ZERO.test(spanId)) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/**
 * The stages of a piece of work as consecutive child spans.
 *
 * @param stages milliseconds, in order
 * @param from milliseconds since 1970
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
