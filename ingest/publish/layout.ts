import { schemaHash } from '../../catalog/index.ts'
import { quote } from '../../src/engine/index.ts'
import { bucketOf, bucketsFor, type Part, ROWS_PER_BUCKET } from '../../src/releases/index.ts'
import type { Batch } from './batch.ts'
import { columnsOf, equal, list, storedOrder } from './columns.ts'
import { type Parent, readParts } from './parent.ts'
import type { Workspace } from './workspace.ts'

/** Which parts a release keeps from its parent and how the rows in `final` are split into new ones. */
export interface Layout {
  readonly buckets: number
  readonly retained: readonly Part[]
}

/** Bucket number, in `final`, of rows that go to the delta part. */
export const DELTA = -1

/** Rows a delta may hold before they are folded into their buckets: about two months of both markets. */
const MOST_DELTA_ROWS = 100_000

/**
 * Makes `final`: every row that has to be written, with the bucket it goes to. An append writes one delta, a revision only the
 * buckets it touches, anything else the whole dataset.
 */
export async function layOut(workspace: Workspace, batch: Batch, parent: Parent | undefined, rowsAfter: number): Promise<Layout> {
  const { dataset } = batch
  if (!parent || dataset.publish.mode === 'replace') return rewriteAll(workspace, batch, 'SELECT * FROM target', rowsAfter)
  const outgrown = rowsAfter > parent.manifest.buckets * ROWS_PER_BUCKET * 2
  const reshaped = parent.manifest.schema_hash !== schemaHash(dataset)
  if (dataset.key === undefined || outgrown || reshaped || parent.manifest.key !== dataset.key) {
    const parts = parent.manifest.parts
    const former = parts.length > 0 ? `${await untouchedRows(batch, parent, parts)} UNION ALL ` : ''
    return rewriteAll(workspace, batch, `${former}SELECT ${list(columnsOf(dataset))} FROM upsert`, rowsAfter)
  }
  return rewriteTouched(workspace, batch, parent)
}

/** Former rows of some parts that the batch neither replaces nor removes. @param beside more columns, as SQL */
async function untouchedRows({ dataset }: Batch, parent: Parent, parts: readonly Part[], beside = ''): Promise<string> {
  const replaced = `SELECT 1 FROM upsert AS u WHERE ${equal(dataset.grain, 'u', 'p')}`
  const removed = `SELECT 1 FROM removed AS r WHERE ${equal(dataset.grain, 'r', 'p')}`
  const columns = `${list(columnsOf(dataset), 'p')}${beside}`
  return `SELECT ${columns} FROM ${await readParts(parent, parts)} AS p WHERE NOT EXISTS (${replaced}) AND NOT EXISTS (${removed})`
}

async function rewriteAll(workspace: Workspace, { dataset }: Batch, source: string, rows: number): Promise<Layout> {
  const buckets = dataset.key === undefined ? 1 : bucketsFor(rows)
  if (dataset.key !== undefined) await mapBuckets(workspace, dataset.key, source, buckets)
  const placed =
    dataset.key === undefined
      ? `SELECT *, 0 AS "_bucket" FROM (${source})`
      : `SELECT f.*, m.bucket AS "_bucket" FROM (${source}) AS f JOIN bucket_map AS m ON m.key = f.${quote(dataset.key)}`
  await workspace.session.run(`CREATE OR REPLACE TABLE final AS ${placed} ORDER BY "_bucket", ${list(storedOrder(dataset))}`)
  return { buckets, retained: [] }
}

async function rewriteTouched(workspace: Workspace, batch: Batch, parent: Parent): Promise<Layout> {
  const { dataset } = batch
  const { buckets, parts } = parent.manifest
  const cols = list(columnsOf(dataset))
  const fold = await gatherFresh(workspace, batch, parent)
  const moving = `SELECT ${cols} FROM upsert WHERE "_role" = 'base'${fold ? ` UNION ALL SELECT ${cols} FROM fresh` : ''}`
  const touched = await mapTouched(workspace, dataset.key!, moving, buckets)
  const base = parts.filter(({ role }) => role === 'base')
  const rest = base
    .filter(({ bucket }) => touched.has(bucket!))
    .map(part => untouchedRows(batch, parent, [part], `, ${part.bucket} AS "_bucket"`))
  const placed = `SELECT f.*, m.bucket AS "_bucket" FROM (${moving}) AS f JOIN bucket_map AS m ON m.key = f.${quote(dataset.key!)}`
  const appended = fold ? [] : [`SELECT ${cols}, ${DELTA} AS "_bucket" FROM fresh`]
  const all = [...(await Promise.all(rest)), placed, ...appended].join(' UNION ALL ')
  await workspace.session.run(`CREATE OR REPLACE TABLE final AS SELECT * FROM (${all}) ORDER BY "_bucket", ${list(storedOrder(dataset))}`)
  return { buckets, retained: base.filter(({ bucket }) => !touched.has(bucket!)) }
}

/** Makes `fresh`: what the delta holds once the batch is in it. @returns true where it is to be folded into its buckets */
async function gatherFresh(workspace: Workspace, batch: Batch, parent: Parent): Promise<boolean> {
  const delta = parent.manifest.parts.filter(({ role }) => role === 'delta')
  const before = delta.length > 0 ? `${await untouchedRows(batch, parent, delta)} UNION ALL ` : ''
  const added = `SELECT ${list(columnsOf(batch.dataset))} FROM upsert WHERE "_role" IS DISTINCT FROM 'base'`
  await workspace.session.run(`CREATE OR REPLACE TABLE fresh AS ${before}${added}`)
  return mustFold(workspace, batch, delta)
}

/** Makes `bucket_map` for every key there are rows to write of. @returns buckets that lose or receive rows */
async function mapTouched(workspace: Workspace, name: string, moving: string, buckets: number): Promise<ReadonlySet<number>> {
  const key = quote(name)
  const touching = `SELECT ${key} FROM (${moving}) UNION ALL SELECT ${key} FROM removed WHERE "_role" = 'base'`
  await mapBuckets(workspace, name, `${touching} UNION ALL SELECT ${key} FROM fresh`, buckets)
  const touched = await workspace.session.rows(`SELECT DISTINCT bucket FROM bucket_map WHERE key IN (${touching})`)
  return new Set(touched.map(row => Number(row['bucket'])))
}

/** A delta is folded into its buckets when a month has passed since its first row, or when it has grown long. */
async function mustFold({ session }: Workspace, { dataset }: Batch, delta: readonly Part[]): Promise<boolean> {
  const last = dataset.date === undefined ? 'NULL' : `max(${quote(dataset.date)})::VARCHAR`
  const [fresh] = await session.rows(`SELECT count(*)::INTEGER AS rows, ${last} AS last FROM fresh`)
  if (Number(fresh!['rows']) > MOST_DELTA_ROWS) return true
  const first = delta[0]?.first_date
  return first != null && fresh!['last'] !== null && String(fresh!['last']).slice(0, 7) > first.slice(0, 7)
}

/** Makes `bucket_map(key, bucket)` for the keys of a source. The hash is ours, so it is taken here and not in the engine. */
async function mapBuckets({ session }: Workspace, key: string, source: string, buckets: number): Promise<void> {
  const keys = (await session.rows(`SELECT DISTINCT ${quote(key)} AS key FROM (${source})`)).map(row => String(row['key']))
  await session.run('CREATE OR REPLACE TABLE bucket_text (key VARCHAR, bucket VARCHAR)')
  await session.append('bucket_text', [keys, keys.map(name => String(bucketOf(name, buckets)))])
  await session.run('CREATE OR REPLACE TABLE bucket_map AS SELECT key, bucket::INTEGER AS bucket FROM bucket_text')
}
