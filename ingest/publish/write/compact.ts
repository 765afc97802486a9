import { rm } from 'node:fs/promises'
import { type Dataset, schemaHash } from '../../../catalog/index.ts'
import { commandRefusal, taipei } from '../../../src/core/index.ts'
import { quote } from '../../../src/engine/index.ts'
import { type Manifest, type Part, type ReleasePaths, releasePaths, type Span, type Spans } from '../../../src/releases/index.ts'
import type { BatchFault } from '../check/batch.ts'
import { columnsOf, createTable, dropTable, list, type Relation, storedOrder } from '../check/relations.ts'
import { allOver, commitRelease, createStage, newestId, nextId, seal, writeSpans } from './commit.ts'
import { checkRetained, mapBuckets } from './layout.ts'
import { linkMonths } from './linked-months.ts'
import { withLock } from './lock.ts'
import { createServedReleases, type Parent, readParts } from './parent.ts'
import { installParts, writeParts } from './parts.ts'
import { logServed } from './table-log.ts'
import type { Workspace } from './workspace.ts'

export interface Compaction {
  /** `unchanged`: all rows are already in their buckets. No release was made. */
  readonly status: 'compacted' | 'unchanged'
  readonly release: string
  /** Number of moved rows. `buckets` is the number of written buckets. */
  readonly rows: number
  readonly buckets: number
  readonly notices: readonly BatchFault[]
}

/**
 * Number of buckets that one session writes at a time. Two sessions together have about 200,000
 * rows in memory.
 */
const CONCURRENT = 8

/**
 * Moves appended rows to the buckets of their keys, so that a read of one key opens one file. The
 * new release has the same rows and months. Readers see the previous release or the new one, also
 * after a crash.
 *
 * @throws Refusal conflict while the dataset is being published, or if its release has other
 * columns than the catalog; integrity if a part is damaged; dataset_building before the first
 * release
 */
export function compactRelease(workspace: Workspace, dataset: Dataset): Promise<Compaction> {
  const paths = releasePaths(workspace.releases, dataset.slug)
  return withLock(paths.home, async () => {
    const served = await createServedReleases(workspace).of(dataset.slug)
    if (!served)
      throw commandRefusal('dataset_building', {}, `${dataset.slug} has no release yet; publish one with twmd publish or twmd ingest.`)
    const { manifest } = served
    const delta = manifest.parts.filter(({ role }) => role === 'delta')
    if (delta.length === 0 || manifest.key === null)
      return { status: 'unchanged', release: manifest.release, rows: 0, buckets: 0, notices: [] }
    if (manifest.schema_hash !== schemaHash(dataset))
      throw commandRefusal(
        'conflict',
        {},
        `Release ${manifest.release} of ${dataset.slug} has other columns than the catalog. Publish its files again.`,
      )
    const made = await compactLocked(workspace, dataset, served, delta, paths)
    return { ...made, status: 'compacted', notices: await logServed(workspace, dataset) }
  })
}

async function compactLocked(workspace: Workspace, dataset: Dataset, parent: Parent, delta: readonly Part[], paths: ReleasePaths) {
  const { manifest } = parent
  const now = workspace.clock()
  const release = nextId(dataset, now, await newestId(paths))
  const stage = await createStage(paths, release)
  try {
    const appended = await gather(workspace, manifest, await readParts(parent, delta))
    const touched = (await workspace.session.rows(`SELECT DISTINCT "_bucket" AS bucket FROM ${appended} ORDER BY 1`)).map(row =>
      Number(row['bucket']),
    )
    const base = manifest.parts.filter(({ role }) => role === 'base')
    const retained = base.filter(({ bucket }) => !touched.includes(bucket!))
    checkRetained([...retained, ...(manifest.months ?? [])], paths)
    await linkMonths(manifest.months ?? [], paths)
    const written = await writeBuckets(workspace, dataset, parent, { appended, touched, stage, paths })
    const parts = [...retained, ...written].sort((a, b) => a.bucket! - b.bucket!)
    const rows = parts.reduce((sum, part) => sum + part.rows, 0)
    if (rows !== manifest.statistics.rows)
      throw new Error(
        `Compaction stopped: ${manifest.statistics.rows} rows would become ${rows}. Run twmd releases verify ${dataset.slug} to find damaged files.`,
      )
    const spans = await writeSpans(stage, mergedSpans(parent.spans), workspace.parsed)
    await commitRelease(paths, stage, seal(compacted(manifest, { release, at: taipei(now), parts, spans }), workspace.parsed))
    return { release, rows: delta.reduce((sum, part) => sum + part.rows, 0), buckets: touched.length }
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
}

/** A compacted release has the rows of its parent and no source. */
export const isCompaction = ({ parent, sources, changes: { rows_added, rows_changed, rows_removed } }: Manifest): boolean =>
  parent !== null && sources.length === 0 && rows_added + rows_changed + rows_removed === 0

async function gather(workspace: Workspace, { key, buckets }: Manifest, rows: string): Promise<Relation> {
  const places = await mapBuckets(workspace, key!, `SELECT * FROM ${rows}`, buckets)
  return createTable(
    workspace.session,
    'appended',
    `SELECT d.*, m.bucket AS "_bucket" FROM ${rows} AS d JOIN ${places} AS m ON m.key = d.${quote(key!)}`,
  )
}

interface Buckets {
  readonly appended: Relation
  readonly touched: readonly number[]
  readonly stage: string
  readonly paths: ReleasePaths
}

/** Writes the buckets of appended rows on two sessions. */
async function writeBuckets(
  workspace: Workspace,
  dataset: Dataset,
  parent: Parent,
  { appended, touched, stage, paths }: Buckets,
): Promise<readonly Part[]> {
  const columns = list(columnsOf(dataset))
  const turns = Array.from({ length: Math.ceil(touched.length / CONCURRENT) }, (_, turn) =>
    touched.slice(turn * CONCURRENT, (turn + 1) * CONCURRENT),
  )
  const next = turns.values()
  const work = async (session: Workspace['session'], name: string): Promise<readonly Part[]> => {
    const written: Part[] = []
    for (const buckets of next) {
      const base = parent.manifest.parts.filter(({ role, bucket }) => role === 'base' && buckets.includes(bucket!))
      const retained: string[] = []
      for (const part of base) retained.push(`SELECT ${columns}, ${part.bucket} AS "_bucket" FROM ${await readParts(parent, [part])}`)
      const added = `SELECT ${columns}, "_bucket" FROM ${appended} WHERE "_bucket" IN (${buckets.join(', ')})`
      const rows = await createTable(session, name, [...retained, added].join(' UNION ALL '))
      const drafts = await writeParts({ ...workspace, session }, dataset, { rows, by: '_bucket', order: storedOrder(dataset) }, stage)
      await dropTable(session, rows)
      written.push(...(await installParts(drafts, paths)))
    }
    return written
  }
  return (await allOver([work(workspace.session, 'compacting'), work(workspace.secondSession, 'compacting_second')])).flat()
}

/** Merges days and row counts of each key. */
function mergedSpans({ base, delta, ...rest }: Spans): Spans {
  const merged: Record<string, Spans['base'][string]> = { ...base }
  for (const [key, span] of Object.entries(delta)) merged[key] = Object.hasOwn(base, key) ? merge(base[key]!, span) : span
  // Sorts by code points, as publications do.
  const keys = Object.keys(merged).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  return { ...rest, base: Object.fromEntries(keys.map(key => [key, merged[key]!])), delta: {} }
}

function merge([first, last, rows]: Span, [from, to, more]: Span): [string | null, string | null, number] {
  const days = [first, last, from, to].filter(day => day !== null).sort()
  return [days[0] ?? null, days.at(-1) ?? null, rows + more]
}

interface Laid {
  readonly release: string
  readonly at: string
  readonly parts: readonly Part[]
  readonly spans: string
}

/** Returns the manifest. The rows are the same, so the parent's measurements are copied. */
const compacted = (manifest: Manifest, { release, at, parts, spans }: Laid): Manifest => ({
  ...manifest,
  release,
  parent: manifest.release,
  published_at: at,
  parts: [...parts],
  statistics: { ...manifest.statistics, spans },
  sources: [],
  changes: {
    kind: 'new_rows',
    rows_added: 0,
    rows_changed: 0,
    rows_removed: 0,
    date_from: null,
    date_to: null,
    reach: { added: null, changed: null, removed: null },
  },
  ...(manifest.reconciliation && {
    reconciliation: manifest.reconciliation.map(each => ({
      ...each,
      release: each.release === manifest.release ? release : each.release,
      against: each.against === manifest.release ? release : each.against,
    })),
  }),
})
