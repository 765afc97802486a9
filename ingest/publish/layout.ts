import { bucketOf, bucketsFor, ROWS_PER_BUCKET } from '../../catalog/bucket.ts'
import type { Part } from '../../catalog/release.ts'
import { schemaHash } from '../../catalog/schema.ts'
import { quote } from '../../src/query/sql.ts'
import type { Batch } from './batch.ts'
import type { Desk } from './desk.ts'
import { columnsOf, equal, list, storedOrder } from './names.ts'
import { type Parent, readParts } from './parent.ts'

/** Which parts a release keeps from its parent and how the rows in `final` are split into new ones. */
export interface Layout {
  readonly buckets: number
  readonly kept: readonly Part[]
}

/** Bucket number, in `final`, of rows that go to the delta part. */
export const DELTA = -1

/** Rows a delta may hold before they are folded into their buckets: about two months of both markets. */
const MOST_DELTA_ROWS = 100_000

/**
 * Makes `final`: every row that has to be written, with the bucket it goes to. An append writes one delta, a revision only the
 * buckets it touches, anything else the whole dataset.
 */
export async function layOut(desk: Desk, batch: Batch, parent: Parent | undefined, rowsAfter: number): Promise<Layout> {
  const { dataset } = batch
  if (!parent || dataset.publish.mode === 'replace') return rewriteAll(desk, batch, 'SELECT * FROM target', rowsAfter)
  const outgrown = rowsAfter > parent.manifest.buckets * ROWS_PER_BUCKET * 2
  const reshaped = parent.manifest.schema_hash !== schemaHash(dataset)
  if (dataset.key === undefined || outgrown || reshaped || parent.manifest.key !== dataset.key) {
    const parts = parent.manifest.parts
    const former =
      parts.length > 0
        ? `SELECT ${list(columnsOf(dataset), 'p')} FROM ${await readParts(parent, parts)} AS p WHERE ${untouched(batch)} UNION ALL `
        : ''
    return rewriteAll(desk, batch, `${former}SELECT ${list(columnsOf(dataset))} FROM upsert`, rowsAfter)
  }
  return rewriteTouched(desk, batch, parent)
}

/** True for a former row `p` that the batch neither replaces nor removes. */
const untouched = ({ dataset: { grain } }: Batch): string =>
  `NOT EXISTS (SELECT 1 FROM upsert AS u WHERE ${equal(grain, 'u', 'p')}) AND NOT EXISTS (SELECT 1 FROM removed AS r WHERE ${equal(grain, 'r', 'p')})`

async function rewriteAll(desk: Desk, { dataset }: Batch, source: string, rows: number): Promise<Layout> {
  const buckets = dataset.key === undefined ? 1 : bucketsFor(rows)
  if (dataset.key !== undefined) await mapBuckets(desk, dataset.key, source, buckets)
  const placed =
    dataset.key === undefined
      ? `SELECT *, 0 AS "_bucket" FROM (${source})`
      : `SELECT f.*, m.bucket AS "_bucket" FROM (${source}) AS f JOIN bucket_map AS m ON m.key = f.${quote(dataset.key)}`
  await desk.session.run(`CREATE OR REPLACE TABLE final AS ${placed} ORDER BY "_bucket", ${list(storedOrder(dataset))}`)
  return { buckets, kept: [] }
}

async function rewriteTouched(desk: Desk, batch: Batch, parent: Parent): Promise<Layout> {
  const { session } = desk
  const { dataset } = batch
  const { buckets, parts } = parent.manifest
  const cols = list(columnsOf(dataset))
  const delta = parts.filter(({ role }) => role === 'delta')
  const before =
    delta.length > 0
      ? `SELECT ${list(columnsOf(dataset), 'p')} FROM ${await readParts(parent, delta)} AS p WHERE ${untouched(batch)} UNION ALL `
      : ''
  await session.run(`CREATE OR REPLACE TABLE fresh AS ${before}SELECT ${cols} FROM upsert WHERE "_role" IS DISTINCT FROM 'base'`)
  const fold = await mustFold(desk, batch, delta)
  const inBase = `SELECT ${cols} FROM upsert WHERE "_role" = 'base'`
  const moving = `${inBase}${fold ? ` UNION ALL SELECT ${cols} FROM fresh` : ''}`
  const key = quote(dataset.key!)
  await mapBuckets(
    desk,
    dataset.key!,
    `SELECT ${key} FROM (${moving}) UNION ALL SELECT ${key} FROM removed WHERE "_role" = 'base' UNION ALL SELECT ${key} FROM fresh`,
    buckets,
  )
  const touched = await session.rows(
    `SELECT DISTINCT bucket FROM bucket_map WHERE key IN (SELECT ${key} FROM (${moving}) UNION ALL SELECT ${key} FROM removed WHERE "_role" = 'base')`,
  )
  const rewritten = new Set(touched.map(row => Number(row['bucket'])))
  const opened = parts.filter(({ role, bucket }) => role === 'base' && rewritten.has(bucket!))
  const rest = opened.map(
    async part =>
      `SELECT ${list(columnsOf(dataset), 'p')}, ${part.bucket} AS "_bucket" FROM ${await readParts(parent, [part])} AS p WHERE ${untouched(batch)}`,
  )
  const placed = `SELECT f.*, m.bucket AS "_bucket" FROM (${moving}) AS f JOIN bucket_map AS m ON m.key = f.${key}`
  const appended = fold ? [] : [`SELECT ${cols}, ${DELTA} AS "_bucket" FROM fresh`]
  const all = [...(await Promise.all(rest)), placed, ...appended].join(' UNION ALL ')
  await session.run(`CREATE OR REPLACE TABLE final AS SELECT * FROM (${all}) ORDER BY "_bucket", ${list(storedOrder(dataset))}`)
  return { buckets, kept: parts.filter(({ role, bucket }) => role === 'base' && !rewritten.has(bucket!)) }
}

/** A delta is folded into its buckets when a month has passed since its first row, or when it has grown long. */
async function mustFold({ session }: Desk, { dataset }: Batch, delta: readonly Part[]): Promise<boolean> {
  const last = dataset.date === undefined ? 'NULL' : `max(${quote(dataset.date)})::VARCHAR`
  const [fresh] = await session.rows(`SELECT count(*)::INTEGER AS rows, ${last} AS last FROM fresh`)
  if (Number(fresh!['rows']) > MOST_DELTA_ROWS) return true
  const first = delta[0]?.first_date
  return first != null && fresh!['last'] !== null && String(fresh!['last']).slice(0, 7) > first.slice(0, 7)
}

/** Makes `bucket_map(key, bucket)` for the keys of a source. The hash is ours, so it is taken here and not in the engine. */
async function mapBuckets({ session }: Desk, key: string, source: string, buckets: number): Promise<void> {
  const keys = (await session.rows(`SELECT DISTINCT ${quote(key)} AS key FROM (${source})`)).map(row => String(row['key']))
  await session.run('CREATE OR REPLACE TABLE bucket_text (key VARCHAR, bucket VARCHAR)')
  await session.append('bucket_text', [keys, keys.map(name => String(bucketOf(name, buckets)))])
  await session.run('CREATE OR REPLACE TABLE bucket_map AS SELECT key, bucket::INTEGER AS bucket FROM bucket_text')
}
