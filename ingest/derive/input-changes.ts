import { type Dataset, STORED, schemaHash, storedColumns } from '../../catalog/index.ts'
import { literal, quote } from '../../src/engine/index.ts'
import { type Manifest, type PartFile, readManifest, readSpans, releasePaths } from '../../src/releases/index.ts'
import { type DayRange, list, type Parent, readParts, type Workspace } from '../publish/index.ts'

export interface Input {
  readonly dataset: Dataset
  readonly release: Parent
}

/** Undefined means that everything may have changed. */
export type Changed<T> = T | undefined

/** Maximum number of manifests that are read to find the changes. */
const MOST_STEPS = 100

/** Returns the days with changed rows since an earlier release of the input, as ranges. */
export async function changedDays(workspace: Workspace, input: Input, since: string): Promise<Changed<readonly DayRange[]>> {
  const reach = await reachSince(workspace, input, since)
  if (reach?.onlyAdded) return reach.days
  const sides = await sidesOf(workspace, input, since, reach?.days)
  if (!sides) return undefined
  const day = quote(input.dataset.date!)
  const rows = await workspace.session.rows(
    `SELECT day::VARCHAR AS day FROM ${differing(sides, `${day} AS day`, 'day')} WHERE day IS NOT NULL ORDER BY 1`,
  )
  return rows.map(row => [String(row['day']), String(row['day'])] as const)
}

/**
 * Returns the keys with changed rows, each with the day of its first changed row. The day is null
 * if rows have no day. With `byDay`, returns a day instead of keys if the only changes are rows
 * added in the last month. These rows may belong to any key.
 *
 * @param byDay true if the caller accepts a day instead of keys
 */
export async function changedKeys(
  workspace: Workspace,
  input: Input,
  since: string,
  key: string,
  byDay: boolean,
): Promise<Changed<ReadonlyMap<string, string | null> | string>> {
  const { dataset, release } = input
  const reach = await reachSince(workspace, input, since)
  const [first] = (reach?.days ?? []).map(([from]) => from).sort()
  if (reach && first === undefined) return new Map()
  if (byDay && reach?.onlyAdded && isRecent(release.manifest, first!)) return first!
  const sides = await sidesOf(workspace, input, since, reach?.days)
  if (!sides) return undefined
  // Finding the keys first is cheaper, because changes affect many files but few keys.
  const keys = `SELECT key FROM ${differing(sides, `${quote(key)} AS key`, 'key')} WHERE key IS NOT NULL`
  const within = (side: string): string => `(SELECT * FROM ${side} WHERE ${quote(key)} IN (${keys}))`
  const day = dataset.date === undefined ? 'NULL::DATE' : quote(dataset.date)
  const rows = await workspace.session.rows(
    dataset.date === undefined
      ? `SELECT key::VARCHAR AS key, NULL AS day FROM (${keys})`
      : `SELECT key::VARCHAR AS key, min(day)::VARCHAR AS day FROM ${differing(
          { ...sides, old: within(sides.old), now: within(sides.now) },
          `${quote(key)} AS key, ${day} AS day`,
          'key, day',
        )} GROUP BY 1`,
  )
  return new Map(rows.map(row => [String(row['key']), row['day'] === null ? null : String(row['day'])]))
}

const DAYS_OF_APPENDS = 31

const isRecent = ({ statistics: { last_date } }: Manifest, day: string): boolean =>
  last_date !== null && Date.parse(last_date) - Date.parse(day) <= DAYS_OF_APPENDS * 86_400_000

interface Reach {
  readonly days: readonly DayRange[]
  readonly onlyAdded: boolean
}

/**
 * Returns days that contain all changes since an earlier release. Undefined if the days are
 * unknown, for example because the served release does not descend from the earlier one.
 */
async function reachSince({ releases, parsed }: Workspace, { dataset, release }: Input, since: string): Promise<Reach | undefined> {
  const days: DayRange[] = []
  let onlyAdded = true
  let manifest = release.manifest
  for (let steps = 0; manifest.release !== since; steps++) {
    const { parent, changes, synthetic } = manifest
    const reach = changes.reach
    if (parent === null || !reach || steps === MOST_STEPS || changes.kind === 'schema_change') return undefined
    for (const op of ['added', 'changed', 'removed'] as const) {
      if (changes[`rows_${op}`] === 0) continue
      if (reach[op] === null) return undefined
      days.push(reach[op])
      onlyAdded &&= op === 'added'
    }
    const before = await readManifest(releases, dataset.slug, parent, parsed).catch(() => undefined)
    if (before?.synthetic !== synthetic) return undefined
    manifest = before
  }
  return { days, onlyAdded }
}

/** SQL of the rows that may differ. Omits files that both releases have. */
interface Sides {
  readonly old: string
  readonly now: string
  readonly columns: readonly string[]
}

/**
 * Returns the rows to compare. Undefined if the former release is deleted or damaged, or has other
 * columns.
 */
async function sidesOf(
  workspace: Workspace,
  { dataset, release }: Input,
  since: string,
  days: readonly DayRange[] | undefined,
): Promise<Sides | undefined> {
  const former = await retained(workspace, dataset, since)
  if (!former || former.manifest.schema_hash !== schemaHash(dataset) || release.manifest.schema_hash !== schemaHash(dataset))
    return undefined
  if (former.manifest.synthetic !== release.manifest.synthetic) return undefined
  const [before, after] = [filesOf(former.manifest, release.manifest), filesOf(release.manifest, former.manifest)]
  const isNear = ({ first_date, last_date }: PartFile): boolean =>
    !days || first_date === null || last_date === null || days.some(([from, to]) => first_date <= to && last_date >= from)
  const rows = async (parent: Parent, files: readonly PartFile[]): Promise<string> =>
    withinDays(dataset, await rowsOf({ dataset, release: parent }, files.filter(isNear)), days)
  try {
    const columns = storedColumns(dataset).filter(name => !dataset.columns[name]!.provenance)
    return { old: await rows(former, before), now: await rows(release, after), columns }
  } catch {
    return undefined
  }
}

/** Compares month files if both releases have them, and parts otherwise. */
function filesOf({ parts, months }: Manifest, other: Manifest): readonly PartFile[] {
  const [own, others]: (readonly PartFile[])[] = months && other.months ? [months, other.months] : [parts, other.parts]
  const shared = new Set(others!.map(({ sha256 }) => sha256))
  return own!.filter(({ sha256 }) => !shared.has(sha256))
}

async function retained({ releases, parsed }: Workspace, { slug }: Dataset, id: string): Promise<Parent | undefined> {
  try {
    const manifest = await readManifest(releases, slug, id, parsed)
    const spans = await readSpans(releases, manifest, parsed)
    return { manifest, spans, pathOf: releasePaths(releases, slug).file, good: new Set(), missing: [], fill: '' }
  } catch {
    return undefined
  }
}

/**
 * Returns SQL of the groups with differing rows. Compares sums of hashes, so that each release is
 * read once.
 */
function differing({ old, now, columns }: Sides, group: string, names: string): string {
  const side = (rows: string): string =>
    `(SELECT ${group}, sum(hash(${list(columns)})) AS mark, count(*) AS rows FROM ${rows} GROUP BY ALL)`
  return `(SELECT ${names} FROM ${side(old)} AS o FULL JOIN ${side(now)} AS n USING (${names}) WHERE o.mark IS DISTINCT FROM n.mark OR o.rows IS DISTINCT FROM n.rows)`
}

/** Returns an SQL condition that is true on these days. */
export const daysIn = (column: string, days: readonly DayRange[]): string =>
  days.map(([from, to]) => `${quote(column)} BETWEEN DATE ${literal(from)} AND DATE ${literal(to)}`).join(' OR ') || 'false'

const withinDays = ({ date }: Dataset, rows: string, days: readonly DayRange[] | undefined): string =>
  days && date !== undefined ? `(SELECT * FROM ${rows} WHERE ${daysIn(date, days)})` : rows

/** @throws Refusal integrity if a file is damaged */
export async function rowsOf({ dataset, release }: Input, files: readonly PartFile[]): Promise<string> {
  return files.length === 0 ? noRowsOf(dataset) : `(SELECT ${list(storedColumns(dataset))} FROM ${await readParts(release, files)})`
}

/** Returns SQL of zero rows with the stored columns. */
export const noRowsOf = (dataset: Dataset): string =>
  `(SELECT ${storedColumns(dataset)
    .map(name => `NULL::${STORED[dataset.columns[name]!.type]} AS ${quote(name)}`)
    .join(', ')} LIMIT 0)`
