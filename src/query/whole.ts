import type { Dataset } from '../../catalog/dataset.ts'
import type { Manifest, Spans } from '../../catalog/release.ts'
import { addDays } from '../core/clock.ts'

/**
 * The newest day up to which a release holds what usually comes. One market's report of a day, or the statements of the first few companies
 * to file, do not make that day or quarter whole; where most days have no rows, publication does.
 */
export function wholeUntil(dataset: Dataset, manifest: Manifest, spans: Spans): string {
  const { data_as_of: newest } = manifest
  if (dataset.date !== undefined && dataset.publish.slice?.includes(dataset.date)) return slowestSeries(Object.keys(spans.slices)) ?? newest
  if (dataset.cadence.every === 'trading_day' && dataset.cadence.sparse) return lookedAtUntil(dataset.cadence.expectedAt, manifest)
  return dataset.cadence.every === 'quarter' ? (widelyReached(spans) ?? newest) : newest
}

/** The last day whose rows were due when the release was published. Filling in the past looks at no new day. */
function lookedAtUntil(expectedAt: string, { published_at, data_as_of, changes }: Manifest): string {
  const [day, time] = [published_at.slice(0, 10), published_at.slice(11, 16)]
  const looked = time >= expectedAt ? day : addDays(day, -1)
  return changes.kind === 'backfill' && data_as_of < looked ? data_as_of : looked
}

/** Slices are named by their columns, the day last: the least of the series' newest days. */
function slowestSeries(slices: readonly string[]): string | undefined {
  const newest = new Map<string, string>()
  for (const name of slices) {
    const [series, day] = [name.slice(0, -10), name.slice(-10)]
    if (day > (newest.get(series) ?? '')) newest.set(series, day)
  }
  return [...newest.values()].sort()[0]
}

/** The newest last day of any key that at least half as many keys reach as reach the last day before it. */
function widelyReached({ base, delta }: Spans): string | undefined {
  const last = new Map<string, string>()
  for (const [key, [, day]] of [...Object.entries(base), ...Object.entries(delta)]) {
    if (day !== null && day > (last.get(key) ?? '')) last.set(key, day)
  }
  const ending = new Map<string, number>()
  for (const day of last.values()) ending.set(day, (ending.get(day) ?? 0) + 1)
  const days = [...ending.keys()].sort().reverse()
  let reach = 0
  return days.find((day, at) => {
    reach += ending.get(day)!
    return 2 * reach >= reach + (ending.get(days[at + 1] ?? '') ?? 0)
  })
}
