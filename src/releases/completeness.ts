import { readFile } from 'node:fs/promises'
import type { Dataset } from '../../catalog/index.ts'
import { addDays } from '../core/index.ts'
import { isShortage, retryTransient } from './files.ts'
import { type Manifest, releasePaths, SourceCheck, type Spans } from './manifest.ts'

/**
 * True where rows up to `newest` are the latest a source had, not a piece of its past.
 *
 * @param silentDays days the source may have nothing to say, as the dataset's cadence has them
 * @param at instant in Taipei, RFC 3339
 * @param publishedUntil newest day of the release
 */
export const checksSource = (silentDays: number, at: string, newest: string | null, publishedUntil: string): boolean =>
  newest !== null && newest >= publishedUntil && addDays(newest, silentDays) >= at.slice(0, 10)

/** Days the source of a dataset may have nothing to say; null where every day has rows. */
export const silentDaysOf = ({ cadence }: Pick<Dataset, 'cadence'>): number | null =>
  cadence.every === 'trading_day' ? (cadence.sparse ?? null) : null

/** True where a release added rows of the newest days. A correction or a backfill checks no source. */
export function isSourceCheck(silentDays: number, { changes, published_at, data_as_of }: Manifest): boolean {
  // The oldest releases do not tell added rows from others.
  const before = changes.kind === 'new_rows' ? changes.date_to : null
  return checksSource(silentDays, published_at, changes.reach ? (changes.reach.added?.[1] ?? null) : before, data_as_of)
}

/** The last source check recorded; null where there is none, or its record is damaged: then the release alone tells. */
export async function readSourceCheck(root: string, { slug }: Dataset): Promise<SourceCheck | null> {
  try {
    return SourceCheck.parse(JSON.parse(await retryTransient(() => readFile(releasePaths(root, slug).sourceCheck, 'utf8'))))
  } catch (error) {
    if (isShortage(error)) throw error
    return null
  }
}

/**
 * The newest day through which a release holds everything that usually comes. One market's report of a day, or the statements of the
 * first few companies to file, do not complete that day or quarter; where many days have no rows, a source check does.
 *
 * @param check the last one recorded, for datasets where it counts
 */
export function completeThrough(dataset: Dataset, manifest: Manifest, spans: Spans, check: SourceCheck | null): string {
  const { data_as_of: newest } = manifest
  if (dataset.date !== undefined && dataset.publish.slice?.includes(dataset.date)) return slowestSeries(Object.keys(spans.slices)) ?? newest
  const silentDays = silentDaysOf(dataset)
  if (silentDays !== null && dataset.cadence.every === 'trading_day')
    return checkedThrough(silentDays, dataset.cadence.expectedAt, manifest, check)
  return dataset.cadence.every === 'quarter' ? (widelyReached(spans) ?? newest) : newest
}

/** The last day whose rows were due at the last source check; where none is known, the newest day in the release. */
function checkedThrough(silentDays: number, expectedAt: string, manifest: Manifest, check: SourceCheck | null): string {
  const { release, synthetic, published_at, data_as_of } = manifest
  const dueAt = (at: string): string => (at.slice(11, 16) >= expectedAt ? at.slice(0, 10) : addDays(at.slice(0, 10), -1))
  const recorded = check !== null && check.synthetic === synthetic && check.release <= release ? [dueAt(check.looked_at)] : []
  const own = isSourceCheck(silentDays, manifest) ? [dueAt(published_at)] : []
  return [...recorded, ...own].sort().at(-1) ?? [data_as_of, dueAt(published_at)].sort()[0]!
}

/** The least of the series' newest days. Slices are named by their columns, the day last. */
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
