import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { z } from 'zod'
import { type Dataset, schemaHash } from '../../catalog/index.ts'
import { Refusal } from '../core/index.ts'
import { readSourceCheck } from './look.ts'
import { Manifest, type Part, ReleaseId, releasePaths, Spans } from './manifest.ts'
import { completeThrough } from './whole.ts'

export type Span = readonly [first: string | null, last: string | null, rows: number]

/** A release as far as reading its rows needs it. Its columns may be former ones. */
export interface PastRelease {
  readonly id: string
  readonly dataset: Dataset
  readonly manifest: Manifest
  readonly pathOf: (part: Part) => string
}

/** One release, ready to be read, of the columns the catalog declares. */
export interface Release extends PastRelease {
  /** Days the release holds whole, ascending; empty where a dataset is not published day by day. */
  readonly publishedDays: readonly string[]
  /** The newest day up to which nothing that usually comes is outstanding: at most `data_as_of`. */
  readonly completeThrough: string
  /** Markets the dataset means to cover and the release has no row of; none where it is not published market by market. */
  readonly absentMarkets: readonly string[]
  /** Per key what the release holds. */
  readonly spans: Pick<Spans, 'base' | 'delta'>
  /** First and last day of a key's rows, null where the dataset has no date, and their number; undefined for a key without rows. */
  readonly spanOf: (key: string) => Span | undefined
  /** An ancestor is served because the newer release did not pass its check. */
  readonly degraded: boolean
}

/** Name of the release that `current` points to, or null before the first publication. */
export async function readCurrent(root: string, slug: string): Promise<string | null> {
  const id = await readFile(releasePaths(root, slug).current, 'utf8').catch(() => null)
  if (id === null) return null
  const named = ReleaseId.safeParse(id.trim())
  if (named.success) return named.data
  throw new Refusal(
    'integrity',
    { dataset: slug },
    `The file that names the served release of ${slug} is damaged; name one with twmd releases serve ${slug} <release>, of those that twmd releases list ${slug} shows.`,
  )
}

/** @throws Error when the manifest is absent, damaged, another dataset's, or written for other columns than the catalog declares */
export async function readRelease(root: string, dataset: Dataset, id: string, degraded: boolean): Promise<Release> {
  const paths = releasePaths(root, dataset.slug)
  const manifest = await readManifest(root, dataset.slug, id)
  if (manifest.schema_hash !== schemaHash(dataset)) throw new Error('the release was written for other columns; publish the dataset again')
  const { base, delta, slices } = await readSpans(root, manifest)
  const daily = dataset.publish.slice?.includes(dataset.date ?? '') === true
  const publishedDays = daily ? [...new Set(Object.keys(slices).map(slice => slice.slice(-10)))].sort() : []
  const spans = { base, delta }
  const sparse = dataset.cadence.every === 'trading_day' && dataset.cadence.sparse
  const whole = completeThrough(dataset, manifest, { base, delta, slices }, sparse ? await readSourceCheck(root, dataset) : null)
  return {
    id,
    dataset,
    manifest,
    publishedDays,
    completeThrough: whole,
    absentMarkets: absentMarkets(dataset, slices),
    spans,
    spanOf: key => joined(key, spans),
    pathOf: part => paths.part(part.sha256),
    degraded,
  }
}

/** @throws Error when the manifest is absent, damaged or another dataset's */
export async function readPast(root: string, dataset: Dataset, id: string): Promise<PastRelease> {
  const manifest = await readManifest(root, dataset.slug, id)
  const paths = releasePaths(root, dataset.slug)
  return { id, dataset, manifest, pathOf: part => paths.part(part.sha256) }
}

/** Slices are named by their columns, blanks between them; no market's name has one. */
function absentMarkets({ publish, coverage }: Dataset, slices: Spans['slices']): readonly string[] {
  const place = publish.slice?.indexOf('market') ?? -1
  if (place === -1) return []
  const held = new Set(Object.keys(slices).map(slice => slice.split(' ')[place]))
  return coverage.markets.filter(market => !held.has(market))
}

/** Days from the earlier first to the later last of a key's rows in both kinds of parts, and how many rows there are. */
function joined(key: string, { base, delta }: Release['spans']): Span | undefined {
  const held = [base, delta].flatMap(spans => (Object.hasOwn(spans, key) ? [spans[key]!] : []))
  if (held.length === 0) return undefined
  const firsts = held.flatMap(([first]) => first ?? []).sort()
  const lasts = held.flatMap(([, last]) => last ?? []).sort()
  return [firsts[0] ?? null, lasts.at(-1) ?? null, held.reduce((sum, [, , rows]) => sum + rows, 0)]
}

/** @throws Error when it is absent or does not match the sha256 written beside it */
export async function readManifest(root: string, slug: string, id: string): Promise<Manifest> {
  return readSealed(root, slug, id, Manifest)
}

/**
 * A manifest in the shape of `schema`: of the whole, or of the few keys that are wanted.
 *
 * @throws Error when it is absent, of another shape, or does not match the sha256 written beside it
 */
export async function readSealed<M extends Pick<Manifest, 'dataset' | 'release'>>(
  root: string,
  slug: string,
  id: string,
  schema: z.ZodType<M>,
): Promise<M> {
  const paths = releasePaths(root, slug)
  const [text, seal] = await Promise.all([readFile(paths.manifest(id), 'utf8'), readFile(paths.seal(id), 'utf8')])
  if (sha256OfText(text) !== seal.trim()) throw new Error(`the manifest of ${id} is damaged`)
  const manifest = schema.parse(JSON.parse(text))
  if (manifest.release !== id || manifest.dataset !== slug) throw new Error(`the manifest in ${id} names another release`)
  return manifest
}

/** @throws Error when they are absent, not those the manifest names, or in a form that is no longer read */
export async function readSpans(root: string, { dataset, release, statistics }: Manifest): Promise<Spans> {
  const text = await readFile(releasePaths(root, dataset).spans(release), 'utf8')
  if (sha256OfText(text) !== statistics.spans) throw new Error(`the spans of ${release} are damaged`)
  const spans = JSON.parse(text) as Spans
  // The manifest vouches for every byte, so one entry tells the form of thousands.
  Spans.parse({ ...spans, base: firstOf(spans.base), delta: firstOf(spans.delta), slices: firstOf(spans.slices) })
  return spans
}

function firstOf<T>(entries: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  for (const name in entries) return { [name]: entries[name]! }
  return entries
}

export const sha256OfText = (text: string): string => createHash('sha256').update(text).digest('hex')
