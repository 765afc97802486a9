import { type Dataset, schemaHash } from '../../catalog/index.ts'
import { completeThrough, readSourceCheck, silentDaysOf } from './completeness.ts'
import { readManifest, readSpans } from './files.ts'
import { type Manifest, type PartFile, releasePaths, type Spans } from './manifest.ts'

export type Span = readonly [first: string | null, last: string | null, rows: number]

/** A release as far as reading its rows needs it. Its columns may be earlier ones. */
export interface PastRelease {
  readonly id: string
  readonly dataset: Dataset
  readonly manifest: Manifest
  readonly pathOf: (part: PartFile) => string
  /**
   * How many times, since the process started, one of its parts was whole again after damage, or was found written or replaced. What was
   * read of the release under a lower count may be wrong.
   */
  readonly repairs: number
}

/** One release, ready to be read, with the columns the catalog declares. */
export interface Release extends PastRelease {
  /** Days the release holds completely, ascending; empty where a dataset is not published day by day. */
  readonly publishedDays: readonly string[]
  /** The newest day up to which nothing that usually comes is outstanding: at most `data_as_of`. */
  readonly completeThrough: string
  /** Markets the dataset is meant to cover and the release has no row of; none where it is not published market by market. */
  readonly absentMarkets: readonly string[]
  /** Per key what the release holds. */
  readonly spans: Pick<Spans, 'base' | 'delta'>
  /** First and last day of a key's rows, null where the dataset has no date, and their number; undefined for a key without rows. */
  readonly spanOf: (key: string) => Span | undefined
  /** An ancestor, served because the newer release did not pass its check. */
  readonly degraded: boolean
}

/** @throws Error when the manifest is absent, damaged, another dataset's, or written for other columns than the catalog declares */
export async function readRelease(root: string, dataset: Dataset, id: string, degraded: boolean): Promise<Release> {
  const past = await readPast(root, dataset, id)
  const { manifest } = past
  if (manifest.schema_hash !== schemaHash(dataset)) throw new Error('the release was written for other columns; publish the dataset again')
  const { base, delta, slices } = await readSpans(root, manifest)
  const daily = dataset.publish.slice?.includes(dataset.date ?? '') === true
  const spans = { base, delta }
  const sparse = silentDaysOf(dataset) !== null
  const check = sparse ? await readSourceCheck(root, dataset) : null
  return {
    ...past,
    publishedDays: daily ? [...new Set(Object.keys(slices).map(slice => slice.slice(-10)))].sort() : [],
    completeThrough: completeThrough(dataset, manifest, { base, delta, slices }, check),
    absentMarkets: absentMarkets(dataset, slices),
    spans,
    spanOf: key => spanOf(key, spans),
    degraded,
  }
}

/** @throws Error when the manifest is absent, damaged or another dataset's */
export async function readPast(root: string, dataset: Dataset, id: string): Promise<PastRelease> {
  const manifest = await readManifest(root, dataset.slug, id)
  const paths = releasePaths(root, dataset.slug)
  return { id, dataset, manifest, pathOf: part => paths.part(part.sha256), repairs: 0 }
}

/** Slices are named by their columns, joined with blanks; no market's name has one. */
function absentMarkets({ publish, coverage }: Dataset, slices: Spans['slices']): readonly string[] {
  const place = publish.slice?.indexOf('market') ?? -1
  if (place === -1) return []
  const present = new Set(Object.keys(slices).map(slice => slice.split(' ')[place]))
  return coverage.markets.filter(market => !present.has(market))
}

/** From the earliest first to the latest last day of a key's rows in both kinds of parts, and their number. */
function spanOf(key: string, { base, delta }: Release['spans']): Span | undefined {
  const found = [base, delta].flatMap(spans => (Object.hasOwn(spans, key) ? [spans[key]!] : []))
  if (found.length === 0) return undefined
  const firsts = found.flatMap(([first]) => first ?? []).sort()
  const lasts = found.flatMap(([, last]) => last ?? []).sort()
  return [firsts[0] ?? null, lasts.at(-1) ?? null, found.reduce((sum, [, , rows]) => sum + rows, 0)]
}
