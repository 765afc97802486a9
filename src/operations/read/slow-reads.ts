import { type Clock, HOUR_MS, taipei } from '../../core/index.ts'

/** A slow read, without parameters. */
export interface SlowRead {
  readonly at: string
  readonly request_id: string
  /** Slug of a dataset, or name of another product. */
  readonly product: string
  readonly release: string | null
  /** Account and key are null for visitors. */
  readonly account: string | null
  readonly key: string | null
  readonly rows: number
  /** Total duration in ms. `stages` lists the duration of each stage in ms. */
  readonly ms: number
  readonly stages: Readonly<Record<string, number>>
}

export interface MeasuredRead extends Omit<SlowRead, 'at' | 'ms'> {
  readonly format: string
  readonly credits: number
}

/** The slowest reads of the last hour. Lost at a restart. */
export interface SlowReads {
  record(read: MeasuredRead): void
  list(): readonly SlowRead[]
}

const MAX_READS = 50

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
