import { type Dataset, schemaHash } from '../../catalog/index.ts'
import type { Manifest, Part } from '../releases/index.ts'
import type { TableMetadata } from './schema.ts'

/** The `protocol` action: versions that readers and writers must support. */
export interface Protocol {
  readonly minReaderVersion: number
  readonly minWriterVersion: number
  readonly writerFeatures: readonly string[]
}

/** Allows every reader. Excludes other writers: no engine supports the feature `twmdManaged`. */
export const PROTOCOL: Protocol = {
  minReaderVersion: 1,
  minWriterVersion: 7,
  writerFeatures: ['inCommitTimestamp', 'invariants', 'twmdManaged'],
}

/** Statistics of a part: its row count, and the ranges of the dataset's key and date. */
export interface PartStats {
  readonly numRecords: number
  readonly minValues: Readonly<Record<string, string>>
  readonly maxValues: Readonly<Record<string, string>>
  /** Null counts. 0 for the key and the date, unless they are nullable. */
  readonly nullCount: Readonly<Record<string, number>>
}

/** A part that a version adds. */
export interface AddFile {
  /** Relative to the table's folder. */
  readonly path: string
  readonly partitionValues: Readonly<Record<string, string>>
  /** Bytes. */
  readonly size: number
  /** Milliseconds since 1970. */
  readonly modificationTime: number
  readonly dataChange: boolean
  /** `PartStats` as JSON text. */
  readonly stats: string
}

/**
 * A part of the previous version that the new version does not contain. The file is not deleted.
 */
export interface RemoveFile {
  readonly path: string
  /** Milliseconds since 1970. */
  readonly deletionTimestamp: number
  readonly dataChange: boolean
}

/** Provenance of a version. */
export interface CommitInfo {
  /** Milliseconds since 1970. Greater than in every earlier version. */
  readonly inCommitTimestamp: number
  readonly timestamp: number
  /** `SERVE AGAIN` if an earlier release replaced a later one. */
  readonly operation: 'PUBLISH' | 'SERVE AGAIN'
  readonly operationParameters: {
    readonly release: string
    /** Id of the publication (the release id) or of the withdrawal. */
    readonly event: string
    /** Present if the release's rows are samples. */
    readonly synthetic?: 'true'
    /** sha256 of the table's metadata in this version. */
    readonly metadata: string
    /** sha256 of the commit text, in which this field is filled with zeros. */
    readonly sha256: string
  }
  readonly engineInfo: 'twmd'
  /** The release id, followed by `(sample data)` for samples. Engines display it. */
  readonly userMetadata: string
}

/** One line of a commit. */
export type Action =
  | { readonly commitInfo: CommitInfo }
  | { readonly protocol: Protocol }
  | { readonly metaData: TableMetadata }
  | { readonly remove: RemoveFile }
  | { readonly add: AddFile }

/** Path of a part, relative to the table's folder. */
export const partPath = (sha256: string): string => `parts/${sha256}.parquet`

/**
 * `add` actions for the parts of a release. Month parts are left out, because they repeat all rows.
 *
 * @param modificationTime milliseconds since 1970
 */
export const addFiles = (dataset: Dataset, manifest: Manifest, modificationTime: number): readonly AddFile[] =>
  manifest.parts.map(part => ({
    path: partPath(part.sha256),
    partitionValues: {},
    size: part.bytes,
    modificationTime,
    dataChange: true,
    stats: JSON.stringify(partStats(dataset, manifest, part)),
  }))

/**
 * Statistics of a part, from its manifest. Manifests do not name the date column and nullable
 * columns, so releases with an earlier schema have only a row count.
 */
export function partStats(dataset: Dataset, manifest: Pick<Manifest, 'key' | 'schema_hash'>, part: Part): PartStats {
  const hasCurrentSchema = manifest.schema_hash === schemaHash(dataset)
  const columns = dataset.columns
  const hasTextKey = manifest.key !== null && columns[manifest.key]?.type === 'text'
  const candidates = [
    [hasCurrentSchema && hasTextKey ? manifest.key : null, part.first_key, part.last_key],
    [hasCurrentSchema && dataset.date !== undefined ? dataset.date : null, part.first_date, part.last_date],
  ] as const
  const ranges = candidates.flatMap(([column, first, last]) =>
    column !== null && first !== null && last !== null ? [{ column, first, last }] : [],
  )
  return {
    numRecords: part.rows,
    minValues: Object.fromEntries(ranges.map(({ column, first }) => [column, first])),
    maxValues: Object.fromEntries(ranges.map(({ column, last }) => [column, last])),
    nullCount: Object.fromEntries(ranges.flatMap(({ column }) => (columns[column]?.nullable ? [] : [[column, 0]]))),
  }
}
