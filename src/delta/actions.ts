import { type Dataset, schemaHash } from '../../catalog/index.ts'
import type { Manifest, Part } from '../releases/index.ts'
import type { TableMetadata } from './schema.ts'

/**
 * The `protocol` action of a Delta log. States the versions that readers and writers must support.
 */
export interface Protocol {
  readonly minReaderVersion: number
  readonly minWriterVersion: number
  readonly writerFeatures: readonly string[]
}

/**
 * Protocol that every reader supports. Only twmd supports the feature `twmdManaged`, so all other
 * writers refuse the table.
 */
export const PROTOCOL: Protocol = {
  minReaderVersion: 1,
  minWriterVersion: 7,
  writerFeatures: ['inCommitTimestamp', 'invariants', 'twmdManaged'],
}

/**
 * Statistics of a part (a Parquet file): its row count, and the lowest and highest key and date.
 */
export interface PartStats {
  readonly numRecords: number
  readonly minValues: Readonly<Record<string, string>>
  readonly maxValues: Readonly<Record<string, string>>
  /**
   * Number of nulls per column. Contains the key column and the date column, unless they are
   * nullable. So every number is 0.
   */
  readonly nullCount: Readonly<Record<string, number>>
}

/** The `add` action: a version adds a part. */
export interface AddFile {
  /** Path relative to the table's folder. */
  readonly path: string
  readonly partitionValues: Readonly<Record<string, string>>
  /** Size in bytes. */
  readonly size: number
  /** Milliseconds since 1970. */
  readonly modificationTime: number
  readonly dataChange: boolean
  readonly stats: string
}

/**
 * The `remove` action: a version no longer contains a part of the previous version. The file stays
 * on disk.
 */
export interface RemoveFile {
  readonly path: string
  /** Milliseconds since 1970. */
  readonly deletionTimestamp: number
  readonly dataChange: boolean
}

/** The `commitInfo` action: origin of a version. */
export interface CommitInfo {
  /** Milliseconds since 1970. Later versions have a greater value. */
  readonly inCommitTimestamp: number
  readonly timestamp: number
  /** `SERVE AGAIN` after a withdrawal: an earlier release is served again. */
  readonly operation: 'PUBLISH' | 'SERVE AGAIN'
  readonly operationParameters: {
    readonly release: string
    /** Id of the publication or withdrawal. The id of a publication is its release id. */
    readonly event: string
    readonly synthetic?: 'true'
    /** sha256 of the JSON text of the table's metadata in this version. */
    readonly metadata: string
    /** sha256 of the commit text. It is computed while this field contains zeros. */
    readonly sha256: string
  }
  readonly engineInfo: 'twmd'
  /**
   * Release id, with the suffix `(sample data)` for samples. Engines display this text in the
   * table's history.
   */
  readonly userMetadata: string
}

/** One line of a commit file. */
export type Action =
  | { readonly commitInfo: CommitInfo }
  | { readonly protocol: Protocol }
  | { readonly metaData: TableMetadata }
  | { readonly remove: RemoveFile }
  | { readonly add: AddFile }

/** Returns the path of a part, relative to the table's folder. */
export const partPath = (sha256: string): string => `parts/${sha256}.parquet`

/**
 * Returns one `add` action per part of a release. Month parts (a second copy of all rows) are
 * omitted.
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
 * Returns the statistics of a part. Ranges of key and date are included only if the release has the
 * current schema, because a manifest does not name the date column and the nullable columns.
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
