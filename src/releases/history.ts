import type { Dataset } from '../../catalog/index.ts'
import { type Log, Refusal, taipeiDay } from '../core/index.ts'
import { createLineageReader, type LineageEntry, type Publication } from './line.ts'
import type { Part } from './manifest.ts'
import { type PastRelease, type Release, readPast } from './release.ts'
import type { Verifier } from './verify.ts'

/** What was served before a release. A release that was made and never served, or withdrawn, was never known. */
export interface Lineage {
  /**
   * The served release, then those before it while they are kept, newest first: samples only behind samples.
   *
   * @throws Refusal integrity, on reaching a release whose manifest is damaged: what it said, and what came before it, is not known
   */
  publications(release: Release): Promise<Iterable<Publication>>
  /** A release of the line, ready to be read. @throws Refusal integrity where its manifest is damaged */
  open(publication: Publication): Promise<PastRelease>
  /** Hashes parts that were not hashed before. @throws Refusal integrity at one that is damaged */
  verify(release: PastRelease, parts: readonly Part[]): Promise<void>
}

/** Manifests are remembered while they name no more parts than this in all, some 300 bytes each. */
const MOST_PARTS = 50_000

/** Reads the releases on disk that led to what is served; nothing of theirs but manifests stays in memory. */
export function createLineage(root: string, verifier: Verifier, log: Log): Lineage {
  const lines = createLineageReader(root, log)
  const known = new Map<string, PastRelease>()
  let parts = 0
  const remember = (name: string, release: PastRelease): void => {
    known.set(name, release)
    parts += release.manifest.parts.length
    for (const [oldest, { manifest }] of known) {
      if (parts <= MOST_PARTS || oldest === name) return
      known.delete(oldest)
      parts -= manifest.parts.length
    }
  }
  return {
    async publications(release) {
      return walk(release, await lines.of(release.dataset, release.id))
    },
    async open({ dataset, release: id }) {
      const name = `${dataset.slug} ${id}`
      const release = known.get(name) ?? (await readPast(root, dataset, id).catch(() => damaged(dataset, id)))
      if (!known.has(name)) remember(name, release)
      return verifier.located(release)
    },
    async verify(release, wanted) {
      if (await verifier.checkParts(release, wanted)) damaged(release.dataset, release.id)
    },
  }
}

/** Day in Taipei on which a release was published. */
export const publishedOn = ({ published_at }: { readonly published_at: string }): string => taipeiDay(new Date(published_at))

function* walk({ dataset, manifest }: Release, line: readonly LineageEntry[]): Generator<Publication> {
  for (const { release, publication } of line) {
    if (!publication) damaged(dataset, release)
    else if (publication.synthetic === manifest.synthetic) yield publication
  }
}

function damaged(dataset: Dataset, release: string): never {
  throw new Refusal('integrity', { dataset: dataset.id, release })
}
