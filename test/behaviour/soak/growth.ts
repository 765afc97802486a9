import type { Sample } from './sampling.ts'

/** Whether something of the service grew while it ran. */
export interface Growth {
  readonly of: string
  /** Least squares within the lives of the service, all together, after warm-up; per hour. */
  readonly perHour: number
  /** Mean of the last third of the samples after warm-up, over that of the middle third. */
  readonly thirds: number
  /** What the slope comes to over the longest life, as a share of the mean. */
  readonly overLife: number
  /** Null where there are too few samples to tell. */
  readonly isFlat: boolean | null
}

/** What may grow. */
type Measured = 'rss' | 'heap' | 'external' | 'descriptors' | 'threads' | 'publisherRss'

/** Fewer samples after warm-up say nothing. */
export const LEAST_SAMPLES = 24
/** What memory moves by itself, between collections and with what a publication replaces: over one life, and on the average of many samples. */
const TOLERANCE = { overLife: 0.15, ofThirds: 0.1 }

/**
 * A restart begins anew, so the slope is taken within each life, and all lives have one slope together; the thirds compare times of the
 * whole soak, whatever lives they fell into.
 *
 * @param warmUpMs of each life, left out
 * @param slack a difference that is none, in the unit of the value: some connections more at one moment than at another
 */
export function growthOf<K extends Measured>(
  samples: readonly (Pick<Sample, 'life' | 'age'> & Readonly<Record<K, number | null>>)[],
  of: K,
  warmUpMs: number,
  slack = 0,
): Growth {
  const points = samples
    .filter(sample => sample.age >= warmUpMs && sample[of] !== null)
    .map(({ life, age, [of]: value }) => ({ life, x: age, y: value! }))
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
    of,
    perHour: slope * 3_600_000,
    thirds: last / middle,
    overLife: (slope * longest) / mean,
    isFlat: points.length < LEAST_SAMPLES ? null : isFlat,
  }
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)
const meanOf = (values: readonly number[]): number => total(values) / (values.length || 1)
