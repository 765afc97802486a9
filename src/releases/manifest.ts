import { join, sep } from 'node:path'
import { z } from 'zod'
import { storedName } from '../../catalog/index.ts'

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const Day = z.iso.date().nullable()

/** UTC millisecond of publication, for example `20260701T060000123Z`, with a preview mark on preview datasets. Sorts by age. */
export const RELEASE_FORM = /^\d{8}T\d{9}Z(-preview)?$/
export const ReleaseId = z.string().regex(RELEASE_FORM)

export const Part = z.strictObject({
  sha256: Sha256,
  bytes: z.int().positive(),
  rows: z.int().positive(),
  /** base parts hold one hash bucket each; the delta holds rows appended since the last compaction, of any bucket. */
  role: z.enum(['base', 'delta']),
  bucket: z.int().nonnegative().nullable(),
  first_key: z.string().nullable(),
  last_key: z.string().nullable(),
  first_date: Day,
  last_date: Day,
})
export type Part = z.infer<typeof Part>

/** Rows of one month, that of its dates, sorted by day and then by key: all that a day's rows need is close together. */
export const MonthPart = Part.omit({ role: true, bucket: true }).required().extend({ first_date: z.iso.date(), last_date: z.iso.date() })
export type MonthPart = z.infer<typeof MonthPart>

/** What tells where a part is, and whether it is whole. */
export type PartFile = Pick<Part, 'sha256' | 'bytes'>

/** A sum that a source states over its own rows. */
export const Total = z.strictObject({
  /** Column that adds up to it. */
  column: z.string(),
  /** Pattern of the keys it is stated over; null for all of them. */
  of: z.string().nullable(),
  stated: z.number(),
})
export type Total = z.infer<typeof Total>

export const Source = z.strictObject({
  name: z.string(),
  sha256: Sha256,
  bytes: z.int().nonnegative(),
  rows: z.int().nonnegative(),
  /** Feed that read it, or the file format of a dropped partition. */
  read_as: z.string(),
  url: z.string().nullable(),
  /** Rows the source holds, including those that could not be read; absent where they were not counted separately. */
  held: z.int().nonnegative().optional(),
  totals: z.array(Total).optional(),
})
export type Source = z.infer<typeof Source>

/** First and last day of some rows; null where there are none, or they have no date. */
const Reach = z.tuple([z.iso.date(), z.iso.date()]).nullable()

export const Changes = z.strictObject({
  kind: z.enum(['new_rows', 'revision', 'backfill', 'schema_change']),
  rows_added: z.int().nonnegative(),
  rows_changed: z.int().nonnegative(),
  rows_removed: z.int().nonnegative(),
  date_from: Day,
  date_to: Day,
  /** Days of the rows added, changed and removed, separately: a day appended and a revision of years ago are not one span. Absent in the oldest releases. */
  reach: z.strictObject({ added: Reach, changed: Reach, removed: Reach }).optional(),
})
export type Changes = z.infer<typeof Changes>

/** One comparison as a publication measured it. `matched` of `compared`, of the `rows` there are to compare. */
export const Measured = z.strictObject({
  method: z.string(),
  /** Slug of the dataset whose rows were compared, and its release: this one, or one that is served beside it. */
  dataset: z.string(),
  release: ReleaseId,
  /** The release it was compared with; null where the other side is no dataset, or is not published. */
  against: ReleaseId.nullable(),
  /** Fingerprint of the expression that was measured: counts are carried over only while it stays the same. */
  formula: z.string(),
  rows: z.int().nonnegative(),
  compared: z.int().nonnegative(),
  matched: z.int().nonnegative(),
})
export type Measured = z.infer<typeof Measured>

/** One published, immutable snapshot of one dataset: what ingest writes and the reader trusts. */
export const Manifest = z.strictObject({
  format: z.literal(1),
  dataset: z.string(),
  release: ReleaseId,
  parent: ReleaseId.nullable(),
  dataset_version: z.string(),
  schema_hash: Sha256,
  published_at: z.iso.datetime({ offset: true }),
  data_as_of: z.iso.date(),
  /** Rows made for a demonstration, never mixed with real ones. */
  synthetic: z.boolean(),
  key: z.string().nullable(),
  /** How many hash buckets the base parts are split into; 1 where the dataset has no key. */
  buckets: z.int().positive(),
  parts: z.array(Part),
  /**
   * Every row of `parts` once more, a part a month, in order; nothing but reads of a few days uses them. Absent where rows are no series by
   * day, where one bucket holds them all, and in older releases.
   */
  months: z.array(MonthPart).optional(),
  statistics: z.strictObject({
    rows: z.int().nonnegative(),
    /** Distinct keys; distinct values of the first grain column where the dataset has no key. */
    keys: z.int().nonnegative(),
    first_date: Day,
    last_date: Day,
    /** Distinct values over the whole release, of the columns whose count the envelope states. */
    distinct: z.record(z.string(), z.int().nonnegative()),
    /** Share of cells, provenance columns aside, that hold a value; null where no envelope states it. */
    completeness: z.number().min(0).max(1).nullable(),
    /** sha256 of `spans.json` beside the manifest: per key and per slice what the release holds. */
    spans: Sha256,
  }),
  sources: z.array(Source),
  changes: Changes,
  /** Checks the publication passed, with what was measured. */
  checks: z.array(z.strictObject({ rule: z.string(), measured: z.record(z.string(), z.unknown()) })),
  /** Comparisons with what the rows were not made from. Absent in the oldest releases. */
  reconciliation: z.array(Measured).optional(),
})
export type Manifest = z.infer<typeof Manifest>

/** Every file of rows a release consists of. */
export const partFiles = ({ parts, months = [] }: Pick<Manifest, 'parts' | 'months'>): readonly PartFile[] => [...parts, ...months]

/** A publication without its parts: the keys of its manifest that tell it from others. */
export const PublicationRecord = z
  .object(Manifest.shape)
  .pick({ dataset: true, release: true, parent: true, published_at: true, data_as_of: true, synthetic: true, changes: true })
  .extend({ statistics: z.object({ first_date: Day }) })
export type PublicationRecord = z.infer<typeof PublicationRecord>

/**
 * One time that a kept release was made the served one again, which no publication tells. Written before `current` names the release:
 * where that did not happen, nothing was withdrawn.
 */
export const Withdrawal = z.strictObject({
  /** Names the event beside the releases: later than all of them, earlier than the next one. */
  id: ReleaseId,
  /** The release served from then on. */
  release: ReleaseId,
  /** The release it took the place of; null where none was named. */
  former: ReleaseId.nullable(),
  /** Releases that led to the former one and do not lead to this one, oldest first. */
  withdrawn: z.array(ReleaseId),
  served_at: z.iso.datetime({ offset: true }),
  /** Newest day of data of the release served again. */
  data_as_of: z.iso.date(),
  /** Newest day of data of either release. */
  data_until: z.iso.date(),
  synthetic: z.boolean(),
  /** What tells the two releases apart, summed up over the publications between them; of the whole of both where none is between them. */
  changes: Changes.omit({ kind: true }).required({ reach: true }),
})
export type Withdrawal = z.infer<typeof Withdrawal>

/** The last time a source's latest news was brought in, whether or not there was any: it tells a day without rows from one nobody checked. */
export const SourceCheck = z.strictObject({
  /** The release served at the time. The check says nothing about older ones. */
  release: ReleaseId,
  synthetic: z.boolean(),
  looked_at: z.iso.datetime({ offset: true }),
})
export type SourceCheck = z.infer<typeof SourceCheck>

/**
 * What a release holds per key (`[first date, last date, rows]`) and per slice (`[rows, fingerprint]`, by the slice's columns joined with
 * a blank). A fingerprint begins with the version of its computation and a colon; one without is a hash of the engine that wrote it,
 * which no other version of that engine can make again. The keys never change: version 0.1.0 refuses spans with any other. Keys it does
 * not know, this version ignores.
 */
export const Spans = z.object({
  base: z.record(z.string(), z.tuple([Day, Day, z.int()])),
  delta: z.record(z.string(), z.tuple([Day, Day, z.int()])),
  slices: z.record(z.string(), z.tuple([z.int(), z.string()])),
  /** Per method over received rows, per slice or source: `[rows there are, compared, matched]`. Absent in the oldest releases. */
  received: z.record(z.string(), z.record(z.string(), z.tuple([z.int(), z.int(), z.int()]))).optional(),
})
export type Spans = z.infer<typeof Spans>

/** Where a dataset's releases live. `current` and the source check are replaced by rename; everything else never changes once it exists. */
export function releasePaths(root: string, slug: string) {
  const home = join(root, storedName(slug))
  const parts = join(home, 'parts')
  return {
    home,
    current: join(home, 'current'),
    /** The last source check, for datasets that have no rows on many days. */
    sourceCheck: join(home, 'looked.json'),
    /** Events that are no publications, a file each. */
    withdrawals: join(home, 'withdrawals'),
    /** Releases that are kept for good, a file each. */
    pins: join(home, 'pins'),
    /** What an operator says of releases, a file each. */
    notes: join(home, 'notes'),
    /** Releases that were let go, a file each. */
    retired: join(home, 'retired'),
    parts,
    part: (sha256: string) => `${parts}${sep}${sha256}.parquet`,
    release: (id: string) => join(home, id),
    manifest: (id: string) => join(home, id, 'manifest.json'),
    /** sha256 of the manifest, as hex. */
    seal: (id: string) => join(home, id, 'manifest.sha256'),
    spans: (id: string) => join(home, id, 'spans.json'),
  } as const
}

export type ReleasePaths = ReturnType<typeof releasePaths>

/** Rows per bucket: a point read opens one file and decodes one or two of its row groups. */
export const ROWS_PER_BUCKET = 26_000

/**
 * Bucket of a key: 32-bit FNV-1a over its UTF-8 bytes, modulo the bucket count. It must never change, since it decides which file holds
 * a key; an engine's own hash may change between versions.
 */
export function bucketOf(key: string, buckets: number): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(key)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return hash % buckets
}

/** Number of buckets for a release of that many rows. A dataset without a key has one. */
export const bucketsFor = (rows: number): number => Math.max(1, Math.ceil(rows / ROWS_PER_BUCKET))
