import { randomBytes } from 'node:crypto'

export interface Span {
  /** 32 hexadecimal digits. `spanId` has 16 digits. */
  readonly traceId: string
  readonly spanId: string
  readonly parentId: string | null
  readonly name: string
  /** `server` for a request, `internal` for other work. */
  readonly kind: 'server' | 'internal'
  /** Start in ms since 1970, with fractions. `to` is the end. */
  readonly from: number
  readonly to: number
  readonly attributes: Readonly<Record<string, string | number>>
  /** Status or error code. Null after success. */
  readonly failure: string | null
}

export interface TraceParent {
  readonly traceId: string
  readonly spanId: string
  /** True if the other process records the trace. */
  readonly sampled: boolean
}

export const newTraceId = (): string => randomBytes(16).toString('hex')
export const newSpanId = (): string => randomBytes(8).toString('hex')

/**
 * Converts monotonic times to ms since 1970. All spans of a trace must use the same function.
 * Offsets differ between functions, because clocks drift and can be set.
 */
export function createWallClock(): (monotonicMs: number) => number {
  const offset = Date.now() - performance.now()
  return monotonicMs => offset + monotonicMs
}

const ALL_ZERO = /^0+$/

/**
 * Parses a `traceparent` header (W3C Trace Context).
 *
 * @returns undefined if the header is absent or invalid
 */
export function parseTraceparent(header: unknown): TraceParent | undefined {
  if (typeof header !== 'string') return undefined
  const [, version, traceId = '', spanId = '', flags = '', more] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/.exec(header) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (ALL_ZERO.test(traceId) || ALL_ZERO.test(spanId)) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/**
 * @param stages duration of each stage in ms, in order
 * @param from the start of the first stage in ms since 1970
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
