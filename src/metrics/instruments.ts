/** Observations, sorted into buckets as they come: an observation is a few comparisons and two additions into memory that is there. */
export interface Histogram {
  /** @param seconds not negative */
  observe(seconds: number): void
  state(): HistogramState
}

export interface HistogramState {
  /** Upper bounds of the buckets in seconds, the last bucket's, which has none, left out. */
  readonly bounds: readonly number[]
  /** Observations of each bucket alone; one more than there are bounds. */
  readonly counts: ArrayLike<number>
  readonly sum: number
}

/** From a tenth of a millisecond, which an answer out of memory takes, to a minute. */
const BOUNDS: readonly number[] = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60]

export function createHistogram(bounds: readonly number[] = BOUNDS): Histogram {
  const counts = new Float64Array(bounds.length + 1)
  const sum = new Float64Array(1)
  return {
    observe(seconds) {
      let at = 0
      while (at < bounds.length && seconds > bounds[at]!) at++
      counts[at]!++
      sum[0]! += seconds
    },
    state: () => ({ bounds, counts, sum: sum[0]! }),
  }
}

/** What is kept for each value of a label, made when the value is first seen. Values have to come from a list that ends: each stays for good. */
export function createEach<K, T>(make: (key: K) => T) {
  const made = new Map<K, T>()
  return {
    of(key: K): T {
      const found = made.get(key)
      if (found !== undefined) return found
      const fresh = make(key)
      made.set(key, fresh)
      return fresh
    },
    entries: (): readonly (readonly [K, T])[] => [...made],
  }
}

/** A number that is only added to. */
export interface Counter {
  value: number
}

export const createCounter = (): Counter => ({ value: 0 })
