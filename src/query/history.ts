import { schemaHash } from '../../catalog/schema.ts'
import { Refusal } from '../core/errors.ts'
import { keptReleases } from './fallback.ts'
import { type Release, readManifest, readRelease } from './release.ts'
import type { Verifier } from './verify.ts'

export interface History {
  /**
   * The kept releases before this one, newest first, whose rows can stand beside its rows: of the same columns, and samples only beside
   * samples. Each is verified before it is handed over, and read only when asked for.
   *
   * @throws Refusal integrity at a release that is damaged: what it said is not known
   */
  before(release: Release): AsyncGenerator<Release>
}

/** Releases never change, so each is read once. */
const MOST_REMEMBERED = 1_000

/** Releases that were served once and are still on disk. */
export function openHistory(root: string, verifier: Verifier): History {
  const known = new Map<string, Promise<Release | null>>()
  const recall = (newer: Release, id: string): Promise<Release | null> => {
    const name = `${newer.dataset.slug} ${id}`
    const read = known.get(name) ?? readOlder(root, newer, id)
    known.set(name, read)
    read.catch(() => known.delete(name))
    if (known.size > MOST_REMEMBERED) known.delete(known.keys().next().value!)
    return read
  }
  return {
    async *before(release) {
      const { dataset, manifest } = release
      const kept = await keptReleases(root, dataset.slug)
      for (const id of kept.filter(name => name < release.id).toReversed()) {
        const older = await recall(release, id)
        if (older?.manifest.synthetic !== manifest.synthetic) continue
        if (await verifier.check(older)) throw new Refusal('integrity', { dataset: dataset.id, release: id })
        yield older
      }
    },
  }
}

/** Null for a release of other columns. */
async function readOlder(root: string, { dataset }: Release, id: string): Promise<Release | null> {
  try {
    const { schema_hash: hash } = await readManifest(root, dataset.slug, id)
    return hash === schemaHash(dataset) ? await readRelease(root, dataset, id, false) : null
  } catch {
    throw new Refusal('integrity', { dataset: dataset.id, release: id })
  }
}
