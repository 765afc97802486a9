import { mkdir, open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Dataset } from '../../catalog/index.ts'
import { fromParts, literal, quote } from '../../src/engine/index.ts'
import { type Part, type ReleasePaths, sha256Of } from '../../src/releases/index.ts'
import { syncFolder } from './commit.ts'
import { DELTA, type Layout } from './layout.ts'
import { columnsOf, list, storedOrder } from './relations.ts'
import type { Workspace } from './workspace.ts'

/** Rows per row group: the least a point read decodes. */
const ROW_GROUP = 8_192
/** Every engine that reads Parquet reads it, and it takes next to no time. Parts of earlier releases may be in another codec. */
const CODEC = 'snappy'

/** A part in the staging folder, with what the engine measured of its rows. */
interface Draft {
  readonly file: string
  readonly group: Readonly<Record<string, unknown>>
}

/** Writes the rows of a layout as parts in the staging folder, one file a bucket. A crash leaves the staging folder. */
export async function writeParts({ session }: Workspace, dataset: Dataset, { final }: Layout, stage: string): Promise<readonly Draft[]> {
  const groups = await session.rows(
    `SELECT "_bucket"::INTEGER AS bucket, count(*)::INTEGER AS rows, ${ends('key', dataset.key)}, ${ends('date', dataset.date)} FROM ${final} GROUP BY 1 ORDER BY 1`,
  )
  const drafts = groups.map(group => ({ file: join(stage, `part${group['bucket']}.parquet`), group }))
  for (const { file, group } of drafts) {
    await session.run(
      `COPY (SELECT ${list(columnsOf(dataset))} FROM ${final} WHERE "_bucket" = ${Number(group['bucket'])} ORDER BY ${list(storedOrder(dataset))})
       TO ${literal(file)} (FORMAT parquet, COMPRESSION ${CODEC}, ROW_GROUP_SIZE ${ROW_GROUP})`,
    )
  }
  return drafts
}

/** Reads written parts back and compares them with the rows they were written from. @throws Error when they differ */
export async function verifyParts({ session }: Workspace, dataset: Dataset, { final }: Layout, drafts: readonly Draft[]): Promise<void> {
  if (drafts.length === 0) return
  const digest = `SELECT count(*)::INTEGER AS rows, to_hex(bit_xor(hash(${list(columnsOf(dataset))}))) AS body FROM`
  const read = fromParts(drafts.map(({ file }) => file))
  const [[wanted], [found]] = [await session.rows(`${digest} ${final}`), await session.rows(`${digest} ${read}`)]
  if (wanted!['rows'] !== found!['rows'] || wanted!['body'] !== found!['body'])
    throw new Error('What was read back from disk is not what was written; check the disk')
}

/** Syncs parts and moves them to where releases share them, each named by its content. A crash leaves files no manifest names. */
export async function installParts(drafts: readonly Draft[], paths: ReleasePaths): Promise<readonly Part[]> {
  await mkdir(paths.parts, { recursive: true })
  const parts: Part[] = []
  for (const draft of drafts) parts.push(await installPart(draft, paths))
  await syncFolder(paths.parts)
  return parts
}

const ends = (name: string, column: string | undefined): string =>
  column === undefined
    ? `NULL AS first_${name}, NULL AS last_${name}`
    : `min(${quote(column)})::VARCHAR AS first_${name}, max(${quote(column)})::VARCHAR AS last_${name}`

async function installPart({ file, group }: Draft, paths: ReleasePaths): Promise<Part> {
  const handle = await open(file, 'r+')
  await handle.sync()
  const { size } = await handle.stat()
  await handle.close()
  const sha256 = await sha256Of(file)
  await rename(file, paths.part(sha256))
  const isDelta = group['bucket'] === DELTA
  const text = (name: string): string | null => (group[name] === null ? null : String(group[name]))
  return {
    sha256,
    bytes: size,
    rows: Number(group['rows']),
    role: isDelta ? 'delta' : 'base',
    bucket: isDelta ? null : Number(group['bucket']),
    first_key: text('first_key'),
    last_key: text('last_key'),
    first_date: text('first_date'),
    last_date: text('last_date'),
  }
}
