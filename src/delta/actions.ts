import { type Dataset, schemaHash } from '../../catalog/index.ts'
import type { Manifest, Part } from '../releases/index.ts'
import type { TableMetadata } from './schema.ts'

/** Which readers and writers a table admits. */
export interface Protocol {
  readonly minReaderVersion: number
  readonly minWriterVersion: number
  readonly writerFeatures: readonly string[]
}

/** Every reader reads the table; a writer refuses it, because no engine knows the feature `twmdManaged`. */
export const PROTOCOL: Protocol = {
  minReaderVersion: 1,
  minWriterVersion: 7,
  writerFeatures: ['inCommitTimestamp', 'invariants', 'twmdManaged'],
}

/** What a part holds: its rows, and the ends of the dataset's key and date in it. */
export interface PartStats {
  readonly numRecords: number
  readonly minValues: Readonly<Record<string, string>>
  readonly maxValues: Readonly<Record<string, string>>
  /** Of the key and the date where no row may lack them: 0. */
  readonly nullCount: Readonly<Record<string, number>>
}

/** A part that a version of the table has. */
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

/** A part that the version before had and this one has not. The file stays where it is. */
export interface RemoveFile {
  readonly path: string
  /** Milliseconds since 1970. */
  readonly deletionTimestamp: number
  readonly dataChange: boolean
}

/** Which release a version serves, how, and since when. */
export interface CommitInfo {
  /** Milliseconds since 1970, greater than those of every version before. */
  readonly inCommitTimestamp: number
  readonly timestamp: number
  /** `SERVE AGAIN` where a release that had been served took the place of a later one. */
  readonly operation: 'PUBLISH' | 'SERVE AGAIN'
  readonly operationParameters: {
    readonly release: string
    /** Id of the publication, which is the release's, or of the withdrawal. */
    readonly event: string
    /** Present where the release's rows are samples. */
    readonly synthetic?: 'true'
    /** sha256 of the table's metadata in this version. */
    readonly metadata: string
    /** sha256 of the commit, written with zeros in this place. */
    readonly sha256: string
  }
  readonly engineInfo: 'twmd'
  /** The release once more, where engines show it; with `(sample data)` after it where its rows are samples. */
  readonly userMetadata: string
}

/** One line of a commit. */
export type Action =
  | { readonly commitInfo: CommitInfo }
  | { readonly protocol: Protocol }
  | { readonly metaData: TableMetadata }
  | { readonly remove: RemoveFile }
  | { readonly add: AddFile }

/** Where a part lies, relative to the table's folder. */
export const partPath = (sha256: string): string => `parts/${sha256}.parquet`

/**
 * Every row of a release once, a file a part: the months, which hold them a second time, are left out.
 *
 * @param at milliseconds since 1970, as the modification time
 */
export const addFiles = (dataset: Dataset, manifest: Manifest, at: number): readonly AddFile[] =>
  manifest.parts.map(part => ({
    path: partPath(part.sha256),
    partitionValues: {},
    size: part.bytes,
    modificationTime: at,
    dataChange: true,
    stats: JSON.stringify(partStats(dataset, manifest, part)),
  }))

/**
 * What the manifest tells of a part. It does not say which column its days are of, nor which may be null: both are known only of releases
 * that were written for the columns the catalog declares now.
 */
export function partStats(dataset: Dataset, manifest: Pick<Manifest, 'key' | 'schema_hash'>, part: Part): PartStats {
  const declared = manifest.schema_hash === schemaHash(dataset)
  const columns = dataset.columns
  const ends = [
    [declared && manifest.key !== null && columns[manifest.key]?.type === 'text' ? manifest.key : null, part.first_key, part.last_key],
    [declared && dataset.date !== undefined ? dataset.date : null, part.first_date, part.last_date],
  ] as const
  const known = ends.flatMap(([column, first, last]) =>
    column !== null && first !== null && last !== null ? [{ column, first, last }] : [],
  )
  return {
    numRecords: part.rows,
    minValues: Object.fromEntries(known.map(({ column, first }) => [column, first])),
    maxValues: Object.fromEntries(known.map(({ column, last }) => [column, last])),
    nullCount: Object.fromEntries(known.flatMap(({ column }) => (columns[column]?.nullable ? [] : [[column, 0]]))),
  }
}
