import { existsSync } from 'node:fs'
import { join, sep } from 'node:path'
import { z } from 'zod'
import { storedName } from '../../catalog/index.ts'

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const Day = z.iso.date().nullable()

/**
 * UTC time of publication in milliseconds, for example `20260701T060000123Z`. Datasets in preview
 * have the suffix `-preview`. Sorts by time.
 */
export const RELEASE_FORM = /^\d{8}T\d{9}Z(-preview)?$/
export const ReleaseId = z.string().regex(RELEASE_FORM)

export const Part = z.strictObject({
  sha256: Sha256,
  bytes: z.int().positive(),
  rows: z.int().positive(),
  /**
   * A base part has the rows of one hash bucket. The delta has rows of all buckets that were added
   * since the last compaction.
   */
  role: z.enum(['base', 'delta']),
  bucket: z.int().nonnegative().nullable(),
  first_key: z.string().nullable(),
  last_key: z.string().nullable(),
  first_date: Day,
  last_date: Day,
})
export type Part = z.infer<typeof Part>

/** Rows of one month, sorted by day, then key, so that the rows of a day are consecutive. */
export const MonthPart = Part.omit({ role: true, bucket: true }).required().extend({ first_date: z.iso.date(), last_date: z.iso.date() })
export type MonthPart = z.infer<typeof MonthPart>

/**
 * A file of a release: a part by key, or a part by month, which contains the same rows a second
 * time.
 */
export type PartFile = Part | MonthPart

/** A total that a source states for its rows, for comparison. */
export const Total = z.strictObject({
  /** Column whose values are added up. */
  column: z.string(),
  /** Pattern of the keys whose rows are added up. Null for all keys. */
  of: z.string().nullable(),
  stated: z.number(),
})
export type Total = z.infer<typeof Total>

export const Source = z.strictObject({
  name: z.string(),
  sha256: Sha256,
  bytes: z.int().nonnegative(),
  rows: z.int().nonnegative(),
  /** Name of the feed that read the file. For a partition file from the inbox, its file format. */
  read_as: z.string(),
  url: z.string().nullable(),
  /**
   * Number of rows of the source, including unreadable ones. Absent if they were not counted
   * separately.
   */
  held: z.int().nonnegative().optional(),
  totals: z.array(Total).optional(),
})
export type Source = z.infer<typeof Source>

/** First and last day of rows. Null if there are no rows or no dates. */
const DaySpan = z.tuple([z.iso.date(), z.iso.date()]).nullable()

export const Changes = z.strictObject({
  kind: z.enum(['new_rows', 'revision', 'backfill', 'schema_change']),
  rows_added: z.int().nonnegative(),
  rows_changed: z.int().nonnegative(),
  rows_removed: z.int().nonnegative(),
  date_from: Day,
  date_to: Day,
  /**
   * First and last day of added, changed and removed rows, separately. Absent in the oldest
   * releases.
   */
  reach: z.strictObject({ added: DaySpan, changed: DaySpan, removed: DaySpan }).optional(),
})
export type Changes = z.infer<typeof Changes>

/**
 * Result of a comparison at publication: the number of rows, of compared rows (`compared`) and of
 * rows that agree (`matched`).
 */
export const Measured = z.strictObject({
  method: z.string(),
  /** Slug and release of the dataset whose rows were compared. */
  dataset: z.string(),
  release: ReleaseId,
  /**
   * Release of the dataset with which the rows were compared. Null if they were not compared with a
   * dataset.
   */
  against: ReleaseId.nullable(),
  /** Fingerprint of the compared expression. If it changes, earlier counts are not reused. */
  formula: z.string(),
  rows: z.int().nonnegative(),
  compared: z.int().nonnegative(),
  matched: z.int().nonnegative(),
})
export type Measured = z.infer<typeof Measured>

/** One published, immutable snapshot of one dataset. Written by ingest. */
export const Manifest = z.strictObject({
  format: z.literal(1),
  dataset: z.string(),
  release: ReleaseId,
  parent: ReleaseId.nullable(),
  dataset_version: z.string(),
  schema_hash: Sha256,
  published_at: z.iso.datetime({ offset: true }),
  data_as_of: z.iso.date(),
  /** True for sample rows for demonstrations. They are never mixed with real rows. */
  synthetic: z.boolean(),
  key: z.string().nullable(),
  /** Number of hash buckets of the base parts. 1 if the dataset has no key. */
  buckets: z.int().positive(),
  parts: z.array(Part),
  /**
   * A second copy of all rows: one part per month, in ascending order. Reads of a few days use it.
   * Absent for datasets that are not daily series, for datasets with one bucket, and in older
   * releases.
   */
  months: z.array(MonthPart).optional(),
  statistics: z.strictObject({
    rows: z.int().nonnegative(),
    /**
     * Number of distinct keys. If the dataset has no key, number of distinct values in the first
     * grain column.
     */
    keys: z.int().nonnegative(),
    first_date: Day,
    last_date: Day,
    /** Numbers of distinct values in the release, for the columns that the envelope counts. */
    distinct: z.record(z.string(), z.int().nonnegative()),
    /**
     * Share of cells that are not null, without provenance columns. Null if no envelope contains
     * it.
     */
    completeness: z.number().min(0).max(1).nullable(),
    /** sha256 of `spans.json`. */
    spans: Sha256,
  }),
  sources: z.array(Source),
  changes: Changes,
  /** Checks that the publication passed, and their measurements. */
  checks: z.array(z.strictObject({ rule: z.string(), measured: z.record(z.string(), z.unknown()) })),
  /** Comparisons with independent figures. Absent in the oldest releases. */
  reconciliation: z.array(Measured).optional(),
})
export type Manifest = z.infer<typeof Manifest>

/** All parts of a release. */
export const partFiles = ({ parts, months = [] }: Pick<Manifest, 'parts' | 'months'>): readonly PartFile[] => [...parts, ...months]

/** The fields of a manifest that describe its publication. */
export const PublicationRecord = z
  .object(Manifest.shape)
  .pick({ dataset: true, release: true, parent: true, published_at: true, data_as_of: true, synthetic: true, changes: true })
  .extend({ statistics: z.object({ first_date: Day }) })
export type PublicationRecord = z.infer<typeof PublicationRecord>

/**
 * Record that an earlier release was served again. The record is written before `current` is
 * replaced. If the command ends before `current` is replaced, the record has no effect.
 */
export const Withdrawal = z.strictObject({
  /** Id of the event. It has the form of a release id, and is later than all existing ids. */
  id: ReleaseId,
  /** The release that is served again. */
  release: ReleaseId,
  /** The release that it replaced. Null if there was none. */
  former: ReleaseId.nullable(),
  /**
   * Releases in the lineage of the replaced release that are not in the lineage of `release`,
   * oldest first.
   */
  withdrawn: z.array(ReleaseId),
  served_at: z.iso.datetime({ offset: true }),
  /** Newest day of data of the release that is served again. */
  data_as_of: z.iso.date(),
  /** The later of the newest days of data in the two releases. */
  data_until: z.iso.date(),
  synthetic: z.boolean(),
  /**
   * Changes between the two releases, summed over the publications between them. If the releases
   * are unrelated, all rows of the replaced release count as removed, and all rows of the other
   * release as added.
   */
  changes: Changes.omit({ kind: true }).required({ reach: true }),
})
export type Withdrawal = z.infer<typeof Withdrawal>

/**
 * The last time the newest data of a source was ingested, even if it contained nothing new.
 * Distinguishes a day without rows from a day that was not checked.
 */
export const SourceCheck = z.strictObject({
  /** The release that was served at that time. The check does not apply to older releases. */
  release: ReleaseId,
  synthetic: z.boolean(),
  looked_at: z.iso.datetime({ offset: true }),
})
export type SourceCheck = z.infer<typeof SourceCheck>

/**
 * Contents of a release by key (`[first date, last date, rows]`) and by slice (`[rows,
 * fingerprint]`). The name of a slice is the values of its columns, joined with a space. A
 * fingerprint starts with the version of its computation and a colon. A fingerprint without a
 * version is a hash of the engine that wrote it, which other engine versions cannot reproduce. The
 * keys of this object never change, because version 0.1.0 rejects spans with other keys. This
 * version ignores unknown keys.
 */
export const Spans = z.object({
  base: z.record(z.string(), z.tuple([Day, Day, z.int().nonnegative()])),
  delta: z.record(z.string(), z.tuple([Day, Day, z.int().nonnegative()])),
  slices: z.record(z.string(), z.tuple([z.int().nonnegative(), z.string()])),
  /**
   * `[rows, compared, matched]` of received rows, by method, then by slice or source. Absent in the
   * oldest releases.
   */
  received: z
    .record(z.string(), z.record(z.string(), z.tuple([z.int().nonnegative(), z.int().nonnegative(), z.int().nonnegative()])))
    .optional(),
})
export type Spans = z.infer<typeof Spans>

/**
 * Paths of a dataset's releases. `current` and the source check are replaced by a rename. All other
 * files are immutable.
 */
export function releasePaths(root: string, slug: string) {
  const home = join(root, storedName(slug))
  // Does not call `join`, which is slower, because the paths of every dataset are computed each
  // second.
  const inHome = (name: string): string => `${home}${sep}${name}`
  const parts = inHome('parts')
  const months = inHome('months')
  const part = (sha256: string): string => `${parts}${sep}${sha256}.parquet`
  const month = (sha256: string): string => `${months}${sep}${sha256}.parquet`
  return {
    home,
    current: inHome('current'),
    /** The last source check, for datasets without rows on many days. */
    sourceCheck: inHome('looked.json'),
    /** Records of withdrawals, one file each. */
    withdrawals: inHome('withdrawals'),
    /** Records of pinned releases, one file each. */
    pins: inHome('pins'),
    /** Operators' notes on releases, one file each. */
    notes: inHome('notes'),
    /** Records of retired releases, one file each. */
    retired: inHome('retired'),
    /** Files by key. They contain each row of a release once. */
    parts,
    part,
    /** Files by month, a second copy of the rows of daily datasets. */
    months,
    month,
    /**
     * Path of a part or month. Earlier versions wrote months to `parts`. A month that exists only
     * there is read from there.
     */
    file(file: PartFile): string {
      if ('role' in file) return part(file.sha256)
      const [path, formerPath] = [month(file.sha256), part(file.sha256)]
      if (existsSync(path)) return path
      return existsSync(formerPath) || !existsSync(months) ? formerPath : path
    },
    release: (id: string) => inHome(id),
    manifest: (id: string) => inHome(`${id}${sep}manifest.json`),
    /** sha256 of the manifest in hex. */
    seal: (id: string) => inHome(`${id}${sep}manifest.sha256`),
    spans: (id: string) => inHome(`${id}${sep}spans.json`),
  } as const
}

export type ReleasePaths = ReturnType<typeof releasePaths>

/**
 * Target number of rows per bucket, so that a point read opens one file and decodes one or two row
 * groups.
 */
export const ROWS_PER_BUCKET = 26_000

/**
 * Bucket of a key: 32-bit FNV-1a of its UTF-8 bytes, modulo the number of buckets. Must never
 * change, because it determines the file of a key. The engine's hash is not used, because it may
 * change between versions.
 */
export function bucketOf(key: string, buckets: number): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(key)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return hash % buckets
}

/** Number of buckets for a release of `rows` rows. A dataset without a key has one bucket. */
export const bucketsFor = (rows: number): number => Math.max(1, Math.ceil(rows / ROWS_PER_BUCKET))
