import type { Sample } from './sampling.ts'

/** Growth of one measured value during a soak. */
export interface Growth {
  readonly of: string
  /**
   * Slope per hour after warm-up, by least squares. All lives (times between restarts) have a
   * common slope, but separate starting values.
   */
  readonly perHour: number
  /**
   * Mean of the last third of the samples after warm-up, relative to the mean of the middle third.
   */
  readonly thirds: number
  /** Increase over the longest life according to the slope, relative to the mean. */
  readonly overLife: number
  /** Null if there are too few samples. */
  readonly isFlat: boolean | null
}

/** Measured values whose growth is checked. */
type Measured = 'rss' | 'heap' | 'external' | 'descriptors' | 'threads' | 'publisherRss'

/** Minimum number of samples after warm-up. */
export const LEAST_SAMPLES = 24
/**
 * Tolerated increase of memory over one life, and between thirds. Garbage collection and
 * publications make memory fluctuate.
 */
const TOLERANCE = { overLife: 0.15, ofThirds: 0.1 }

/**
 * Measures the slope within each life of the service, because a restart resets memory. The thirds
 * compare parts of the whole soak, across restarts.
 *
 * @param warmUpMs time after each start that is ignored
 * @param slack tolerated difference in the unit of the value, for example because the number of
 * connections varies
 */
export function growthOf<K extends Measured>(
  samples: readonly (Pick<Sample, 'life' | 'age'> & Readonly<Record<K, number | null>>)[],
  measured: K,
  warmUpMs: number,
  slack = 0,
): Growth {
  const points = samples
    .filter(sample => sample.age >= warmUpMs && sample[measured] !== null)
    .map(({ life, age, [measured]: value }) => ({ life, x: age, y: value! }))
  const lives = [...Map.groupBy(points, ({ life }) => life).values()]
  const mean = meanOf(points.map(({ y }) => y))
  const sums = lives.map(life => {
    const [mx, my] = [meanOf(life.map(({ x }) => x)), meanOf(life.map(({ y }) => y))]
    return { xy: total(life.map(({ x, y }) => (x - mx) * (y - my))), xx: total(life.map(({ x }) => (x - mx) ** 2)) }
  })
  const slope = total(sums.map(({ xy }) => xy)) / (total(sums.map(({ xx }) => xx)) || 1)
  const longest = Math.max(0, ...lives.map(life => life.at(-1)!.x - life[0]!.x))
  const third = Math.floor(points.length / 3)
  const [middle, last] = [meanOf(points.slice(third, 2 * third).map(({ y }) => y)), meanOf(points.slice(2 * third).map(({ y }) => y))]
  const isFlat =
    slope * longest <= Math.max(TOLERANCE.overLife * mean, slack) && last - middle <= Math.max(TOLERANCE.ofThirds * middle, slack)
  return {
    of: measured,
    perHour: slope * 3_600_000,
    thirds: last / middle,
    overLife: (slope * longest) / mean,
    isFlat: points.length < LEAST_SAMPLES ? null : isFlat,
  }
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)
const meanOf = (values: readonly number[]): number => total(values) / (values.length || 1)
