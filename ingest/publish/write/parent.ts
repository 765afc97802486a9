import { type Dataset, isStoredAs, STORED, schemaHash, storedColumns } from '../../../catalog/index.ts'
import { commandRefusal, isDay } from '../../../src/core/index.ts'
import { fromParts, quote, type Session } from '../../../src/engine/index.ts'
import {
  bucketOf,
  type Manifest,
  type ParsedFiles,
  type Part,
  type PartFile,
  readCurrent,
  readManifest,
  readSpans,
  releasePaths,
  type Spans,
  sha256Of,
} from '../../../src/releases/index.ts'
import type { Batch } from '../check/batch.ts'
import type { Workspace } from './workspace.ts'

export interface Parent {
  readonly manifest: Manifest
  readonly spans: Spans
  readonly pathOf: (part: PartFile) => string
  /** sha256 of parts that were verified during this publication. */
  readonly good: Set<string>
  /** Columns that the release lacks. They are read as nulls. */
  readonly missing: readonly string[]
  /** SQL after `SELECT *` that adds the missing columns. */
  readonly fill: string
}

/**
 * The served releases, as one publication uses them. Each release is read once and its parts are
 * hashed once, even if other processes publish in the meantime.
 */
export interface ServedReleases {
  /**
   * Returns the served release. Undefined before the first publication.
   *
   * @throws Error if the release is damaged
   */
  of(slug: string): Promise<Parent | undefined>
  /**
   * Like `of`, but never mixes samples with real rows. Undefined for a damaged release. The damage
   * is reported when that dataset is published or served.
   */
  alike(slug: string, synthetic: boolean): Promise<Parent | undefined>
}

export function createServedReleases({
  releases,
  parsed,
}: Pick<Workspace, 'releases'> & Partial<Pick<Workspace, 'parsed'>>): ServedReleases {
  const read = new Map<string, Promise<Parent | undefined>>()
  const of = (slug: string): Promise<Parent | undefined> => {
    const parent = read.get(slug) ?? openParent(releases, slug, parsed)
    read.set(slug, parent)
    return parent
  }
  return {
    of,
    async alike(slug, synthetic) {
      const served = await of(slug).catch(() => undefined)
      return served?.manifest.synthetic === synthetic ? served : undefined
    },
  }
}

async function openParent(root: string, slug: string, parsed?: ParsedFiles): Promise<Parent | undefined> {
  const id = await readCurrent(root, slug)
  if (id === null) return undefined
  const manifest = await readManifest(root, slug, id, parsed)
  const spans = await readSpans(root, manifest, parsed)
  return { manifest, spans, pathOf: releasePaths(root, slug).file, good: new Set(), missing: [], fill: '' }
}

/** Returns the days in any order. Empty if the dataset is not published by day. */
export const daysOf = ({ slices }: Spans): readonly string[] =>
  Object.keys(slices)
    .map(slice => slice.slice(-10))
    .filter(isDay)

/**
 * Prepares the served release for a merge. New columns are read as nulls. Undefined if a new
 * column must not be null, or if the type of a column changed.
 */
export async function adapted(session: Session, parent: Parent, dataset: Dataset): Promise<Parent | undefined> {
  if (parent.manifest.schema_hash === schemaHash(dataset)) return parent
  const [part] = parent.manifest.parts
  if (!part) return parent
  const rows = await session.rows(`DESCRIBE SELECT * FROM ${fromParts([parent.pathOf(part)])}`)
  const found = new Map(rows.map(row => [String(row['column_name']), String(row['column_type'])]))
  const columns = storedColumns(dataset).map(name => [name, dataset.columns[name]!] as const)
  const missing = columns.filter(([name]) => !found.has(name))
  const fits = missing.every(([, { nullable, derived }]) => nullable || derived !== undefined)
  const sameTypes = columns.every(([name, { type }]) => !found.has(name) || isStoredAs(type, found.get(name)))
  if (!fits || !sameTypes) return undefined
  const fill = missing.map(([name, { type }]) => `, NULL::${STORED[type]} AS ${quote(name)}`).join('')
  return { ...parent, missing: missing.map(([name]) => name), fill }
}

/**
 * Returns the parts that may have rows of these keys and days. Undefined keys or null days set no
 * limit.
 */
export function partsFor(
  { manifest }: Parent,
  keys: readonly string[] | undefined,
  from: string | null,
  to: string | null,
): readonly Part[] {
  const buckets = keys && new Set(keys.map(key => bucketOf(key, manifest.buckets)))
  return manifest.parts.filter(
    ({ bucket, first_date, last_date }) =>
      (!buckets || bucket === null || buckets.has(bucket)) &&
      (!from || !last_date || last_date >= from) &&
      (!to || !first_date || first_date <= to),
  )
}

/** Returns the parts that may have rows of one of the keys or days. */
export function partsWithin(parent: Parent, { keys, days }: NonNullable<Batch['whole']>): readonly Part[] {
  const found = new Set([
    ...(keys.length > 0 ? partsFor(parent, keys, null, null) : []),
    ...days.flatMap(([first, last]) => partsFor(parent, undefined, first, last)),
  ])
  return parent.manifest.parts.filter(part => found.has(part))
}

/** Hashes an intact part once per publication, a damaged part at each call. */
async function isSound({ good, pathOf }: Parent, part: PartFile): Promise<boolean> {
  if (good.has(part.sha256)) return true
  const sound = (await sha256Of(pathOf(part)).catch(() => 'nothing')) === part.sha256
  if (sound) good.add(part.sha256)
  return sound
}

/** Returns the intact parts, in the same order. */
export async function soundParts(parent: Parent, parts: readonly Part[]): Promise<readonly Part[]> {
  const sound: Part[] = []
  for (const part of parts) if (await isSound(parent, part)) sound.push(part)
  return sound
}

/**
 * Returns SQL that reads parts. Verifies each part first, because a damaged part must not be
 * copied to a new release.
 *
 * @throws Refusal integrity, which names the part
 */
export async function readParts(parent: Parent, parts: readonly PartFile[]): Promise<string> {
  for (const part of parts) {
    if (await isSound(parent, part)) continue
    const message = `Part ${part.sha256.slice(0, 12)} of ${parent.manifest.release} is damaged; restore it from a backup, then publish again. twmd releases verify ${parent.manifest.dataset} lists every damaged part.`
    throw commandRefusal('integrity', { dataset: parent.manifest.dataset }, message)
  }
  const rows = fromParts(parts.map(parent.pathOf))
  return parent.fill === '' ? rows : `(SELECT *${parent.fill} FROM ${rows})`
}
