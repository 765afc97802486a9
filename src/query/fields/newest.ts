import type { Dataset } from '../../../catalog/dataset.ts'
import type { FieldView } from '../../../catalog/field-view.ts'
import type { Catalog } from '../../../catalog/load.ts'
import type { Part } from '../../../catalog/release.ts'
import type { Log } from '../../core/log.ts'
import { partsOfKey } from '../parts.ts'
import type { Pool } from '../pool.ts'
import type { PastRelease, Release } from '../release.ts'
import type { Releases } from '../releases.ts'
import { fromParts } from '../sql.ts'
import { releaseOf } from '../stand.ts'
import { type Fact, readFacts } from './fact.ts'
import { selectNewest } from './select.ts'

/** The rows of every entity's newest day, kept in memory: what nearly every query asks for. */
export interface Newest {
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

/** What was last made of a dataset's release. */
interface Look {
  readonly release: string
  readonly at: number
  readonly failed: boolean
}

/** How long a release that could not be read is left alone. */
const RETRY_MS = 30_000

/** Reads one part at a time, so that other reads pass between; an appended day costs its own part and no other. */
export function openNewest(catalog: Catalog, releases: Releases, pool: Pool, log: Log): Newest {
  const held = new Map<FieldView, Held>()
  const looks = new Map<Dataset, Look>()
  let running: Promise<void> | undefined
  let closed = false
  const take = async (release: Release, view: FieldView): Promise<void> => {
    const parts = held.get(view) ?? new Map<string, PartFacts>()
    held.set(view, parts)
    for (const part of release.manifest.parts) {
      if (closed) return
      if (!parts.has(part.sha256)) parts.set(part.sha256, await readPart(pool, release, view, part))
    }
    const named = new Set(release.manifest.parts.map(({ sha256 }) => sha256))
    for (const sha256 of parts.keys()) if (!named.has(sha256)) parts.delete(sha256)
  }
  const look = async (dataset: Dataset): Promise<void> => {
    const release = releaseOf(dataset, releases)
    const last = looks.get(dataset)
    const at = performance.now()
    if (!release || (last?.release === release.id && (!last.failed || at - last.at < RETRY_MS))) return
    try {
      for (const view of dataset.fields ?? []) await take(release, view)
      looks.set(dataset, { release: release.id, at, failed: false })
    } catch (error) {
      looks.set(dataset, { release: release.id, at, failed: true })
      if (!closed) log('failed', { during: `reading the newest rows of ${dataset.slug}`, error: String(error) })
    }
  }
  const takeAll = async (): Promise<void> => {
    for (const dataset of catalog.values()) if (dataset.fields) await look(dataset)
  }
  return {
    of: (view, release, entity) => factsOf(held.get(view), release, entity),
    refresh() {
      running ??= takeAll().finally(() => {
        running = undefined
      })
      return running
    },
    async close() {
      closed = true
      await running
    },
  }
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
