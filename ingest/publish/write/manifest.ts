import { type Dataset, schemaHash, storedName, versionDateOf, versionOf } from '../../../catalog/index.ts'
import { taipei, taipeiDay } from '../../../src/core/index.ts'
import { fromParts } from '../../../src/engine/index.ts'
import { type Changes, Manifest, type Part, releasePaths, type Source, type Spans } from '../../../src/releases/index.ts'
import { type Batch, type BatchFault, MISSING_DAYS } from '../check/batch.ts'
import type { Basis } from '../check/served-basis.ts'
import type { Difference } from '../compare/compare.ts'
import { reconcile } from '../compare/reconcile.ts'
import { countDistinct, countFilled, shareOf } from '../compare/stated.ts'
import type { Clusterings } from './clusterings.ts'
import type { Workspace } from './workspace.ts'

export interface Making extends Clusterings {
  readonly release: string
  readonly now: Date
  readonly basis: Basis
  readonly difference: Difference | null
  readonly changes: Changes
  readonly rowsBySource: ReadonlyMap<number, number>
  readonly notices: readonly BatchFault[]
}

/** Computes statistics and comparisons from the parts on disk. */
export async function makeManifest(workspace: Workspace, batch: Batch, making: Making): Promise<Manifest> {
  const { basis, difference, changes, rowsBySource, buckets, parts, months, spans, release, now, spansSha256 } = making
  const { dataset, synthetic } = batch
  const paths = releasePaths(workspace.releases, dataset.slug)
  const pathOf = (part: Part): string => paths.part(part.sha256)
  const totals = totalsOf(spans)
  const inMonths = months?.reduce((sum, { rows }) => sum + rows, 0) ?? totals.rows
  if (inMonths !== totals.rows)
    throw new Error(
      `The release has ${totals.rows} rows in its files by key, but ${inMonths} in its files by month. Publish the dataset again.`,
    )
  const files = parts.map(pathOf)
  const filled = await countFilled(workspace, batch, making, totals.rows, files)
  const newest = totals.last_date ?? (await newestListed(workspace, dataset, parts, pathOf))
  return Manifest.parse({
    format: 1,
    dataset: storedName(dataset.slug),
    release,
    // The parent is served if the new release is damaged. Samples must never replace real rows.
    parent: basis.former?.manifest.synthetic === synthetic ? basis.former.manifest.release : null,
    dataset_version: versionOf(dataset),
    schema_hash: schemaHash(dataset),
    published_at: taipei(now),
    data_as_of: asOf(dataset, newest, taipeiDay(now)),
    synthetic,
    key: dataset.key ?? null,
    buckets,
    parts: [...parts],
    ...(months ? { months: [...months] } : {}),
    statistics: { ...totals, distinct: await countDistinct(workspace, dataset, files), completeness: shareOf(filled), spans: spansSha256 },
    sources: [...sourcesOf(batch, rowsBySource)],
    changes,
    checks: [...passed(batch, totals.rows, making.notices), ...(filled ? [filled] : [])],
    reconciliation: [
      ...(await reconcile(workspace, batch, basis, { release, parts, rows: totals.rows, received: spans.received, difference })),
    ],
  } satisfies Manifest)
}

/**
 * Returns the newest day with rows. Returns the day of publication if there are no rows, or if the
 * newest day was announced in advance.
 */
const asOf = ({ daysAhead }: Dataset, newest: string | null, today: string): string =>
  newest === null || (daysAhead !== undefined && newest > today) ? today : newest

/** Rules that passed, were accepted, or broke with a warning. */
function passed({ dataset, accept }: Batch, rows: number, notices: readonly BatchFault[]): Manifest['checks'] {
  const { rules = [], publish, drift, completeness } = dataset
  const counted = drift === 'any' ? [] : ['row_count_drift']
  const slices = publish.slice ? ['same_body', ...counted] : publish.mode === 'replace' ? counted : []
  const lists = publish.mode === 'replace' || versionDateOf(dataset) !== undefined ? ['dates_backwards'] : []
  const bodies = publish.body ? ['same_body'] : []
  const gaps = completeness ? [MISSING_DAYS] : []
  const names = [
    'columns',
    'types',
    'nulls',
    'grain',
    'dates',
    ...slices,
    ...lists,
    ...bodies,
    ...gaps,
    ...rules.map(({ name }) => name),
    'read_back',
  ]
  const broken = (rule: string): number => notices.reduce((sum, notice) => sum + (notice.rule === rule ? notice.count : 0), 0)
  return names.map(rule => ({ rule, measured: { rows, broken: broken(rule), let_pass: accept.includes(rule) } }))
}

/**
 * Returns the sources with rows, and all inputs of a computation. Computed rows are counted for
 * the first input.
 */
const sourcesOf = ({ sources }: Batch, rows: ReadonlyMap<number, number>): readonly Source[] =>
  sources.flatMap((source, index) => {
    const isInput = source.read_as === 'release' || source.read_as === 'sql'
    return rows.has(index) || isInput ? [{ ...source, rows: rows.get(index) ?? 0 }] : []
  })

export function totalsOf({ base, delta }: Spans) {
  const spans = [...Object.values(base), ...Object.values(delta)]
  const days = (place: 0 | 1): readonly string[] =>
    spans
      .map(span => span[place])
      .filter(day => day !== null)
      .sort()
  return {
    rows: spans.reduce((sum, [, , rows]) => sum + rows, 0),
    keys: new Set([...Object.keys(base), ...Object.keys(delta)]).size,
    first_date: days(0)[0] ?? null,
    last_date: days(1).at(-1) ?? null,
  }
}

/** Returns the newest day of a dataset without a date column. Null if rows have no day. */
export async function newestListed(
  { session }: Workspace,
  { listedOn }: Dataset,
  parts: readonly Part[],
  pathOf: (part: Part) => string,
): Promise<string | null> {
  if (listedOn === undefined || parts.length === 0) return null
  const [row] = await session.rows(`SELECT max(${listedOn})::VARCHAR AS day FROM ${fromParts(parts.map(pathOf))}`)
  return row!['day'] as string | null
}
