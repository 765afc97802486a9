import { randomBytes } from 'node:crypto'

/** A piece of work with its beginning and end. */
export interface Span {
  /** 32 and 16 hexadecimal digits. */
  readonly traceId: string
  readonly spanId: string
  /** Null for the first of a trace. */
  readonly parentId: string | null
  readonly name: string
  /** A request that was answered, or work inside the process. */
  readonly kind: 'server' | 'internal'
  /** Milliseconds since 1970, with fractions. */
  readonly from: number
  readonly to: number
  readonly attributes: Readonly<Record<string, string | number>>
  /** What it failed of, as a status or a code; null where it did not. */
  readonly failure: string | null
}

/** Where a piece of work belongs in what others do. */
export interface Parent {
  readonly traceId: string
  readonly spanId: string
  /** Who began the trace records it. */
  readonly sampled: boolean
}

export const newTraceId = (): string => randomBytes(16).toString('hex')
export const newSpanId = (): string => randomBytes(8).toString('hex')

/**
 * Milliseconds since 1970 of moments of the process's monotonic clock, by the wall clock of now: over weeks the two part, and the wall clock
 * is set. To be asked for once a trace, so that its spans lie as they were.
 */
export function wallClock(): (at: number) => number {
  const offset = Date.now() - performance.now()
  return at => offset + at
}

const NOTHING = /^0+$/

/**
 * What a `traceparent` header says, as W3C Trace Context has it.
 *
 * @returns undefined for none, and for one that is not understood: then a trace of its own begins
 */
export function parentOf(header: unknown): Parent | undefined {
  if (typeof header !== 'string') return undefined
  const [, version, traceId = '', spanId = '', flags = '', more] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/.exec(header) ?? []
  // Version 00 ends with the flags; later ones may go on, and ff is none.
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (NOTHING.test(traceId) || NOTHING.test(spanId)) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** The stages of a piece of work as spans inside it, one behind the other. @param stages milliseconds, in order @param from milliseconds since 1970 */
export function stageSpans(
  { traceId, spanId }: Pick<Span, 'traceId' | 'spanId'>,
  stages: Readonly<Record<string, number>>,
  from: number,
): readonly Span[] {
  let at = from
  return Object.entries(stages).map(([name, ms]) => {
    const began = at
    at += ms
    const own = { traceId, spanId: newSpanId(), parentId: spanId, name, kind: 'internal', attributes: {}, failure: null } as const
    return { ...own, from: began, to: at }
  })
}
