import { type Dataset, schemaHash } from '../../catalog/index.ts'
import type { Manifest, Part } from '../releases/index.ts'
import type { TableMetadata } from './schema.ts'

/** Versions that readers and writers must support. */
export interface Protocol {
  readonly minReaderVersion: number
  readonly minWriterVersion: number
  readonly writerFeatures: readonly string[]
}

/**
 * All readers accept this protocol. Only twmd supports `twmdManaged`, so other writers refuse the
 * table.
 */
export const PROTOCOL: Protocol = {
  minReaderVersion: 1,
  minWriterVersion: 7,
  writerFeatures: ['inCommitTimestamp', 'invariants', 'twmdManaged'],
}

/** Statistics of one Parquet file. */
export interface PartStats {
  readonly numRecords: number
  readonly minValues: Readonly<Record<string, string>>
  readonly maxValues: Readonly<Record<string, string>>
  /** Always 0, because key and date columns with nulls are omitted. */
  readonly nullCount: Readonly<Record<string, number>>
}

export interface AddFile {
  /** Path relative to the table's folder. */
  readonly path: string
  readonly partitionValues: Readonly<Record<string, string>>
  /** In bytes. */
  readonly size: number
  /** Milliseconds since 1970. */
  readonly modificationTime: number
  readonly dataChange: boolean
  readonly stats: string
}

/** The file stays on disk. */
export interface RemoveFile {
  readonly path: string
  /** Milliseconds since 1970. */
  readonly deletionTimestamp: number
  readonly dataChange: boolean
}

export interface CommitInfo {
  /** Milliseconds since 1970. Always greater than in earlier versions. */
  readonly inCommitTimestamp: number
  readonly timestamp: number
  /** `SERVE AGAIN` is a withdrawal: an earlier release is served again. */
  readonly operation: 'PUBLISH' | 'SERVE AGAIN'
  readonly operationParameters: {
    readonly release: string
    /** Withdrawal id, or release id of a publication. */
    readonly event: string
    readonly synthetic?: 'true'
    /** sha256 of the metadata JSON. */
    readonly metadata: string
    /** sha256 of the commit text. Computed while this field contains zeros. */
    readonly sha256: string
  }
  readonly engineInfo: 'twmd'
  /** Release id, with the suffix `(sample data)` for samples. Shown in the table's history. */
  readonly userMetadata: string
}

export type Action =
  | { readonly commitInfo: CommitInfo }
  | { readonly protocol: Protocol }
  | { readonly metaData: TableMetadata }
  | { readonly remove: RemoveFile }
  | { readonly add: AddFile }

/** Relative to the table's folder. */
export const partPath = (sha256: string): string => `parts/${sha256}.parquet`

/**
 * Returns one `add` action per file. Omits files by month, which repeat the rows of the other
 * files.
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

/** Includes the ranges of key and date only for releases with the current schema. */
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
