import type { Sample } from './sampling.ts'

/** Growth of one measurement during a soak. */
export interface Growth {
  readonly of: string
  /**
   * Slope per hour after warm-up: least squares within each life of the service, with one slope for
   * all lives.
   */
  readonly perHour: number
  /** Mean of the last third of the samples after warm-up, relative to the middle third. */
  readonly thirds: number
  /** Increase over the longest life according to the slope, relative to the mean. */
  readonly overLife: number
  /** Null if there are too few samples. */
  readonly isFlat: boolean | null
}

/** Measurements that may grow. */
type Measured = 'rss' | 'heap' | 'external' | 'descriptors' | 'threads' | 'publisherRss'

/** Minimum number of samples after warm-up. */
export const LEAST_SAMPLES = 24
/**
 * Tolerated fluctuation of memory due to garbage collection and publications, over one life and
 * between thirds.
 */
const TOLERANCE = { overLife: 0.15, ofThirds: 0.1 }

/**
 * A restart resets memory, so the slope is measured within each life. The thirds compare parts of
 * the whole soak, across lives.
 *
 * @param warmUpMs time after each start to ignore
 * @param slack tolerated difference in the unit of the value, for example a varying number of
 * connections
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
