import type { Catalog, Dataset, FieldView } from '../../catalog/index.ts'
import { type Attempt, coalesce, type Log, shouldRetry } from '../core/index.ts'
import { fromParts, type Pool } from '../engine/index.ts'
import { partsOfKey } from '../read/index.ts'
import { type Part, type PastRelease, type Release, type Releases, releaseOf } from '../releases/index.ts'
import { type Fact, readFacts } from './fact.ts'
import { selectNewest } from './select.ts'

/** The rows of every entity's newest day, kept in memory: what nearly every query asks for. */
export interface NewestFacts {
  /**
   * The entity's newest rows in that release, none where it has none; undefined while they are not at hand. A former release is at hand
   * as far as the served one still has its parts.
   */
  of(view: FieldView, release: PastRelease, entity: string): readonly Fact[] | undefined
  /**
   * Reads the parts that were published since. Failures are logged and left alone for a while; what is not at hand is read as it is
   * asked for.
   */
  refresh(): Promise<void>
  /** Stops after the part being read. */
  close(): Promise<void>
}

/** Newest rows of one part, by entity. Parts never change, so neither does this. */
type PartFacts = ReadonlyMap<string, readonly Fact[]>

/** By the part's sha256; of releases that came after one another while the newer one is being read. */
type Held = Map<string, PartFacts>

/** Reads one part at a time, so that other reads pass between; an appended day costs its own part and no other. */
export function openNewestFacts(catalog: Catalog, releases: Releases, pool: Pool, log: Log): NewestFacts {
  const ending = new AbortController()
  const held = new Map([...catalog.values()].flatMap(({ fields = [] }) => fields.map((view): [FieldView, Held] => [view, new Map()])))
  const attempts = new Map<Dataset, Attempt>()
  const look = async (dataset: Dataset): Promise<void> => {
    const release = releaseOf(dataset, releases)
    const at = performance.now()
    if (!release || !shouldRetry(attempts.get(dataset), release.id, at)) return
    try {
      for (const view of dataset.fields ?? []) await take(pool, release, view, held.get(view)!, ending.signal)
      attempts.set(dataset, { of: release.id, at, failed: false })
    } catch (error) {
      attempts.set(dataset, { of: release.id, at, failed: true })
      if (!ending.signal.aborted) log('failed', { during: `reading the newest rows of ${dataset.slug}`, error: String(error) })
    }
  }
  const refresh = coalesce(async () => {
    for (const dataset of catalog.values()) if (dataset.fields && !ending.signal.aborted) await look(dataset)
  })
  return {
    of: (view, release, entity) => factsOf(held.get(view), release, entity),
    refresh,
    close() {
      ending.abort()
      // Begins nothing any more: it is the one that runs, if any.
      return refresh()
    },
  }
}

/** Holds the parts of a release and no others, once it resolves; ended before, it leaves those that were held. */
async function take(pool: Pool, release: Release, view: FieldView, held: Held, ending: AbortSignal): Promise<void> {
  for (const part of release.manifest.parts) {
    if (ending.aborted) return
    if (!held.has(part.sha256)) held.set(part.sha256, await readPart(pool, release, view, part))
  }
  const named = new Set(release.manifest.parts.map(({ sha256 }) => sha256))
  for (const sha256 of held.keys()) if (!named.has(sha256)) held.delete(sha256)
}

function factsOf(held: Held | undefined, { manifest }: PastRelease, entity: string): readonly Fact[] | undefined {
  const facts: Fact[] = []
  for (const { sha256 } of partsOfKey(manifest, entity)) {
    const part = held?.get(sha256)
    if (!part) return undefined
    facts.push(...(part.get(entity) ?? []))
  }
  return newestOf(facts)
}

async function readPart(pool: Pool, { dataset, pathOf }: Release, view: FieldView, part: Part): Promise<PartFacts> {
  const rows = fromParts([pathOf(part)])
  return Map.groupBy(await readFacts(pool, dataset, view, selectNewest(dataset, view, rows, {})), ({ entity }) => entity)
}

/** Those of the newest day, in the grain's order; the rows may come from several parts. */
function newestOf(facts: readonly Fact[]): readonly Fact[] {
  if (facts.length < 2) return facts
  const newest = facts.reduce((day, fact) => ((fact.day ?? '') > day ? fact.day! : day), '')
  return facts.filter(({ day }) => (day ?? '') === newest).sort((a, b) => (a.grain < b.grain ? -1 : 1))
}
