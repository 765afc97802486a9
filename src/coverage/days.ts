import type { IsClosed } from '../calendar/index.ts'
import { addDays, dayText } from '../core/index.ts'
import { fromParts, type Pool, quote } from '../engine/index.ts'
import type { DatasetState, Release, Releases } from '../releases/index.ts'

type RowsByDay = ReadonlyMap<string, number>

/**
 * Counts rows per day. Days without rows are omitted.
 *
 * @throws Refusal overloaded, query_timeout, data_unavailable
 * @throws Error if a Parquet file is damaged
 */
export function createDays(releases: Releases, pool: Pool): (release: Release) => Promise<RowsByDay> {
  const cache = new WeakMap<Release, Promise<RowsByDay>>()
  return release => {
    const cachedRows = cache.get(release)
    if (cachedRows) return cachedRows
    const reading = releases.loadVerified(release, release.manifest.parts, () => rowsByDay(release, pool))
    cache.set(release, reading)
    reading.catch(() => cache.delete(release))
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
          const days = chunk.column(0).items as Int32Array
          const rows = chunk.column(1).items as Int32Array
          return Array.from({ length: chunk.rows }, (_, row): [string, number] => [dayText(days[row]!), rows[row]!])
        }),
      ),
  )
}

/** Body of `/v2/coverage/{dataset}/days`. Also lists missing trading days. */
export async function daysView({ dataset, release }: DatasetState, isClosed: IsClosed, days: (release: Release) => Promise<RowsByDay>) {
  const rowsOf: RowsByDay = release ? await days(release) : new Map()
  const withRows = [...rowsOf.keys()].sort()
  const first = withRows[0]
  const last = withRows.at(-1)
  const isEveryTradingDay = dataset.cadence.every === 'trading_day'
  const withoutRows = isEveryTradingDay && first && last ? openDays(first, last, isClosed).filter(day => !rowsOf.has(day)) : []
  return {
    dataset: dataset.id,
    slug: dataset.slug,
    release_version: release?.id ?? null,
    column: dataset.date ?? null,
    days_with_rows: withRows.length,
    days_without_rows: isEveryTradingDay ? withoutRows.length : null,
    data_count: withRows.length + withoutRows.length,
    data: [...withRows, ...withoutRows].sort().map(date => ({ date, rows: rowsOf.get(date) ?? 0 })),
  }
}

function openDays(first: string, last: string, isClosed: IsClosed): readonly string[] {
  const open: string[] = []
  for (let day = first; day <= last; day = addDays(day, 1)) if (!isClosed(day)) open.push(day)
  return open
}
