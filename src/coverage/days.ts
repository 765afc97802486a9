import type { IsClosed } from '../calendar/index.ts'
import { addDays, dayText } from '../core/index.ts'
import { fromParts, type Pool, quote } from '../engine/index.ts'
import type { DatasetState, Release, Releases } from '../releases/index.ts'

/** Rows of each day that has any, by day. */
type RowsByDay = ReadonlyMap<string, number>

/**
 * Returns a reader of how many rows releases hold of each day. A release is read once, and kept while it is served.
 *
 * @throws Refusal overloaded, query_timeout, data_unavailable; Error when a part is damaged
 */
export function createDays(releases: Releases, pool: Pool): (release: Release) => Promise<RowsByDay> {
  const kept = new WeakMap<Release, Promise<RowsByDay>>()
  return release => {
    const known = kept.get(release)
    if (known) return known
    const reading = releases.loadVerified(release, release.manifest.parts, () => rowsByDay(release, pool))
    kept.set(release, reading)
    reading.catch(() => kept.delete(release))
    return reading
  }
}

async function rowsByDay({ dataset, manifest, pathOf }: Release, pool: Pool): Promise<RowsByDay> {
  const { date } = dataset
  if (date === undefined || manifest.parts.length === 0) return new Map()
  const from = `FROM ${fromParts(manifest.parts.map(pathOf))} WHERE ${quote(date)} IS NOT NULL`
  const text = `SELECT ${quote(date)}, count(*)::INTEGER ${from} GROUP BY 1 ORDER BY 1`
  return pool.read(
    { text, values: [], once: true },
    chunks =>
      new Map(
        chunks.flatMap(chunk => {
          const [days, rows] = [chunk.column(0).items as Int32Array, chunk.column(1).items as Int32Array]
          return Array.from({ length: chunk.rows }, (_, row): [string, number] => [dayText(days[row]!), rows[row]!])
        }),
      ),
  )
}

/**
 * The answer of `/v2/coverage/{dataset}/days`: every day that has rows and, of a dataset that comes every trading day, each trading day
 * between its first and last one that has none.
 */
export async function daysView({ dataset, release }: DatasetState, isClosed: IsClosed, days: (release: Release) => Promise<RowsByDay>) {
  const held: RowsByDay = release ? await days(release) : new Map()
  const all = [...held.keys()].sort()
  const [first, last] = [all[0], all.at(-1)]
  const lacking =
    dataset.cadence.every === 'trading_day' && first && last ? openDays(first, last, isClosed).filter(day => !held.has(day)) : []
  return {
    dataset: dataset.id,
    slug: dataset.slug,
    release_version: release?.id ?? null,
    column: dataset.date ?? null,
    days_with_rows: all.length,
    days_without_rows: dataset.cadence.every === 'trading_day' ? lacking.length : null,
    data_count: all.length + lacking.length,
    data: [...all, ...lacking].sort().map(date => ({ date, rows: held.get(date) ?? 0 })),
  }
}

function openDays(first: string, last: string, isClosed: IsClosed): readonly string[] {
  const open: string[] = []
  for (let day = first; day <= last; day = addDays(day, 1)) if (!isClosed(day)) open.push(day)
  return open
}
