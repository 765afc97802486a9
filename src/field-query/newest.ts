import type { Catalog, Dataset, FieldView } from '../../catalog/index.ts'
import { type Attempt, coalesce, type Log, shouldRetry } from '../core/index.ts'
import { fromParts, type Pool } from '../engine/index.ts'
import { type Part, type PastRelease, partsOfKey, type Release, type Releases, releaseOf } from '../releases/index.ts'
import type { Columns } from '../row-cache/index.ts'
import { type Fact, readFacts } from './facts.ts'
import { newestInMemory } from './newest-in-memory.ts'
import { selectNewest } from './select.ts'

/** A cache of the rows of every entity's newest day, which nearly every query needs. */
export interface NewestFacts {
  /**
   * The entity's newest rows in a release, empty where it has none; undefined while they are not loaded. A past release is loaded as far
   * as it shares its parts with the served one.
   */
  of(view: FieldView, release: PastRelease, entity: string): readonly Fact[] | undefined
  /**
   * Loads the parts published since the last call: out of their rows in memory, once these are filled, else from disk. Failures are logged and retried after a while; until then queries read what is not
   * loaded.
   */
  refresh(): Promise<void>
  /** Resolves once the part being read is done; loads nothing further. */
  close(): Promise<void>
}

/** Newest rows of one part, by entity, from bytes that match its sha256. Parts are immutable, so this never changes. */
type PartFacts = ReadonlyMap<string, readonly Fact[]>

/** By the part's sha256. While a newer release is being loaded, the parts of both are present. */
type PartCache = Map<string, PartFacts>

/** What the newest facts are made of. */
export interface NewestDeps {
  readonly catalog: Catalog
  readonly releases: Releases
  readonly pool: Pool
  readonly columns: Columns
  readonly log: Log
}

/** Loads one part at a time, so that other reads can run in between. An appended day costs only its own part. */
export function openNewestFacts({ catalog, releases, pool, columns, log }: NewestDeps): NewestFacts {
  const ending = new AbortController()
  const caches = new Map(
    [...catalog.values()].flatMap(({ fields = [] }) => fields.map((view): [FieldView, PartCache] => [view, new Map()])),
  )
  const attempts = new Map<Dataset, Attempt>()
  const load = async (dataset: Dataset): Promise<void> => {
    const release = releaseOf(dataset, releases)
    const at = performance.now()
    if (!release || !shouldRetry(attempts.get(dataset), release.id, at)) return
    try {
      const read = (view: FieldView) => async (part: Part) => {
        const runs = columns.partOf(part)
        const facts =
          (runs && (await newestInMemory(dataset, view, runs))) ??
          (await releases.loadVerified(release, [part], () => readPart(pool, release, view, part)))
        return Map.groupBy(facts, ({ entity }) => entity)
      }
      for (const view of dataset.fields ?? []) await loadParts(release, caches.get(view)!, read(view), ending.signal)
      attempts.set(dataset, { of: release.id, at, failed: false })
    } catch (error) {
      attempts.set(dataset, { of: release.id, at, failed: true })
      if (!ending.signal.aborted) log('failed', { during: `reading the newest rows of ${dataset.slug}`, error: String(error) })
    }
  }
  const refresh = coalesce(async () => {
    // Each part is read once: what is being read into memory need not be read a second time.
    await columns.settled()
    for (const dataset of catalog.values()) if (dataset.fields && !ending.signal.aborted) await load(dataset)
  })
  return {
    of: (view, release, entity) => factsOf(caches.get(view), release, entity),
    refresh,
    close() {
      ending.abort()
      // Starts nothing after the abort: it resolves with the run in progress, if any.
      return refresh()
    },
  }
}

/** Loads the parts of a release and drops all others. When aborted, it keeps what is already loaded. */
async function loadParts(
  { manifest }: Release,
  cache: PartCache,
  read: (part: Part) => Promise<PartFacts>,
  ending: AbortSignal,
): Promise<void> {
  for (const part of manifest.parts) {
    if (ending.aborted) return
    if (!cache.has(part.sha256)) cache.set(part.sha256, await read(part))
  }
  const named = new Set(manifest.parts.map(({ sha256 }) => sha256))
  for (const sha256 of cache.keys()) if (!named.has(sha256)) cache.delete(sha256)
}

function factsOf(cache: PartCache | undefined, { manifest }: PastRelease, entity: string): readonly Fact[] | undefined {
  const facts: Fact[] = []
  for (const { sha256 } of partsOfKey(manifest, entity)) {
    const part = cache?.get(sha256)
    if (!part) return undefined
    facts.push(...(part.get(entity) ?? []))
  }
  return newestOf(facts)
}

const readPart = (pool: Pool, { dataset, pathOf }: Release, view: FieldView, part: Part): Promise<readonly Fact[]> =>
  readFacts(pool, dataset, view, selectNewest(dataset, view, fromParts([pathOf(part)]), {}))

/** The facts of the newest day, in the grain's order; they may come from several parts. */
function newestOf(facts: readonly Fact[]): readonly Fact[] {
  if (facts.length < 2) return facts
  const newest = facts.reduce((day, fact) => ((fact.day ?? '') > day ? fact.day! : day), '')
  return facts.filter(({ day }) => (day ?? '') === newest).sort((a, b) => (a.grain < b.grain ? -1 : 1))
}
