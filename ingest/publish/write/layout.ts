import { statSync } from 'node:fs'
import { schemaHash } from '../../../catalog/index.ts'
import { commandRefusal } from '../../../src/core/index.ts'
import { quote } from '../../../src/engine/index.ts'
import { bucketOf, bucketsFor, type Part, type PartFile, type ReleasePaths, ROWS_PER_BUCKET } from '../../../src/releases/index.ts'
import type { Batch } from '../check/batch.ts'
import { columnsOf, createTable, createTextTable, equal, list, type Relation, storedOrder } from '../check/relations.ts'
import type { Compared, Difference } from '../compare/compare.ts'
import { type Parent, readParts } from './parent.ts'
import type { Workspace } from './workspace.ts'

export interface Layout {
  /** Rows to write, in stored order. `_bucket` is the target bucket. */
  readonly final: Relation
  readonly buckets: number
  readonly retained: readonly Part[]
}

/** Bucket number of appended rows that are not in their buckets yet. */
export const DELTA = -1

/**
 * Maximum number of appended rows, about two months of both markets. More rows move to their
 * buckets.
 */
const MOST_DELTA_ROWS = 100_000

/**
 * Decides which rows to write: one delta for an append, the affected buckets for a revision,
 * otherwise everything.
 */
export async function layOut(
  workspace: Workspace,
  batch: Batch,
  parent: Parent | undefined,
  { target, difference }: Compared,
  rowsAfter: number,
): Promise<Layout> {
  const { dataset } = batch
  if (!parent || !difference || dataset.publish.mode === 'replace')
    return rewriteAll(workspace, batch, `SELECT * FROM ${target}`, rowsAfter)
  const outgrown = rowsAfter > parent.manifest.buckets * ROWS_PER_BUCKET * 2
  const reshaped = parent.manifest.schema_hash !== schemaHash(dataset)
  if (dataset.key === undefined || outgrown || reshaped || parent.manifest.key !== dataset.key) {
    const parts = parent.manifest.parts
    const former = await untouchedRows(batch, parent, difference, parts)
    const rows = [...former, `SELECT ${list(columnsOf(dataset))} FROM ${difference.upsert}`]
    return rewriteAll(workspace, batch, rows.join(' UNION ALL '), rowsAfter)
  }
  return rewriteTouched(workspace, batch, parent, difference)
}

/**
 * Returns SELECT statements for previous rows that the batch leaves unchanged. Empty if there are
 * no parts to read.
 *
 * @param extraColumns more columns, as SQL
 */
export async function untouchedRows(
  { dataset }: Batch,
  parent: Parent,
  { upsert, removed }: Difference,
  parts: readonly PartFile[],
  extraColumns = '',
): Promise<readonly string[]> {
  if (parts.length === 0) return []
  const replaced = `SELECT 1 FROM ${upsert} AS u WHERE ${equal(dataset.grain, 'u', 'p')}`
  const gone = `SELECT 1 FROM ${removed} AS r WHERE ${equal(dataset.grain, 'r', 'p')}`
  const columns = `${list(columnsOf(dataset), 'p')}${extraColumns}`
  return [`SELECT ${columns} FROM ${await readParts(parent, parts)} AS p WHERE NOT EXISTS (${replaced}) AND NOT EXISTS (${gone})`]
}

async function rewriteAll(workspace: Workspace, { dataset }: Batch, source: string, rows: number): Promise<Layout> {
  const buckets = dataset.key === undefined ? 1 : bucketsFor(rows)
  const placed =
    dataset.key === undefined
      ? `SELECT *, 0 AS "_bucket" FROM (${source})`
      : `SELECT f.*, m.bucket AS "_bucket" FROM (${source}) AS f JOIN ${await mapBuckets(workspace, dataset.key, source, buckets)} AS m ON m.key = f.${quote(dataset.key)}`
  const final = await createTable(workspace.session, 'final', `${placed} ORDER BY "_bucket", ${list(storedOrder(dataset))}`)
  return { final, buckets, retained: [] }
}

async function rewriteTouched(workspace: Workspace, batch: Batch, parent: Parent, difference: Difference): Promise<Layout> {
  const { dataset } = batch
  const { buckets, parts } = parent.manifest
  const cols = list(columnsOf(dataset))
  const { fresh, fold, alone } = await gatherFresh(workspace, batch, parent, difference)
  if (alone) {
    const final = await createTable(
      workspace.session,
      'final',
      `SELECT *, ${DELTA} AS "_bucket" FROM ${fresh} ORDER BY ${list(storedOrder(dataset))}`,
    )
    return { final, buckets, retained: parts.filter(({ role }) => role === 'base') }
  }
  const moving = `SELECT ${cols} FROM ${difference.upsert} WHERE "_role" = 'base'${fold ? ` UNION ALL SELECT ${cols} FROM ${fresh}` : ''}`
  const { bucketMap, touched } = await mapTouched(workspace, dataset.key!, { moving, fresh, removed: difference.removed }, buckets)
  const base = parts.filter(({ role }) => role === 'base')
  const rest = base
    .filter(({ bucket }) => touched.has(bucket!))
    .map(part => untouchedRows(batch, parent, difference, [part], `, ${part.bucket} AS "_bucket"`))
  const placed = `SELECT f.*, m.bucket AS "_bucket" FROM (${moving}) AS f JOIN ${bucketMap} AS m ON m.key = f.${quote(dataset.key!)}`
  const appended = fold ? [] : [`SELECT ${cols}, ${DELTA} AS "_bucket" FROM ${fresh}`]
  const all = [...(await Promise.all(rest)).flat(), placed, ...appended].join(' UNION ALL ')
  const final = await createTable(workspace.session, 'final', `SELECT * FROM (${all}) ORDER BY "_bucket", ${list(storedOrder(dataset))}`)
  return { final, buckets, retained: base.filter(({ bucket }) => !touched.has(bucket!)) }
}

/**
 * Creates a table of the delta's rows: unchanged rows, and rows of the batch. `fold` is true if the
 * rows must move to buckets. `alone` is true if the delta is the only part to write.
 */
async function gatherFresh(workspace: Workspace, batch: Batch, parent: Parent, difference: Difference) {
  const delta = parent.manifest.parts.filter(({ role }) => role === 'delta')
  const before = await untouchedRows(batch, parent, difference, delta)
  const added = `SELECT ${list(columnsOf(batch.dataset))} FROM ${difference.upsert} WHERE "_role" IS DISTINCT FROM 'base'`
  const fresh = await createTable(workspace.session, 'fresh', [...before, added].join(' UNION ALL '))
  return { fresh, ...(await mustFold(workspace, batch, difference, fresh, delta)) }
}

interface Moving {
  readonly moving: string
  readonly fresh: Relation
  readonly removed: Relation
}

/** Returns the bucket of each key with rows to write, and the buckets that lose or receive rows. */
async function mapTouched(workspace: Workspace, name: string, { moving, fresh, removed }: Moving, buckets: number) {
  const key = quote(name)
  const touching = `SELECT ${key} FROM (${moving}) UNION ALL SELECT ${key} FROM ${removed} WHERE "_role" = 'base'`
  const bucketMap = await mapBuckets(workspace, name, `${touching} UNION ALL SELECT ${key} FROM ${fresh}`, buckets)
  const touched = await workspace.session.rows(`SELECT DISTINCT bucket FROM ${bucketMap} WHERE key IN (${touching})`)
  return { bucketMap, touched: new Set(touched.map(row => Number(row['bucket']))) }
}

/**
 * Appended rows move to buckets (`fold`) in a new month, or if there are too many. `alone` is true
 * if no bucket changes.
 */
async function mustFold(
  { session }: Workspace,
  { dataset }: Batch,
  { upsert, removed }: Difference,
  fresh: Relation,
  delta: readonly Part[],
): Promise<{ readonly fold: boolean; readonly alone: boolean }> {
  const last = dataset.date === undefined ? 'NULL' : `max(${quote(dataset.date)})::VARCHAR`
  const inBase = (of: Relation): string => `EXISTS (SELECT 1 FROM ${of} WHERE "_role" = 'base')`
  const [existing] = await session.rows(
    `SELECT count(*)::INTEGER AS rows, ${last} AS last, ${inBase(upsert)} OR ${inBase(removed)} AS base FROM ${fresh}`,
  )
  const first = delta[0]?.first_date
  const fold =
    Number(existing!['rows']) > MOST_DELTA_ROWS ||
    (first != null && existing!['last'] !== null && String(existing!['last']).slice(0, 7) > first.slice(0, 7))
  return { fold, alone: !fold && existing!['base'] !== true }
}

/**
 * Creates a table `(key, bucket)`. Hashes in JavaScript, because the engine's hash function may
 * change.
 */
export async function mapBuckets({ session }: Workspace, key: string, source: string, buckets: number): Promise<Relation> {
  const keys = (await session.rows(`SELECT DISTINCT ${quote(key)} AS key FROM (${source})`)).map(row => String(row['key']))
  const text = await createTextTable(session, 'bucket_text', { key: keys, bucket: keys.map(name => String(bucketOf(name, buckets))) })
  return createTable(session, 'bucket_map', `SELECT key, bucket::INTEGER AS bucket FROM ${text}`)
}

/**
 * Checks that retained parts exist and have the expected size. Does not hash the parts, because the
 * service hashes them when it serves the release.
 *
 * @throws Refusal integrity
 */
export function checkRetained(retained: readonly PartFile[], paths: ReleasePaths): void {
  for (const part of retained) {
    if (statSync(paths.file(part), { throwIfNoEntry: false })?.size !== part.bytes)
      throw commandRefusal('integrity', {}, `Part ${part.sha256.slice(0, 12)} is damaged; restore it from a backup, then publish again.`)
  }
}
