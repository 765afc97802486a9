import { readFile } from 'node:fs/promises'
import type { Dataset } from '../../catalog/index.ts'
import { addDays, type Pace, processInSlices } from '../core/index.ts'
import { isShortage, retryTransient } from './files.ts'
import { type Manifest, releasePaths, SourceCheck, type Spans } from './manifest.ts'

/**
 * True if a publication with rows up to `newest` includes the latest data of the source. False for
 * older rows.
 * @param silentDays days for which the source may publish no rows
 * @param time the time of the publication or check, RFC 3339 in Taipei time
 * @param publishedUntil newest day of the release
 */
export const checksSource = (silentDays: number, time: string, newest: string | null, publishedUntil: string): boolean =>
  newest !== null && newest >= publishedUntil && addDays(newest, silentDays) >= time.slice(0, 10)

/** Maximum number of days without rows from the source. Null if every trading day has rows. */
export const silentDaysOf = ({ cadence }: Pick<Dataset, 'cadence'>): number | null =>
  cadence.every === 'trading_day' ? (cadence.sparse ?? null) : null

/**
 * True if the release added rows of the newest days. Such rows show that the source was checked.
 * False for corrections and backfills.
 */
export function isSourceCheck(silentDays: number, { changes, published_at, data_as_of }: Manifest): boolean {
  // The oldest releases have no field `reach`.
  const newestAdded = changes.kind === 'new_rows' ? changes.date_to : null
  return checksSource(silentDays, published_at, changes.reach ? (changes.reach.added?.[1] ?? null) : newestAdded, data_as_of)
}

/** Null if there is none, or if the record is damaged. */
export async function readSourceCheck(root: string, { slug }: Dataset): Promise<SourceCheck | null> {
  try {
    return SourceCheck.parse(JSON.parse(await retryTransient(() => readFile(releasePaths(root, slug).sourceCheck, 'utf8'))))
  } catch (error) {
    if (isShortage(error)) throw error
    return null
  }
}

/**
 * Returns the newest day up to which all usual publications are present. A day with data of only
 * one of two markets is incomplete. For datasets without rows on many days, a source check shows
 * that the earlier days are complete.
 *
 * @param spans contents by key, and the newest day of each series
 * @param check last check of the source. Used only for datasets without rows on many days
 */
export function completeThrough(
  dataset: Dataset,
  manifest: Manifest,
  spans: Pick<Spans, 'base' | 'delta'> & { readonly newest: ReadonlyMap<string, string> },
  check: SourceCheck | null,
): string {
  const { data_as_of: newest } = manifest
  if (dataset.date !== undefined && dataset.publish.slice?.includes(dataset.date)) return [...spans.newest.values()].sort()[0] ?? newest
  const silentDays = silentDaysOf(dataset)
  if (silentDays !== null && dataset.cadence.every === 'trading_day')
    return checkedThrough(silentDays, dataset.cadence.expectedAt, manifest, check)
  return dataset.cadence.every === 'quarter' ? (widelyReached(spans) ?? newest) : newest
}

/**
 * Returns the last day whose data was due when the source was last checked. Without a check, uses
 * the newest day in the release.
 */
function checkedThrough(silentDays: number, expectedAt: string, manifest: Manifest, check: SourceCheck | null): string {
  const { release, synthetic, published_at, data_as_of } = manifest
  const dueAt = (time: string): string => (time.slice(11, 16) >= expectedAt ? time.slice(0, 10) : addDays(time.slice(0, 10), -1))
  const recorded = check !== null && check.synthetic === synthetic && check.release <= release ? [dueAt(check.looked_at)] : []
  const own = isSourceCheck(silentDays, manifest) ? [dueAt(published_at)] : []
  return [...recorded, ...own].sort().at(-1) ?? [data_as_of, dueAt(published_at)].sort()[0]!
}

/**
 * Returns the days of all slices, ascending, and the newest day of each series. Slice names end
 * with a day. The text before the day identifies the series.
 */
export async function daysOfSlices(slices: readonly string[], pace: Pace) {
  const newest = new Map<string, string>()
  const days = new Set<string>()
  await processInSlices(slices, pace, name => {
    const series = name.slice(0, -10)
    const day = name.slice(-10)
    days.add(day)
    if (day > (newest.get(series) ?? '')) newest.set(series, day)
  })
  return { days: [...days].sort(), newest }
}

/**
 * Returns the newest day with enough keys: at least half as many as on the next older day. Skips
 * days that are not the last day of any key.
 */
function widelyReached({ base, delta }: Pick<Spans, 'base' | 'delta'>): string | undefined {
  const last = new Map<string, string>()
  for (const [key, [, day]] of [...Object.entries(base), ...Object.entries(delta)]) {
    if (day !== null && day > (last.get(key) ?? '')) last.set(key, day)
  }
  const ending = new Map<string, number>()
  for (const day of last.values()) ending.set(day, (ending.get(day) ?? 0) + 1)
  const days = [...ending.keys()].sort().reverse()
  let reach = 0
  return days.find((day, index) => {
    reach += ending.get(day)!
    return 2 * reach >= reach + (ending.get(days[index + 1] ?? '') ?? 0)
  })
}
