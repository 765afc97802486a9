import type { Part, Release } from '../releases/index.ts'
import { partStats } from './actions.ts'
import { syntheticProperty, type TableMetadata, tableMetadata } from './schema.ts'

/** How Delta Sharing answers: in the words of a Delta log, or in its own older ones. */
export const SHARING_FORMATS = ['delta', 'parquet'] as const
export type SharingFormat = (typeof SHARING_FORMATS)[number]

/** A version of a table, as it is shared. */
export interface SharedVersion {
  readonly release: Release
  readonly version: number
  /** Since when it was served, milliseconds since 1970. */
  readonly at: number
}

/** Where a part is read for a while. */
export interface SharedUrl {
  readonly url: string
  readonly expiresAt: Date
}

/** Readers of any version take it: what refuses writers in the log is of no use to those who have no log to write to. */
const PROTOCOL = { minReaderVersion: 1, minWriterVersion: 2 }

/** The lines that begin every answer about a table: which readers may read it, and what it is. */
export function tableLines(format: SharingFormat, { release, version }: SharedVersion): readonly object[] {
  const { dataset, manifest } = release
  const metadata: TableMetadata = { ...tableMetadata(dataset, manifest.synthetic), configuration: syntheticProperty(manifest.synthetic) }
  const extent = { version, size: manifest.parts.reduce((sum, { bytes }) => sum + bytes, 0), numFiles: manifest.parts.length }
  if (format === 'delta') return [{ protocol: { deltaProtocol: PROTOCOL } }, { metaData: { deltaMetadata: metadata, ...extent } }]
  return [{ protocol: { minReaderVersion: PROTOCOL.minReaderVersion } }, { metaData: { ...metadata, ...extent } }]
}

/** The line of one part of it. A part is named by its sha256, so that a reader may keep it for as long as it likes. */
export function fileLine(
  format: SharingFormat,
  { release, version, at }: SharedVersion,
  part: Part,
  { url, expiresAt }: SharedUrl,
): object {
  const { sha256: id, bytes: size } = part
  const about = { version, timestamp: at, expirationTimestamp: expiresAt.getTime() }
  const file = { partitionValues: {}, size, stats: JSON.stringify(partStats(release.dataset, release.manifest, part)) }
  if (format === 'parquet') return { file: { url, id, ...file, ...about } }
  return { file: { id, size, ...about, deltaSingleAction: { add: { path: url, ...file, modificationTime: at, dataChange: true } } } }
}
