import { type Clock, HOUR_MS, taipei } from '../../core/index.ts'

/** A read that was answered and took long. It names no parameter: the log and the ledger have the request by its id. */
export interface SlowRead {
  readonly at: string
  readonly request_id: string
  /** What was read, under the name its usage is counted by: the slug of a dataset, or another product. */
  readonly product: string
  readonly release: string | null
  /** Both null for a visitor's. */
  readonly account: string | null
  readonly key: string | null
  readonly rows: number
  /** Milliseconds in all, and by stage. */
  readonly ms: number
  readonly stages: Readonly<Record<string, number>>
}

/** A read as it is noted once it was answered. */
export interface NotedRead extends Omit<SlowRead, 'at' | 'ms'> {
  /** The format of its answer, such as `csv`. */
  readonly format: string
  readonly credits: number
}

/** The slowest reads of the last hour, kept in memory and forgotten by a stop. */
export interface SlowReads {
  /** Takes a read in where it is among the slowest. */
  note(read: NotedRead): void
  /** Slowest first. */
  list(): readonly SlowRead[]
}

/** How many are kept: a read that is faster than all of them costs a comparison. */
const MOST = 50

/** @param also told of every read that is noted */
export function createSlowReads(clock: Clock, also?: (read: NotedRead) => void): SlowReads {
  let kept: (SlowRead & { readonly time: number })[] = []
  let [fastest, forgetAt] = [0, Number.POSITIVE_INFINITY]
  const keep = (those: typeof kept): void => {
    kept = those.sort((one, other) => other.ms - one.ms).slice(0, MOST)
    fastest = kept.length < MOST ? 0 : kept.at(-1)!.ms
    forgetAt = Math.min(...kept.map(({ time }) => time)) + HOUR_MS
  }
  const forget = (now: number): void => {
    if (now >= forgetAt) keep(kept.filter(({ time }) => now < time + HOUR_MS))
  }
  return {
    note(noted) {
      also?.(noted)
      const { format: _format, credits: _credits, stages, ...read } = noted
      let ms = 0
      for (const stage in stages) ms += stages[stage]!
      const now = clock()
      forget(now.getTime())
      if (ms <= fastest) return
      keep([...kept, { at: taipei(now), ...read, ms: Math.round(ms * 100) / 100, stages: { ...stages }, time: now.getTime() }])
    },
    list() {
      forget(clock().getTime())
      return kept.map(({ time: _, ...read }) => read)
    },
  }
}
