import { existsSync } from 'node:fs'
import { join, sep } from 'node:path'
import { z } from 'zod'
import { storedName } from '../../catalog/index.ts'

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const Day = z.iso.date().nullable()

/**
 * Time of publication in UTC, for example `20260701T060000123Z`. Datasets in preview have the
 * suffix `-preview`. Ids sort by time.
 */
export const RELEASE_FORM = /^\d{8}T\d{9}Z(-preview)?$/
export const ReleaseId = z.string().regex(RELEASE_FORM)

export const Part = z.strictObject({
  sha256: Sha256,
  bytes: z.int().positive(),
  rows: z.int().positive(),
  /** `base`: rows of one group of keys. `delta`: recently added rows of all keys. */
  role: z.enum(['base', 'delta']),
  bucket: z.int().nonnegative().nullable(),
  first_key: z.string().nullable(),
  last_key: z.string().nullable(),
  first_date: Day,
  last_date: Day,
})
export type Part = z.infer<typeof Part>

/** Rows of one month, sorted by day, then key. */
export const MonthPart = Part.omit({ role: true, bucket: true }).required().extend({ first_date: z.iso.date(), last_date: z.iso.date() })
export type MonthPart = z.infer<typeof MonthPart>

/** A Parquet file by key, or by month. Files by month repeat the rows of the files by key. */
export type PartFile = Part | MonthPart

/** Total of a column, as stated by the source. Compared with the total of the rows. */
export const Total = z.strictObject({
  column: z.string(),
  /** Pattern of the keys to add up. Null for all rows. */
  of: z.string().nullable(),
  stated: z.number(),
})
export type Total = z.infer<typeof Total>

export const Source = z.strictObject({
  name: z.string(),
  sha256: Sha256,
  bytes: z.int().nonnegative(),
  rows: z.int().nonnegative(),
  /** Name of the feed, or format of a file from the inbox. */
  read_as: z.string(),
  url: z.string().nullable(),
  /**
   * Rows in the source, including unreadable rows. Absent if the rows were not counted before
   * parsing.
   */
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
  /** Release of the compared dataset. Null if the comparison used other figures. */
  against: ReleaseId.nullable(),
  /** Hash of the compared expression. Earlier counts are reused only if the hash is equal. */
  formula: z.string(),
  rows: z.int().nonnegative(),
  compared: z.int().nonnegative(),
  matched: z.int().nonnegative(),
})
export type Measured = z.infer<typeof Measured>

/** Metadata of a release, which is one immutable snapshot of a dataset. */
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
  /** Number of groups into which the keys are hashed. 1 for a dataset without a key. */
  buckets: z.int().positive(),
  parts: z.array(Part),
  /**
   * The same rows again, one file per month, ascending. Makes reads of a few days faster. Absent in
   * older releases and for datasets that do not need these files.
   */
  months: z.array(MonthPart).optional(),
  statistics: z.strictObject({
    rows: z.int().nonnegative(),
    /** Number of distinct keys. Without a key, uses the first column that identifies a row. */
    keys: z.int().nonnegative(),
    first_date: Day,
    last_date: Day,
    distinct: z.record(z.string(), z.int().nonnegative()),
    /**
     * Share of cells with a value, without provenance columns. Null if no response shows this
     * share.
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

export const PublicationRecord = z
  .object(Manifest.shape)
  .pick({ dataset: true, release: true, parent: true, published_at: true, data_as_of: true, synthetic: true, changes: true })
  .extend({ statistics: z.object({ first_date: Day }) })
export type PublicationRecord = z.infer<typeof PublicationRecord>

/**
 * Record of a withdrawal: an earlier release is served again. Written before `current` changes. If
 * `current` never changes, the record has no effect.
 */
export const Withdrawal = z.strictObject({
  /** Has the form of a release id. Greater than all existing ids. */
  id: ReleaseId,
  release: ReleaseId,
  /** Null if no release was served. */
  former: ReleaseId.nullable(),
  /** All withdrawn releases, oldest first. Includes `former`. */
  withdrawn: z.array(ReleaseId),
  served_at: z.iso.datetime({ offset: true }),
  data_as_of: z.iso.date(),
  /** Newest day in the two releases. */
  data_until: z.iso.date(),
  synthetic: z.boolean(),
  /** Sum of all changes from `former` to `release`. */
  changes: Changes.omit({ kind: true }).required({ reach: true }),
})
export type Withdrawal = z.infer<typeof Withdrawal>

/**
 * Last import of a source's newest data. Also written if there were no new rows, so that a day
 * without rows differs from an unchecked day.
 */
export const SourceCheck = z.strictObject({
  /** Release at the time of the check. Older releases ignore the check. */
  release: ReleaseId,
  synthetic: z.boolean(),
  looked_at: z.iso.datetime({ offset: true }),
})
export type SourceCheck = z.infer<typeof SourceCheck>

/**
 * Contents of a release. By key: `[first date, last date, rows]`. By slice (column values,
 * separated by a space): `[rows, fingerprint]`. A fingerprint without a version depends on the
 * engine that wrote it. Never add a key to this object: version 0.1.0 rejects unknown keys.
 */
export const Spans = z.object({
  base: z.record(z.string(), z.tuple([Day, Day, z.int().nonnegative()])),
  delta: z.record(z.string(), z.tuple([Day, Day, z.int().nonnegative()])),
  slices: z.record(z.string(), z.tuple([z.int().nonnegative(), z.string()])),
  /** `[rows, compared, matched]` by method and source. Absent in the oldest releases. */
  received: z
    .record(z.string(), z.record(z.string(), z.tuple([z.int().nonnegative(), z.int().nonnegative(), z.int().nonnegative()])))
    .optional(),
})
export type Spans = z.infer<typeof Spans>

/** Publications replace `current` and the source check. All other files are immutable. */
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
    /** Only for datasets without rows on many days. */
    sourceCheck: inHome('looked.json'),
    withdrawals: inHome('withdrawals'),
    pins: inHome('pins'),
    notes: inHome('notes'),
    retired: inHome('retired'),
    /** Contains each row once. */
    parts,
    part,
    /** Contains the same rows again, by month. */
    months,
    month,
    /** Files by month are in `parts` if an earlier version wrote them. */
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
 * Target number of rows. A read of one key and one day then opens one file and decodes one or two
 * row groups.
 */
export const ROWS_PER_BUCKET = 26_000

/**
 * 32-bit FNV-1a of the UTF-8 bytes, modulo `buckets`. Must never change, because the result
 * determines the file of a key.
 */
export function bucketOf(key: string, buckets: number): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(key)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return hash % buckets
}

/** Datasets without a key use 1. */
export const bucketsFor = (rows: number): number => Math.max(1, Math.ceil(rows / ROWS_PER_BUCKET))
