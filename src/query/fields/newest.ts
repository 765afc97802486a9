import { bucketOf } from '../../../catalog/bucket.ts'
import type { Dataset } from '../../../catalog/dataset.ts'
import type { FieldView } from '../../../catalog/field-view.ts'
import type { Catalog } from '../../../catalog/load.ts'
import type { Part } from '../../../catalog/release.ts'
import type { Log } from '../../core/log.ts'
import type { Pool } from '../pool.ts'
import type { Release } from '../release.ts'
import type { Releases } from '../releases.ts'
import { releaseOf } from '../stand.ts'
import { type Fact, readFacts } from './fact.ts'
import { selectNewest } from './select.ts'

/** The rows of every entity's newest day, kept in memory: what nearly every query asks for. */
export interface Newest {
  /** The entity's newest rows in that release, none where it has none; undefined while they are not at hand. */
  of(view: FieldView, release: Release, entity: string): readonly Fact[] | undefined
  /** Reads the parts that were published since. Failures are logged; what is not at hand is read as it is asked for. */
  refresh(): Promise<void>
  /** Stops after the part being read. */
  close(): Promise<void>
}

/** Newest rows of one part, by entity. Parts never change, so neither does this. */
type PartFacts = ReadonlyMap<string, readonly Fact[]>

interface Ready {
  readonly release: string
  readonly parts: ReadonlyMap<string, PartFacts>
  /** Entities' rows lie in their bucket's part and in parts that hold any bucket, under null. */
  readonly byBucket: ReadonlyMap<number | null, readonly PartFacts[]>
}

/** Reads one part at a time, so that other reads pass between; an appended day costs its own part and no other. */
export function openNewest(catalog: Catalog, releases: Releases, pool: Pool, log: Log): Newest {
  const ready = new Map<FieldView, Ready>()
  let running: Promise<void> | undefined
  let closed = false
  const take = async (dataset: Dataset, view: FieldView): Promise<void> => {
    const release = releaseOf(dataset, releases)
    const former = ready.get(view)
    if (!release || release.id === former?.release) return
    const parts = new Map<string, PartFacts>()
    for (const part of release.manifest.parts) {
      if (closed) return
      parts.set(part.sha256, former?.parts.get(part.sha256) ?? (await readPart(pool, release, view, part)))
    }
    ready.set(view, readyOf(release, parts))
  }
  const takeAll = async (): Promise<void> => {
    for (const dataset of catalog.values()) {
      for (const view of dataset.fields ?? [])
        await take(dataset, view).catch(error =>
          log('failed', { during: `reading the newest rows of ${dataset.slug}`, error: String(error) }),
        )
    }
  }
  return {
    of: (view, release, entity) => factsOf(ready.get(view), release, entity),
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

function readyOf({ id, manifest }: Release, parts: ReadonlyMap<string, PartFacts>): Ready {
  const byBucket = new Map<number | null, readonly PartFacts[]>()
  for (const { bucket, sha256 } of manifest.parts) byBucket.set(bucket, [...(byBucket.get(bucket) ?? []), parts.get(sha256)!])
  return { release: id, parts, byBucket }
}

function factsOf(ready: Ready | undefined, { id, manifest }: Release, entity: string): readonly Fact[] | undefined {
  if (ready?.release !== id) return undefined
  const places = [...(ready.byBucket.get(bucketOf(entity, manifest.buckets)) ?? []), ...(ready.byBucket.get(null) ?? [])]
  return newestOf(places.flatMap(part => part.get(entity) ?? []))
}

async function readPart(pool: Pool, { dataset, pathOf }: Release, view: FieldView, part: Part): Promise<PartFacts> {
  return Map.groupBy(await readFacts(pool, dataset, view, selectNewest(dataset, view, [pathOf(part)], {})), ({ entity }) => entity)
}

/** Those of the newest day, in the grain's order; the rows may come from several parts. */
function newestOf(facts: readonly Fact[]): readonly Fact[] {
  if (facts.length < 2) return facts
  const newest = facts.reduce((day, fact) => ((fact.day ?? '') > day ? fact.day! : day), '')
  return facts.filter(({ day }) => (day ?? '') === newest).sort((a, b) => (a.grain < b.grain ? -1 : 1))
}
