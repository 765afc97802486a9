import { type Dataset, schemaHash } from '../../catalog/index.ts'
import { type Pace, PROMPT } from '../core/index.ts'
import { completeThrough, daysOfSlices, readSourceCheck, silentDaysOf } from './completeness.ts'
import { readManifestInSlices } from './files.ts'
import { type Manifest, type PartFile, releasePaths, type Spans } from './manifest.ts'
import { readServedSpans } from './spans.ts'

export type Span = readonly [first: string | null, last: string | null, rows: number]

/** A readable release. The columns may be from an earlier catalog. */
export interface PastRelease {
  readonly id: string
  readonly dataset: Dataset
  readonly manifest: Manifest
  readonly pathOf: (part: PartFile) => string
  /**
   * Number of repaired files since the process started. Rows that were read before a repair may be
   * wrong.
   */
  readonly repairs: number
}

/** A readable release with the current columns. */
export interface Release extends PastRelease {
  /** Ascending. Empty if the dataset is not published by day. */
  readonly publishedDays: readonly string[]
  /** Newest day up to which no publication is missing. At most `data_as_of`. */
  readonly completeThrough: string
  /** Markets without rows. Empty if the dataset is not published by market. */
  readonly absentMarkets: readonly string[]
  /** First day, last day and row count per key. */
  readonly spans: Pick<Spans, 'base' | 'delta'>
  /** The days are null if the rows have no dates. Undefined if the key has no rows. */
  readonly spanOf: (key: string) => Span | undefined
  /** True if a newer release is damaged. An ancestor is then served. */
  readonly degraded: boolean
}

/**
 * Does not verify the Parquet files.
 * @throws Error if the manifest is missing, damaged, of another dataset, or has other columns than
 * the catalog
 */
export async function readRelease(root: string, dataset: Dataset, id: string, degraded: boolean, pace: Pace = PROMPT): Promise<Release> {
  const past = await readPast(root, dataset, id, pace)
  const { manifest } = past
  if (manifest.schema_hash !== schemaHash(dataset))
    throw new Error('the release has other columns than the catalog; publish the dataset again')
  const { base, delta, slices } = await readServedSpans(root, manifest, pace)
  const daily = dataset.publish.slice?.includes(dataset.date ?? '') === true
  const spans = { base, delta }
  const { days, newest } = await daysOfSlices(slices, pace)
  const sparse = silentDaysOf(dataset) !== null
  const check = sparse ? await readSourceCheck(root, dataset) : null
  return {
    ...past,
    publishedDays: daily ? days : [],
    completeThrough: completeThrough(dataset, manifest, { ...spans, newest }, check),
    absentMarkets: absentMarkets(dataset, daily ? [...newest.keys()] : slices),
    spans,
    spanOf: key => spanOf(key, spans),
    degraded,
  }
}

/**
 * The columns may be from an earlier catalog.
 * @throws Error if the manifest is missing, damaged or of another dataset
 */
export async function readPast(root: string, dataset: Dataset, id: string, pace: Pace = PROMPT): Promise<PastRelease> {
  const manifest = await readManifestInSlices(root, dataset.slug, id, pace)
  const paths = releasePaths(root, dataset.slug)
  return { id, dataset, manifest, pathOf: paths.file, repairs: 0 }
}

/** Slice names are column values separated by spaces. Market names contain no spaces. */
function absentMarkets({ publish, coverage }: Dataset, slices: readonly string[]): readonly string[] {
  const index = publish.slice?.indexOf('market') ?? -1
  if (index === -1) return []
  const present = new Set(slices.map(slice => slice.split(' ')[index]))
  return coverage.markets.filter(market => !present.has(market))
}

function spanOf(key: string, { base, delta }: Release['spans']): Span | undefined {
  const spansOfKey = [base, delta].flatMap(spans => (Object.hasOwn(spans, key) ? [spans[key]!] : []))
  if (spansOfKey.length === 0) return undefined
  const firsts = spansOfKey.flatMap(([first]) => first ?? []).sort()
  const lasts = spansOfKey.flatMap(([, last]) => last ?? []).sort()
  return [firsts[0] ?? null, lasts.at(-1) ?? null, spansOfKey.reduce((sum, [, , rows]) => sum + rows, 0)]
}
