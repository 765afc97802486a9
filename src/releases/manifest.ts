import { existsSync } from 'node:fs'
import { join, sep } from 'node:path'
import { z } from 'zod'
import { storedName } from '../../catalog/index.ts'

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const Day = z.iso.date().nullable()

/**
 * Time of publication in UTC with milliseconds, for example `20260701T060000123Z`. Datasets in
 * preview have the suffix `-preview`. Ids sort by time.
 */
export const RELEASE_FORM = /^\d{8}T\d{9}Z(-preview)?$/
export const ReleaseId = z.string().regex(RELEASE_FORM)

export const Part = z.strictObject({
  sha256: Sha256,
  bytes: z.int().positive(),
  rows: z.int().positive(),
  /**
   * `base`: rows of one bucket (hash partition of the keys). `delta`: rows of all buckets since the
   * last compaction.
   */
  role: z.enum(['base', 'delta']),
  bucket: z.int().nonnegative().nullable(),
  first_key: z.string().nullable(),
  last_key: z.string().nullable(),
  first_date: Day,
  last_date: Day,
})
export type Part = z.infer<typeof Part>

/** Rows of one month, sorted by day, then key. The rows of a day are consecutive. */
export const MonthPart = Part.omit({ role: true, bucket: true }).required().extend({ first_date: z.iso.date(), last_date: z.iso.date() })
export type MonthPart = z.infer<typeof MonthPart>

/** A Parquet file by key, or by month. Files by month repeat the rows of the files by key. */
export type PartFile = Part | MonthPart

/** Column total that the source stated, for comparison with the rows. */
export const Total = z.strictObject({
  column: z.string(),
  /** Pattern for the keys of the added rows. Null for all rows. */
  of: z.string().nullable(),
  stated: z.number(),
})
export type Total = z.infer<typeof Total>

export const Source = z.strictObject({
  name: z.string(),
  sha256: Sha256,
  bytes: z.int().nonnegative(),
  rows: z.int().nonnegative(),
  /** Name of the feed, or file format of a partition file from the inbox. */
  read_as: z.string(),
  url: z.string().nullable(),
  /** Number of rows in the source, including unreadable rows. Absent if unknown. */
  held: z.int().nonnegative().optional(),
  totals: z.array(Total).optional(),
})
export type Source = z.infer<typeof Source>

/** First and last day. Null if there are no rows or no dates. */
const DaySpan = z.tuple([z.iso.date(), z.iso.date()]).nullable()

export const Changes = z.strictObject({
  kind: z.enum(['new_rows', 'revision', 'backfill', 'schema_change']),
  rows_added: z.int().nonnegative(),
  rows_changed: z.int().nonnegative(),
  rows_removed: z.int().nonnegative(),
  date_from: Day,
  date_to: Day,
  /** First and last day of added, changed and removed rows. Absent in the oldest releases. */
  reach: z.strictObject({ added: DaySpan, changed: DaySpan, removed: DaySpan }).optional(),
})
export type Changes = z.infer<typeof Changes>

/** Result of a comparison with independent figures. `matched` of the `compared` rows agree. */
export const Measured = z.strictObject({
  method: z.string(),
  dataset: z.string(),
  release: ReleaseId,
  /** Release of the other dataset. Null if the comparison used no dataset. */
  against: ReleaseId.nullable(),
  /** Hash of the compared expression. After a change, earlier counts are not reused. */
  formula: z.string(),
  rows: z.int().nonnegative(),
  compared: z.int().nonnegative(),
  matched: z.int().nonnegative(),
})
export type Measured = z.infer<typeof Measured>

/** Describes a release, which is one immutable snapshot of a dataset. */
export const Manifest = z.strictObject({
  format: z.literal(1),
  dataset: z.string(),
  release: ReleaseId,
  parent: ReleaseId.nullable(),
  dataset_version: z.string(),
  schema_hash: Sha256,
  published_at: z.iso.datetime({ offset: true }),
  data_as_of: z.iso.date(),
  /** Sample data and real data are never mixed. */
  synthetic: z.boolean(),
  key: z.string().nullable(),
  /** Number of hash partitions of the keys. 1 if the dataset has no key. */
  buckets: z.int().positive(),
  parts: z.array(Part),
  /**
   * All rows a second time, one file per month, ascending. Makes reads of a few days faster. Absent
   * for small datasets, other than daily ones, and in older releases.
   */
  months: z.array(MonthPart).optional(),
  statistics: z.strictObject({
    rows: z.int().nonnegative(),
    /** Distinct keys. Without a key, distinct values of the first column that identifies a row. */
    keys: z.int().nonnegative(),
    first_date: Day,
    last_date: Day,
    distinct: z.record(z.string(), z.int().nonnegative()),
    /**
     * Share of cells that are not null, without provenance columns. Null if no response contains
     * this value.
     */
    completeness: z.number().min(0).max(1).nullable(),
    spans: Sha256,
  }),
  sources: z.array(Source),
  changes: Changes,
  checks: z.array(z.strictObject({ rule: z.string(), measured: z.record(z.string(), z.unknown()) })),
  /** Absent in the oldest releases. */
  reconciliation: z.array(Measured).optional(),
})
export type Manifest = z.infer<typeof Manifest>

/** By key, then by month. */
export const partFiles = ({ parts, months = [] }: Pick<Manifest, 'parts' | 'months'>): readonly PartFile[] => [...parts, ...months]

/** The fields of a manifest that describe the publication. */
export const PublicationRecord = z
  .object(Manifest.shape)
  .pick({ dataset: true, release: true, parent: true, published_at: true, data_as_of: true, synthetic: true, changes: true })
  .extend({ statistics: z.object({ first_date: Day }) })
export type PublicationRecord = z.infer<typeof PublicationRecord>

/**
 * Record of a withdrawal: an earlier release is served again. Written before `current` is replaced.
 * Without the replacement, the record has no effect.
 */
export const Withdrawal = z.strictObject({
  /** Has the form of a release id. Greater than all existing ids. */
  id: ReleaseId,
  release: ReleaseId,
  /** Release that was served before the withdrawal. Null if there was none. */
  former: ReleaseId.nullable(),
  /**
   * Withdrawn releases, oldest first: `former` and its ancestors that are not ancestors of
   * `release`.
   */
  withdrawn: z.array(ReleaseId),
  served_at: z.iso.datetime({ offset: true }),
  data_as_of: z.iso.date(),
  /** Newest day in either of the two releases. */
  data_until: z.iso.date(),
  synthetic: z.boolean(),
  /**
   * Changes from `former` to `release`, added up over all publications between. For unrelated
   * releases, all rows count as removed and added.
   */
  changes: Changes.omit({ kind: true }).required({ reach: true }),
})
export type Withdrawal = z.infer<typeof Withdrawal>

/**
 * Record of the last ingestion of a source's newest data, even without new rows. Distinguishes a
 * day without rows from an unchecked day.
 */
export const SourceCheck = z.strictObject({
  /** Release at the time of the check. The check does not apply to older releases. */
  release: ReleaseId,
  synthetic: z.boolean(),
  looked_at: z.iso.datetime({ offset: true }),
})
export type SourceCheck = z.infer<typeof SourceCheck>

/**
 * Contents of a release. By key: `[first date, last date, rows]`. By slice (column values,
 * separated by a space): `[rows, fingerprint]`. Fingerprints without a version and a colon depend
 * on the engine that wrote them. Never add a key to this object: version 0.1.0 rejects unknown
 * keys.
 */
export const Spans = z.object({
  base: z.record(z.string(), z.tuple([Day, Day, z.int().nonnegative()])),
  delta: z.record(z.string(), z.tuple([Day, Day, z.int().nonnegative()])),
  slices: z.record(z.string(), z.tuple([z.int().nonnegative(), z.string()])),
  /**
   * `[rows, compared, matched]` by method, then by slice or source. Absent in the oldest releases.
   */
  received: z
    .record(z.string(), z.record(z.string(), z.tuple([z.int().nonnegative(), z.int().nonnegative(), z.int().nonnegative()])))
    .optional(),
})
export type Spans = z.infer<typeof Spans>

/**
 * Paths of a dataset's files. `current` and the source check are replaced, all other files are
 * immutable.
 */
export function releasePaths(root: string, slug: string) {
  const home = join(root, storedName(slug))
  // `join` is slower, and all paths are computed every second.
  const inHome = (name: string): string => `${home}${sep}${name}`
  const parts = inHome('parts')
  const months = inHome('months')
  const part = (sha256: string): string => `${parts}${sep}${sha256}.parquet`
  const month = (sha256: string): string => `${months}${sep}${sha256}.parquet`
  return {
    home,
    current: inHome('current'),
    /** Last source check. Only for datasets without rows on many days. */
    sourceCheck: inHome('looked.json'),
    /** One record per withdrawal. */
    withdrawals: inHome('withdrawals'),
    /** One record per pinned release. */
    pins: inHome('pins'),
    /** One operator's note per file. */
    notes: inHome('notes'),
    /** One record per retired release. */
    retired: inHome('retired'),
    /** Files by key, which contain each row of a release once. */
    parts,
    part,
    /** Files by month, which repeat the rows of daily datasets. */
    months,
    month,
    /**
     * Returns the path of a file by key or by month. Earlier versions wrote files by month to
     * `parts`.
     */
    file(file: PartFile): string {
      if ('role' in file) return part(file.sha256)
      const [path, formerPath] = [month(file.sha256), part(file.sha256)]
      if (existsSync(path)) return path
      return existsSync(formerPath) || !existsSync(months) ? formerPath : path
    },
    release: (id: string) => inHome(id),
    manifest: (id: string) => inHome(`${id}${sep}manifest.json`),
    /** sha256 of the manifest in hexadecimal. */
    seal: (id: string) => inHome(`${id}${sep}manifest.sha256`),
    spans: (id: string) => inHome(`${id}${sep}spans.json`),
  } as const
}

export type ReleasePaths = ReturnType<typeof releasePaths>

/**
 * Target number of rows per hash partition. A read of one key and day then opens one file and
 * decodes one or two row groups.
 */
export const ROWS_PER_BUCKET = 26_000

/**
 * 32-bit FNV-1a of the UTF-8 bytes, modulo `buckets`. Must never change, because the result
 * determines the file of a key. The engine's hash can differ between versions.
 */
export function bucketOf(key: string, buckets: number): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(key)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return hash % buckets
}

/** For datasets with a key. Datasets without a key have one bucket. */
export const bucketsFor = (rows: number): number => Math.max(1, Math.ceil(rows / ROWS_PER_BUCKET))
