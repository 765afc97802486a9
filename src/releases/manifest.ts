import { existsSync } from 'node:fs'
import { join, sep } from 'node:path'
import { z } from 'zod'
import { storedName } from '../../catalog/index.ts'

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const Day = z.iso.date().nullable()

/**
 * Pattern of a release id: the time of publication in UTC with milliseconds, for example
 * `20260701T060000123Z`. Datasets in preview have the suffix `-preview`. The alphabetical order of
 * ids is their order in time.
 */
export const RELEASE_FORM = /^\d{8}T\d{9}Z(-preview)?$/
export const ReleaseId = z.string().regex(RELEASE_FORM)

export const Part = z.strictObject({
  sha256: Sha256,
  bytes: z.int().positive(),
  rows: z.int().positive(),
  /**
   * `base` for a part with the rows of one bucket (hash partition of the keys). `delta` for a part
   * with rows of all buckets that were added since the last compaction.
   */
  role: z.enum(['base', 'delta']),
  bucket: z.int().nonnegative().nullable(),
  first_key: z.string().nullable(),
  last_key: z.string().nullable(),
  first_date: Day,
  last_date: Day,
})
export type Part = z.infer<typeof Part>

/**
 * A part with the rows of one month. Sorted by day, then by key, so that the rows of a day are
 * consecutive.
 */
export const MonthPart = Part.omit({ role: true, bucket: true }).required().extend({ first_date: z.iso.date(), last_date: z.iso.date() })
export type MonthPart = z.infer<typeof MonthPart>

/**
 * A file of a release: a part by key or a part by month. The parts by month contain the same rows a
 * second time.
 */
export type PartFile = Part | MonthPart

/** A total of a column, as stated by the source. It is compared with the total of the rows. */
export const Total = z.strictObject({
  column: z.string(),
  /** Pattern for the keys of the rows that are added up. Null for all rows. */
  of: z.string().nullable(),
  stated: z.number(),
})
export type Total = z.infer<typeof Total>

export const Source = z.strictObject({
  name: z.string(),
  sha256: Sha256,
  bytes: z.int().nonnegative(),
  rows: z.int().nonnegative(),
  /** Name of the feed that read the file. For a partition file from the inbox, the file format. */
  read_as: z.string(),
  url: z.string().nullable(),
  /**
   * Number of rows of the source, including unreadable rows. Absent if the rows were not counted
   * before parsing.
   */
  held: z.int().nonnegative().optional(),
  totals: z.array(Total).optional(),
})
export type Source = z.infer<typeof Source>

/** First and last day of rows. Null if there are no rows, or if the dataset has no dates. */
const DaySpan = z.tuple([z.iso.date(), z.iso.date()]).nullable()

export const Changes = z.strictObject({
  kind: z.enum(['new_rows', 'revision', 'backfill', 'schema_change']),
  rows_added: z.int().nonnegative(),
  rows_changed: z.int().nonnegative(),
  rows_removed: z.int().nonnegative(),
  date_from: Day,
  date_to: Day,
  /**
   * First and last day of the added rows, of the changed rows and of the removed rows. Absent in
   * the oldest releases.
   */
  reach: z.strictObject({ added: DaySpan, changed: DaySpan, removed: DaySpan }).optional(),
})
export type Changes = z.infer<typeof Changes>

/**
 * Result of a comparison with independent figures: the total number of rows, how many were compared
 * (`compared`) and how many of these agree (`matched`).
 */
export const Measured = z.strictObject({
  method: z.string(),
  dataset: z.string(),
  release: ReleaseId,
  /**
   * Release of the other dataset in the comparison. Null if the rows were not compared with a
   * dataset.
   */
  against: ReleaseId.nullable(),
  /** Hash of the compared expression. If the hash changes, earlier counts are not reused. */
  formula: z.string(),
  rows: z.int().nonnegative(),
  compared: z.int().nonnegative(),
  matched: z.int().nonnegative(),
})
export type Measured = z.infer<typeof Measured>

/** Description of a release, which is one immutable snapshot of one dataset. Written by ingest. */
export const Manifest = z.strictObject({
  format: z.literal(1),
  dataset: z.string(),
  release: ReleaseId,
  parent: ReleaseId.nullable(),
  dataset_version: z.string(),
  schema_hash: Sha256,
  published_at: z.iso.datetime({ offset: true }),
  data_as_of: z.iso.date(),
  /**
   * True if the rows are sample data for demonstrations. Sample data and real data are never mixed.
   */
  synthetic: z.boolean(),
  key: z.string().nullable(),
  /**
   * Number of buckets (hash partitions of the keys) of the base parts. 1 if the dataset has no key.
   */
  buckets: z.int().positive(),
  parts: z.array(Part),
  /**
   * Parts with all rows a second time, one part per month, in ascending order. They make reads of a
   * few days faster. Absent if the dataset is not a daily series or has only one bucket, and in
   * older releases.
   */
  months: z.array(MonthPart).optional(),
  statistics: z.strictObject({
    rows: z.int().nonnegative(),
    /**
     * Number of distinct keys. If the dataset has no key, number of distinct values of the first
     * grain column (the grain columns identify a row).
     */
    keys: z.int().nonnegative(),
    first_date: Day,
    last_date: Day,
    distinct: z.record(z.string(), z.int().nonnegative()),
    /**
     * Share of cells that are not null. Provenance columns are excluded. Null if no envelope
     * contains this value.
     */
    completeness: z.number().min(0).max(1).nullable(),
    spans: Sha256,
  }),
  sources: z.array(Source),
  changes: Changes,
  checks: z.array(z.strictObject({ rule: z.string(), measured: z.record(z.string(), z.unknown()) })),
  /** Results of comparisons with independent figures. Absent in the oldest releases. */
  reconciliation: z.array(Measured).optional(),
})
export type Manifest = z.infer<typeof Manifest>

/** Returns all parts of a release: by key, then by month. */
export const partFiles = ({ parts, months = [] }: Pick<Manifest, 'parts' | 'months'>): readonly PartFile[] => [...parts, ...months]

/** The fields of a manifest that describe its publication. */
export const PublicationRecord = z
  .object(Manifest.shape)
  .pick({ dataset: true, release: true, parent: true, published_at: true, data_as_of: true, synthetic: true, changes: true })
  .extend({ statistics: z.object({ first_date: Day }) })
export type PublicationRecord = z.infer<typeof PublicationRecord>

/**
 * Record of a withdrawal: an earlier release was served again. Written before `current` is
 * replaced. If the command is killed before it replaces `current`, the record has no effect.
 */
export const Withdrawal = z.strictObject({
  /** Id of the withdrawal. It has the form of a release id and is greater than all existing ids. */
  id: ReleaseId,
  release: ReleaseId,
  /** Release that was served before the withdrawal. Null if there was none. */
  former: ReleaseId.nullable(),
  /**
   * Withdrawn releases, oldest first. These are the ancestors of `former`, and `former` itself,
   * that are not in the lineage of `release`.
   */
  withdrawn: z.array(ReleaseId),
  served_at: z.iso.datetime({ offset: true }),
  data_as_of: z.iso.date(),
  /** Newest day of data in either of the two releases. */
  data_until: z.iso.date(),
  synthetic: z.boolean(),
  /**
   * Changes from the former release to the release that is served again, added up over all
   * publications between them. If the releases are unrelated, all rows of the former release count
   * as removed and all rows of the other release as added.
   */
  changes: Changes.omit({ kind: true }).required({ reach: true }),
})
export type Withdrawal = z.infer<typeof Withdrawal>

/**
 * Record of the last time that the newest data of a source was ingested, even if it contained no
 * new rows. It distinguishes a day without rows from a day that was not checked.
 */
export const SourceCheck = z.strictObject({
  /**
   * Release that was served at the time of the check. The check does not apply to older releases.
   */
  release: ReleaseId,
  synthetic: z.boolean(),
  looked_at: z.iso.datetime({ offset: true }),
})
export type SourceCheck = z.infer<typeof SourceCheck>

/**
 * Contents of a release. By key: `[first date, last date, rows]`. By slice: `[rows, fingerprint]`.
 * The name of a slice consists of its column values, separated by a space. A fingerprint starts
 * with the version of its computation and a colon. A fingerprint without a version is a hash by the
 * engine that wrote it, and other engine versions cannot compute the same hash.
 *
 * No key may be added to this object, because version 0.1.0 rejects spans with unknown keys. This
 * version ignores unknown keys.
 */
export const Spans = z.object({
  base: z.record(z.string(), z.tuple([Day, Day, z.int().nonnegative()])),
  delta: z.record(z.string(), z.tuple([Day, Day, z.int().nonnegative()])),
  slices: z.record(z.string(), z.tuple([z.int().nonnegative(), z.string()])),
  /**
   * Counts of received rows, as `[rows, compared, matched]`. The outer key is the method, the inner
   * key is a slice or source. Absent in the oldest releases.
   */
  received: z
    .record(z.string(), z.record(z.string(), z.tuple([z.int().nonnegative(), z.int().nonnegative(), z.int().nonnegative()])))
    .optional(),
})
export type Spans = z.infer<typeof Spans>

/**
 * Returns the paths of a dataset's releases. `current` and the source check are replaced by
 * renaming a file. All other files are immutable.
 */
export function releasePaths(root: string, slug: string) {
  const home = join(root, storedName(slug))
  // `join` would be slower. The paths of all datasets are computed every second.
  const inHome = (name: string): string => `${home}${sep}${name}`
  const parts = inHome('parts')
  const months = inHome('months')
  const part = (sha256: string): string => `${parts}${sep}${sha256}.parquet`
  const month = (sha256: string): string => `${months}${sep}${sha256}.parquet`
  return {
    home,
    current: inHome('current'),
    /** Record of the last source check. Exists only for datasets without rows on many days. */
    sourceCheck: inHome('looked.json'),
    /** Folder with one record per withdrawal. */
    withdrawals: inHome('withdrawals'),
    /** Folder with one record per pinned release. */
    pins: inHome('pins'),
    /** Folder with one operator's note per file. */
    notes: inHome('notes'),
    /** Folder with one record per retired release. */
    retired: inHome('retired'),
    /** Folder of parts by key. These parts contain each row of a release once. */
    parts,
    part,
    /** Folder of parts by month. These parts contain the rows of daily datasets a second time. */
    months,
    month,
    /**
     * Returns the path of a part by key or by month. Earlier versions wrote parts by month to
     * `parts`. If a part by month exists only there, that path is returned.
     */
    file(file: PartFile): string {
      if ('role' in file) return part(file.sha256)
      const [path, formerPath] = [month(file.sha256), part(file.sha256)]
      if (existsSync(path)) return path
      return existsSync(formerPath) || !existsSync(months) ? formerPath : path
    },
    release: (id: string) => inHome(id),
    manifest: (id: string) => inHome(`${id}${sep}manifest.json`),
    /** File with the sha256 of the manifest in hexadecimal. */
    seal: (id: string) => inHome(`${id}${sep}manifest.sha256`),
    spans: (id: string) => inHome(`${id}${sep}spans.json`),
  } as const
}

export type ReleasePaths = ReturnType<typeof releasePaths>

/**
 * Intended number of rows per bucket. With this number, a read of one key and one day opens one
 * file and decodes one or two row groups.
 */
export const ROWS_PER_BUCKET = 26_000

/**
 * Returns the bucket of a key: 32-bit FNV-1a of the UTF-8 bytes, modulo the number of buckets. The
 * result determines the file of a key and must therefore never change. The engine's own hash is not
 * used, because another engine version may compute another hash.
 */
export function bucketOf(key: string, buckets: number): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(key)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return hash % buckets
}

/**
 * Returns the number of buckets for a release with `rows` rows. For datasets without a key, callers
 * use one bucket.
 */
export const bucketsFor = (rows: number): number => Math.max(1, Math.ceil(rows / ROWS_PER_BUCKET))
