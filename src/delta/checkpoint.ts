import { open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder, writeSynced } from '../core/index.ts'
import { literal, type Session } from '../engine/index.ts'
import { sha256Of } from '../releases/index.ts'
import type { AddFile, Protocol } from './actions.ts'
import { checkpointName, draftOf, LAST_CHECKPOINT, listLog } from './log-files.ts'
import type { TableMetadata } from './schema.ts'

/** Number of versions between checkpoints. */
export const CHECKPOINT_EVERY = 100

export interface TableState {
  readonly version: number
  readonly protocol: Protocol
  readonly metaData: TableMetadata
  readonly files: readonly AddFile[]
}

const TEXTS = 'MAP(VARCHAR, VARCHAR)'
const SHAPE = {
  txn: { appId: 'VARCHAR', version: 'BIGINT', lastUpdated: 'BIGINT' },
  protocol: { minReaderVersion: 'INTEGER', minWriterVersion: 'INTEGER', readerFeatures: ['VARCHAR'], writerFeatures: ['VARCHAR'] },
  metaData: {
    id: 'VARCHAR',
    name: 'VARCHAR',
    description: 'VARCHAR',
    format: { provider: 'VARCHAR', options: TEXTS },
    schemaString: 'VARCHAR',
    partitionColumns: ['VARCHAR'],
    configuration: TEXTS,
    createdTime: 'BIGINT',
  },
  add: { path: 'VARCHAR', partitionValues: TEXTS, size: 'BIGINT', modificationTime: 'BIGINT', dataChange: 'BOOLEAN', stats: 'VARCHAR' },
  remove: { path: 'VARCHAR', deletionTimestamp: 'BIGINT', dataChange: 'BOOLEAN' },
}

/**
 * Writes the state of a version as a Parquet file. Readers can then skip earlier commits. A crash
 * can leave a log without the checkpoint, which readers tolerate. Omits removed files, because
 * Delta tools must not delete them.
 */
export async function writeCheckpoint(session: Session, folder: string, { version, protocol, metaData, files }: TableState): Promise<void> {
  const lines = [{ protocol }, { metaData }, ...files.map(add => ({ add: { ...add, dataChange: false } }))].map(line =>
    JSON.stringify(line),
  )
  const draft = draftOf(folder, checkpointName(version))
  await session.run('CREATE OR REPLACE TABLE checkpoint_lines (line VARCHAR)')
  try {
    await session.append('checkpoint_lines', [lines])
    const rows = `SELECT unnest(from_json(line, ${literal(JSON.stringify(SHAPE))})) FROM checkpoint_lines`
    await session.run(`COPY (${rows}) TO ${literal(draft)} (FORMAT parquet, COMPRESSION snappy)`)
  } finally {
    await session.run('DROP TABLE IF EXISTS checkpoint_lines')
  }
  await using written = await open(draft, 'r+')
  await written.sync()
  const { size } = await written.stat()
  const sha256 = await sha256Of(draft)
  await rename(draft, join(folder, checkpointName(version)))
  await syncFolder(folder)
  const pointer = { version, size: lines.length, sizeInBytes: size, numOfAddFiles: files.length, tags: { sha256 } }
  await writeSynced(draftOf(folder, LAST_CHECKPOINT), JSON.stringify(pointer))
  await rename(draftOf(folder, LAST_CHECKPOINT), join(folder, LAST_CHECKPOINT))
  await syncFolder(folder)
}

/** @returns description of the damage; null if the checkpoint is intact or absent */
export async function checkpointFault(folder: string): Promise<string | null> {
  const text = await readFile(join(folder, LAST_CHECKPOINT), 'utf8').catch(() => null)
  if (text === null) return null
  try {
    const { version, tags } = JSON.parse(text) as { readonly version: number; readonly tags: { readonly sha256: string } }
    return (await sha256Of(join(folder, checkpointName(version)))) === tags.sha256
      ? null
      : `the checkpoint of version ${version} is damaged`
  } catch {
    return 'the newest checkpoint is missing, or the file that names it is damaged'
  }
}

/** Removes the pointer first, so that no reader opens a deleted checkpoint. */
export async function removeCheckpoints(folder: string): Promise<void> {
  await rm(join(folder, LAST_CHECKPOINT), { force: true })
  await syncFolder(folder)
  const { checkpoints } = await listLog(folder)
  await Promise.all(checkpoints.map(version => rm(join(folder, checkpointName(version)), { force: true })))
}
