import { statSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Dataset, STORED } from '../../../catalog/index.ts'
import { syncFolder } from '../../../src/core/index.ts'
import { fromParts, literal, quote, type Session } from '../../../src/engine/index.ts'
import { type MonthPart, type Part, type ReleasePaths, sha256Of } from '../../../src/releases/index.ts'
import { columnsOf, dropTable, list, type Relation, storedOrder } from '../check/relations.ts'
import { DELTA, type Layout } from './layout.ts'
import { type Months, monthOrder, sortGroups, sortMonths } from './months.ts'
import type { Workspace } from './workspace.ts'

/** Rows per row group. A read of one row decodes a whole group. */
const ROW_GROUP = 8_192
/** Fast, and supported by all Parquet readers. Parts of earlier releases may have another codec. */
const CODEC = 'snappy'

interface Draft {
  readonly file: string
  readonly group: Readonly<Record<string, unknown>>
}

interface Split {
  readonly rows: Relation
  /** Column that determines the file of a row. The column itself is not written. */
  readonly by: '_bucket' | '_month'
  readonly order: readonly string[]
}

export const byBucket = (dataset: Dataset, { final }: Layout): Split => ({ rows: final, by: '_bucket', order: storedOrder(dataset) })

/**
 * Writes rows to staging files, and reads them back. A crash leaves the staging folder.
 *
 * @throws Error if the rows that are read back differ
 */
export async function writeParts({ session }: Workspace, dataset: Dataset, split: Split, stage: string): Promise<readonly Draft[]> {
  const { rows, by, order } = split
  const groups = await session.rows(
    `SELECT "${by}"::VARCHAR AS name, ${ends('key', dataset.key)}, ${ends('date', dataset.date)}, ${digest(dataset)} FROM ${rows} GROUP BY "${by}" ORDER BY "${by}"`,
  )
  const drafts = groups.map(group => ({ file: join(stage, `part${group['name']}.parquet`), group }))
  for (const { file, group } of drafts) {
    await session.run(
      `COPY (SELECT ${typedColumns(dataset)} FROM ${rows} WHERE "${by}" = ${literal(String(group['name']))} ORDER BY ${list(order)})
       TO ${literal(file)} (FORMAT parquet, COMPRESSION ${CODEC}, ROW_GROUP_SIZE ${ROW_GROUP})`,
    )
  }
  if (drafts.length > 0) await verifyParts(session, dataset, drafts)
  return drafts
}

/** Writes one file per month. Only months that are sorted together are in memory. */
export async function writeMonths(workspace: Workspace, dataset: Dataset, months: Months, stage: string): Promise<readonly Draft[]> {
  const drafts: Draft[] = []
  for (const turn of sortGroups(months)) {
    const rows = await sortMonths(workspace, dataset, months, turn)
    drafts.push(...(await writeParts(workspace, dataset, { rows, by: '_month', order: monthOrder(dataset) }, stage)))
    await dropTable(workspace.session, rows)
  }
  return drafts
}

/** Parts of earlier releases may have other types. */
const typedColumns = (dataset: Dataset): string =>
  columnsOf(dataset)
    .map(name => `${quote(name)}::${STORED[dataset.columns[name]!.type]} AS ${quote(name)}`)
    .join(', ')

/** Returns SQL of the number of rows, and of a digest that ignores the order of rows. */
const digest = (dataset: Dataset): string => `count(*)::INTEGER AS rows, to_hex(bit_xor(hash(${list(columnsOf(dataset))}))) AS body`

/**
 * Compares written parts with their rows.
 *
 * @throws Error if they differ
 */
async function verifyParts(session: Session, dataset: Dataset, drafts: readonly Draft[]): Promise<void> {
  const read = fromParts(drafts.map(({ file }) => file))
  const rows = await session.rows(`SELECT filename, ${digest(dataset)} FROM ${read} GROUP BY filename`)
  const found = new Map(rows.map(row => [row['filename'], row]))
  for (const { file, group } of drafts) {
    const { rows, body } = found.get(file) ?? {}
    if (rows !== group['rows'] || body !== group['body'])
      throw new Error('The rows read back from disk differ from those written. Check the disk.')
  }
}

const ends = (name: string, column: string | undefined): string =>
  column === undefined
    ? `NULL AS first_${name}, NULL AS last_${name}`
    : `min(${quote(column)})::VARCHAR AS first_${name}, max(${quote(column)})::VARCHAR AS last_${name}`

/**
 * Syncs files and moves them to the folder of parts, named by sha256. A crash leaves files that no
 * manifest lists.
 */
export const installParts = async (drafts: readonly Draft[], paths: ReleasePaths): Promise<readonly Part[]> =>
  (await install(drafts, paths.parts, paths.part)).map(bucketPart)

export const installMonths = async (drafts: readonly Draft[], paths: ReleasePaths): Promise<readonly MonthPart[]> =>
  (await install(drafts, paths.months, paths.month)).map(monthPart)

function bucketPart({ name, sha256, bytes, rows, ...reach }: Installed): Part {
  const place: Pick<Part, 'role' | 'bucket'> =
    Number(name) === DELTA ? { role: 'delta', bucket: null } : { role: 'base', bucket: Number(name) }
  return { sha256, bytes, rows, ...place, ...reach }
}

const monthPart = ({ name: _, first_date, last_date, ...part }: Installed): MonthPart => ({
  ...part,
  first_date: first_date!,
  last_date: last_date!,
})

async function install(drafts: readonly Draft[], folder: string, pathOf: (sha256: string) => string): Promise<readonly Installed[]> {
  await mkdir(folder, { recursive: true })
  const parts: Installed[] = []
  for (const draft of drafts) parts.push(await installPart(draft, pathOf))
  await syncFolder(folder)
  return parts
}

interface Installed extends Omit<Part, 'role' | 'bucket'> {
  readonly name: string
}

/**
 * Moves a file into place. An existing complete file stays, because readers treat a replaced file
 * as a repair.
 */
async function place(file: string, part: string, { sha256, bytes }: { readonly sha256: string; readonly bytes: number }): Promise<void> {
  const isThere = statSync(part, { throwIfNoEntry: false })?.size === bytes && (await sha256Of(part).catch(() => '')) === sha256
  await (isThere ? rm(file) : rename(file, part))
}

async function installPart({ file, group }: Draft, pathOf: (sha256: string) => string): Promise<Installed> {
  const handle = await open(file, 'r+')
  await handle.sync()
  const { size } = await handle.stat()
  await handle.close()
  const sha256 = await sha256Of(file)
  await place(file, pathOf(sha256), { sha256, bytes: size })
  const text = (name: string): string | null => (group[name] === null ? null : String(group[name]))
  return {
    name: String(group['name']),
    sha256,
    bytes: size,
    rows: Number(group['rows']),
    first_key: text('first_key'),
    last_key: text('last_key'),
    first_date: text('first_date'),
    last_date: text('last_date'),
  }
}
