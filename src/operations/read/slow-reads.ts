import { type Clock, HOUR_MS, taipei } from '../../core/index.ts'

/**
 * A slow read. Does not contain parameters. The request id identifies the read in the log and in
 * the ledger.
 */
export interface SlowRead {
  readonly at: string
  readonly request_id: string
  /** Slug of the dataset, or another product's name. */
  readonly product: string
  readonly release: string | null
  /** Null for visitors, like `key`. */
  readonly account: string | null
  readonly key: string | null
  readonly rows: number
  /** Total milliseconds. `stages` has the milliseconds of each stage. */
  readonly ms: number
  readonly stages: Readonly<Record<string, number>>
}

/** An answered read. */
export interface MeasuredRead extends Omit<SlowRead, 'at' | 'ms'> {
  /** Format of the answer, such as `csv`. */
  readonly format: string
  readonly credits: number
}

/** The slowest reads of the last hour, in memory. */
export interface SlowReads {
  /** Stores a read if it is among the slowest. */
  record(read: MeasuredRead): void
  /** Slowest first. */
  list(): readonly SlowRead[]
}

/** Maximum stored reads. A faster read costs only one comparison. */
const MAX_READS = 50

/** @param onRead receives every read */
export function createSlowReads(clock: Clock, onRead?: (read: MeasuredRead) => void): SlowReads {
  let slowest: (SlowRead & { readonly time: number })[] = []
  let fastest = 0
  let nextExpiry = Number.POSITIVE_INFINITY
  const replace = (reads: typeof slowest): void => {
    slowest = reads.sort((one, other) => other.ms - one.ms).slice(0, MAX_READS)
    fastest = slowest.length < MAX_READS ? 0 : slowest.at(-1)!.ms
    nextExpiry = Math.min(...slowest.map(({ time }) => time)) + HOUR_MS
  }
  const removeExpired = (now: number): void => {
    if (now >= nextExpiry) replace(slowest.filter(({ time }) => now < time + HOUR_MS))
  }
  return {
    record(measured) {
      onRead?.(measured)
      const { format: _format, credits: _credits, stages, ...read } = measured
      let ms = 0
      for (const stage in stages) ms += stages[stage]!
      const now = clock()
      removeExpired(now.getTime())
      if (ms <= fastest) return
      replace([...slowest, { at: taipei(now), ...read, ms: Math.round(ms * 100) / 100, stages: { ...stages }, time: now.getTime() }])
    },
    list() {
      removeExpired(clock().getTime())
      return slowest.map(({ time: _, ...read }) => read)
    },
  }
}
