import { mkdir, open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Dataset } from '../../catalog/index.ts'
import { fromParts, literal, quote } from '../../src/engine/index.ts'
import { type Part, type releasePaths, sha256Of } from '../../src/releases/index.ts'
import { columnsOf, list, storedOrder } from './columns.ts'
import { syncFolder } from './commit.ts'
import { DELTA } from './layout.ts'
import type { Workspace } from './workspace.ts'

/** Rows to a row group: what a point read has to decode at the least. */
const ROW_GROUP = 8_192

/**
 * Writes `final` as parts in the staging folder, one file a bucket, then moves them to where releases share them. Each is synced,
 * read back and compared before it moves; a crash leaves files no manifest names.
 *
 * @throws Error when what was read back is not what was written
 */
export async function writeParts(
  workspace: Workspace,
  dataset: Dataset,
  stage: string,
  paths: ReturnType<typeof releasePaths>,
): Promise<readonly Part[]> {
  const { session } = workspace
  const groups = await session.rows(
    `SELECT "_bucket"::INTEGER AS bucket, count(*)::INTEGER AS rows, ${ends('key', dataset.key)}, ${ends('date', dataset.date)} FROM final GROUP BY 1 ORDER BY 1`,
  )
  const files = groups.map(({ bucket }) => join(stage, `part${bucket}.parquet`))
  for (const [index, { bucket }] of groups.entries()) {
    await session.run(
      `COPY (SELECT ${list(columnsOf(dataset))} FROM final WHERE "_bucket" = ${Number(bucket)} ORDER BY ${list(storedOrder(dataset))})
       TO ${literal(files[index]!)} (FORMAT parquet, COMPRESSION lz4_raw, ROW_GROUP_SIZE ${ROW_GROUP})`,
    )
  }
  if (files.length > 0) await compareWritten(workspace, dataset, files)
  await mkdir(paths.parts, { recursive: true })
  const parts: Part[] = []
  for (const [index, group] of groups.entries()) parts.push(await settlePart(files[index]!, group, paths))
  await syncFolder(paths.parts)
  return parts
}

const ends = (name: string, column: string | undefined): string =>
  column === undefined
    ? `NULL AS first_${name}, NULL AS last_${name}`
    : `min(${quote(column)})::VARCHAR AS first_${name}, max(${quote(column)})::VARCHAR AS last_${name}`

async function compareWritten({ session }: Workspace, dataset: Dataset, files: readonly string[]): Promise<void> {
  const digest = `SELECT count(*)::INTEGER AS rows, to_hex(bit_xor(hash(${list(columnsOf(dataset))}))) AS body FROM`
  const [[wanted], [found]] = [await session.rows(`${digest} final`), await session.rows(`${digest} ${fromParts(files)}`)]
  if (wanted!['rows'] !== found!['rows'] || wanted!['body'] !== found!['body'])
    throw new Error('What was read back from disk is not what was written; check the disk')
}

async function settlePart(file: string, group: Readonly<Record<string, unknown>>, paths: ReturnType<typeof releasePaths>): Promise<Part> {
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
