import type { Catalog, Dataset, FieldView } from '../../catalog/index.ts'
import { type BuildAttempt, coalesce, type Log, type Pace, shouldRetry } from '../core/index.ts'
import { fromParts, type Pool } from '../engine/index.ts'
import { type Part, type PastRelease, partsOfKey, type Release, type Releases, releaseOf } from '../releases/index.ts'
import type { Columns } from '../row-cache/index.ts'
import { type Fact, newestOf, readFacts } from './facts.ts'
import { newestInMemory } from './rows-in-memory.ts'
import { selectNewest } from './select.ts'

/** Cache of the newest rows of each entity. Nearly every query needs these rows. */
export interface NewestFacts {
  /** Empty if there are no rows. Undefined if the rows are not loaded yet. */
  factsOf(view: FieldView, release: PastRelease, entity: string): readonly Fact[] | undefined
  /**
   * Loads newly published files. Failures are logged, and the next call tries again. Rows in the
   * row cache are not read from disk.
   */
  refresh(): Promise<void>
  /** Stops loading. Resolves after the current read. */
  close(): Promise<void>
}

type PartFacts = ReadonlyMap<string, readonly Fact[]>

type PartCache = Map<string, PartFacts>

export interface NewestDeps {
  readonly catalog: Catalog
  readonly releases: Releases
  readonly pool: Pool
  readonly columns: Columns
  readonly log: Log
}

/** Loads one file at a time, so that other reads can run in between. */
export function openNewestFacts({ catalog, releases, pool, columns, log }: NewestDeps): NewestFacts {
  const ending = new AbortController()
  const caches = new Map(
    [...catalog.values()].flatMap(({ fields = [] }) => fields.map((view): [FieldView, PartCache] => [view, new Map()])),
  )
  const attempts = new Map<Dataset, BuildAttempt>()
  const load = async (dataset: Dataset): Promise<void> => {
    const release = releaseOf(dataset, releases)
    const now = performance.now()
    if (!release || !shouldRetry(attempts.get(dataset), release.id, now)) return
    // Until the first rows are loaded, queries read files.
    const pace = { yields: attempts.has(dataset) }
    try {
      const read = (view: FieldView) => async (part: Part) => {
        const runs = columns.partOf(part)
        const facts =
          (runs && (await newestInMemory(dataset, view, runs, pace))) ??
          (await releases.loadVerified(release, [part], () => readPart(pool, release, view, part, pace)))
        return Map.groupBy(facts, ({ entity }) => entity)
      }
      for (const view of dataset.fields ?? []) await loadParts(release, caches.get(view)!, read(view), ending.signal)
      attempts.set(dataset, { source: release.id, startedAt: now, failed: false })
    } catch (error) {
      attempts.set(dataset, { source: release.id, startedAt: now, failed: true })
      if (!ending.signal.aborted) log('failed', { during: `reading the newest rows of ${dataset.slug}`, error: String(error) })
    }
  }
  const refresh = coalesce(async () => {
    // Waits for the row cache. Otherwise, files would be read from disk twice.
    await columns.settled()
    for (const dataset of catalog.values()) if (dataset.fields && !ending.signal.aborted) await load(dataset)
  })
  return {
    factsOf: (view, release, entity) => factsOf(caches.get(view), release, entity),
    refresh,
    close() {
      ending.abort()
      // After the abort, `refresh` only waits.
      return refresh()
    },
  }
}

/** Loads the files of a release, and removes all other files from memory. */
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
  const current = new Set(manifest.parts.map(({ sha256 }) => sha256))
  for (const sha256 of cache.keys()) if (!current.has(sha256)) cache.delete(sha256)
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

const readPart = (pool: Pool, { dataset, pathOf }: Release, view: FieldView, part: Part, pace: Pace): Promise<readonly Fact[]> =>
  readFacts(pool, dataset, view, selectNewest(dataset, view, fromParts([pathOf(part)]), {}), pace)
