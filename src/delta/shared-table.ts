import type { Part, Release } from '../releases/index.ts'
import { partStats } from './actions.ts'
import { syntheticProperty, type TableMetadata, tableMetadata } from './schema.ts'

/** Formats of Delta Sharing. `parquet` is older than `delta`. */
export const SHARING_FORMATS = ['delta', 'parquet'] as const
export type SharingFormat = (typeof SHARING_FORMATS)[number]

export interface SharedVersion {
  readonly release: Release
  readonly version: number
  /** Milliseconds since 1970. */
  readonly servedAt: number
}

/** Temporary download URL of a part. */
export interface SharedUrl {
  readonly url: string
  readonly expiresAt: Date
}

/** All readers accept these versions. Clients cannot write, so `twmdManaged` is unnecessary. */
const PROTOCOL = { minReaderVersion: 1, minWriterVersion: 2 }

export function tableLines(format: SharingFormat, { release, version }: SharedVersion): readonly object[] {
  const { dataset, manifest } = release
  const metadata: TableMetadata = { ...tableMetadata(dataset, manifest.synthetic), configuration: syntheticProperty(manifest.synthetic) }
  const extent = { version, size: manifest.parts.reduce((sum, { bytes }) => sum + bytes, 0), numFiles: manifest.parts.length }
  if (format === 'delta') return [{ protocol: { deltaProtocol: PROTOCOL } }, { metaData: { deltaMetadata: metadata, ...extent } }]
  return [{ protocol: { minReaderVersion: PROTOCOL.minReaderVersion } }, { metaData: { ...metadata, ...extent } }]
}

/** Uses the sha256 as id, so that clients can cache the file forever. */
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
