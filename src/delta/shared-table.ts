import type { Part, Release } from '../releases/index.ts'
import { partStats } from './actions.ts'
import { syntheticProperty, type TableMetadata, tableMetadata } from './schema.ts'

/**
 * Response formats of Delta Sharing: actions of a Delta log, or the protocol's own older format.
 */
export const SHARING_FORMATS = ['delta', 'parquet'] as const
export type SharingFormat = (typeof SHARING_FORMATS)[number]

/** A version of a shared table. */
export interface SharedVersion {
  readonly release: Release
  readonly version: number
  /** Time since which the version is served, in milliseconds since 1970. */
  readonly servedAt: number
}

/** A temporary download URL of a part. */
export interface SharedUrl {
  readonly url: string
  readonly expiresAt: Date
}

/**
 * Lowest protocol versions, so that all readers work. Unlike the log, shared tables need no feature
 * that excludes writers.
 */
const PROTOCOL = { minReaderVersion: 1, minWriterVersion: 2 }

/** The first lines of every response about a table: protocol and metadata. */
export function tableLines(format: SharingFormat, { release, version }: SharedVersion): readonly object[] {
  const { dataset, manifest } = release
  const metadata: TableMetadata = { ...tableMetadata(dataset, manifest.synthetic), configuration: syntheticProperty(manifest.synthetic) }
  const extent = { version, size: manifest.parts.reduce((sum, { bytes }) => sum + bytes, 0), numFiles: manifest.parts.length }
  if (format === 'delta') return [{ protocol: { deltaProtocol: PROTOCOL } }, { metaData: { deltaMetadata: metadata, ...extent } }]
  return [{ protocol: { minReaderVersion: PROTOCOL.minReaderVersion } }, { metaData: { ...metadata, ...extent } }]
}

/**
 * The line that describes one part in a response. Its id is its sha256, so readers can cache it
 * forever.
 */
export function fileLine(
  format: SharingFormat,
  { release, version, servedAt }: SharedVersion,
  part: Part,
  { url, expiresAt }: SharedUrl,
): object {
  const { sha256: id, bytes: size } = part
  const validity = { version, timestamp: servedAt, expirationTimestamp: expiresAt.getTime() }
  const file = { partitionValues: {}, size, stats: JSON.stringify(partStats(release.dataset, release.manifest, part)) }
  if (format === 'parquet') return { file: { url, id, ...file, ...validity } }
  return {
    file: { id, size, ...validity, deltaSingleAction: { add: { path: url, ...file, modificationTime: servedAt, dataChange: true } } },
  }
}
