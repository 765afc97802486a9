/** Counts durations in buckets. `observe` allocates no memory. */
export interface Histogram {
  /** @param seconds not negative */
  observe(seconds: number): void
  state(): HistogramState
}

export interface HistogramState {
  /** Upper bounds in seconds. The last bucket has no bound. */
  readonly bounds: readonly number[]
  /** Number of observations per bucket. Has one more element than `bounds`. */
  readonly counts: ArrayLike<number>
  readonly sum: number
}

const BOUNDS: readonly number[] = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60]

export function createHistogram(bounds: readonly number[] = BOUNDS): Histogram {
  const counts = new Float64Array(bounds.length + 1)
  const sum = new Float64Array(1)
  return {
    observe(seconds) {
      let bucket = 0
      while (bucket < bounds.length && seconds > bounds[bucket]!) bucket++
      counts[bucket]!++
      sum[0]! += seconds
    },
    state: () => ({ bounds, counts, sum: sum[0]! }),
  }
}

/** Never removes values, so the number of label values must be limited. */
export function createLabelMap<K, T>(create: (key: K) => T) {
  const entries = new Map<K, T>()
  return {
    get(key: K): T {
      const existing = entries.get(key)
      if (existing !== undefined) return existing
      const created = create(key)
      entries.set(key, created)
      return created
    },
    entries: (): readonly (readonly [K, T])[] => [...entries],
  }
}

export interface Counter {
  value: number
}

export const createCounter = (): Counter => ({ value: 0 })
