import type { Dataset } from '../../catalog/index.ts'
import { addDays } from '../core/index.ts'
import { isSourceCheck } from './look.ts'
import type { Manifest, SourceCheck, Spans } from './manifest.ts'

/**
 * The newest day up to which a release holds what usually comes. One market's report of a day, or the statements of the first few companies
 * to file, do not make that day or quarter whole; where many days have no rows, a look at the source does.
 *
 * @param look the last one recorded, of datasets where it counts
 */
export function completeThrough(dataset: Dataset, manifest: Manifest, spans: Spans, look: SourceCheck | null): string {
  const { data_as_of: newest } = manifest
  if (dataset.date !== undefined && dataset.publish.slice?.includes(dataset.date)) return slowestSeries(Object.keys(spans.slices)) ?? newest
  if (dataset.cadence.every === 'trading_day' && dataset.cadence.sparse) return lookedAtUntil(dataset.cadence.expectedAt, manifest, look)
  return dataset.cadence.every === 'quarter' ? (widelyReached(spans) ?? newest) : newest
}

/** The last day whose rows were due when the source was looked at; where no look is known, the newest day there is. */
function lookedAtUntil(expectedAt: string, manifest: Manifest, look: SourceCheck | null): string {
  const { release, synthetic, published_at, data_as_of } = manifest
  const dueAt = (at: string): string => (at.slice(11, 16) >= expectedAt ? at.slice(0, 10) : addDays(at.slice(0, 10), -1))
  const recorded = look !== null && look.synthetic === synthetic && look.release <= release ? [dueAt(look.looked_at)] : []
  const own = isSourceCheck(manifest) ? [dueAt(published_at)] : []
  return [...recorded, ...own].sort().at(-1) ?? [data_as_of, dueAt(published_at)].sort()[0]!
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
