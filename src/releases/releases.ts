import type { Catalog, Dataset } from '../../catalog/index.ts'
import { coalesce, coalesceBy, type Log, Refusal } from '../core/index.ts'
import { retainedReleases } from './fallback.ts'
import { createLineage, type Lineage } from './history.ts'
import { ReleaseId } from './manifest.ts'
import { type Release, readRelease } from './release.ts'
import { openServing } from './serving.ts'
import { createVerifier, type Verifier } from './verify.ts'

export type { Release } from './release.ts'

export interface Releases {
  /** @throws Refusal dataset_building before the first publication, data_unavailable when no release passes its check */
  current(dataset: Dataset): Release
  /** The served release, or null for a dataset that was never published. @throws Refusal data_unavailable */
  served(dataset: Dataset): Release | null
  /** A release by id. @throws Refusal unknown_id for a malformed one, release_retired for one that is not kept */
  pinned(dataset: Dataset, id: string): Promise<Release>
  /** What was served before a release. */
  readonly lineage: Lineage
  /** Takes up what was published since. Reads already planned keep the release they pinned. */
  refresh(): Promise<void>
  /** Hashes every served part again and falls back where one was damaged since. Runs by itself every few hours. */
  recheck(): Promise<void>
  /**
   * Hashes a release again because a read of it failed, and falls back where it is damaged: once this resolves, another try is answered
   * or refused for good. Asked for while one waits or runs, it is that one: every read that meets the same damage asks.
   */
  reportReadFailure(release: Release): Promise<void>
  close(): void
}

export interface ReleasesOptions {
  readonly root: string
  readonly catalog: Catalog
  readonly log: Log
  /** Milliseconds between looks for a new release; each look is one `stat` a dataset. */
  readonly everyMs?: number
  readonly recheckMs?: number
  /** Milliseconds between looks at what is damaged, whether it was mended; each look is one `stat` a damaged file. */
  readonly mendMs?: number
}

/** Follows `current` of every dataset. Each release is verified whole, every part by its sha256, before a read sees it. */
export async function openReleases(options: ReleasesOptions): Promise<Releases> {
  const { root, catalog, log } = options
  const verifier = createVerifier(root)
  const serving = openServing(root, verifier, log)
  const inTurn = oneAtATime(log)
  const datasets = [...catalog.values()]
  const refresh = () => inTurn(() => Promise.all(datasets.map(serving.look)))
  // Release by release, so that a read that met damage does not wait for all of them.
  const recheck = coalesce(async () => {
    for (const release of serving.all()) await inTurn(() => serving.recheck(release))
  })
  await refresh()
  const stop = lookAgain(options, {
    news: () => void (datasets.some(serving.hasNews) && refresh()),
    mended: () => void (datasets.some(serving.isMended) && refresh()),
    recheck: () => void recheck(),
  })
  return {
    served: serving.served,
    current(dataset) {
      const release = serving.served(dataset)
      if (!release) throw new Refusal('dataset_building', { dataset: dataset.id })
      return release
    },
    pinned: (dataset, id) => pin(root, dataset, id, serving.of(dataset), verifier),
    lineage: createLineage(root, verifier, log),
    refresh,
    recheck,
    reportReadFailure: coalesceBy(release => inTurn(() => serving.suspect(release))),
    close: stop,
  }
}

type Looks = Readonly<Record<'news' | 'mended' | 'recheck', () => void>>

/** @returns what ends the looks */
function lookAgain({ everyMs = 10, mendMs = 1_000, recheckMs = 6 * 3_600_000 }: ReleasesOptions, looks: Looks): () => void {
  const timers = [setInterval(looks.news, everyMs), setInterval(looks.mended, mendMs), setInterval(looks.recheck, recheckMs)]
  for (const timer of timers) timer.unref()
  return () => {
    for (const timer of timers) clearInterval(timer)
  }
}

/** Runs work after the work before it, whether that succeeded or not. Failures are logged, never thrown. */
function oneAtATime(log: Log) {
  let last: Promise<void> = Promise.resolve()
  return (work: () => Promise<unknown>): Promise<void> => {
    last = last.then(async () => {
      await work().catch(error => log('failed', { during: 'looking for releases', error: String(error) }))
    })
    return last
  }
}

async function pin(root: string, dataset: Dataset, id: string, serving: Release | undefined, verifier: Verifier): Promise<Release> {
  if (serving?.id === id) return serving
  if (!ReleaseId.safeParse(id).success)
    throw new Refusal('unknown_id', { dataset: dataset.id, hint: 'a release looks like the X-Release header' }, 'No release has that id.')
  const kept = await retainedReleases(root, dataset.slug)
  if (!kept.includes(id))
    throw new Refusal('release_retired', { dataset: dataset.id, nearest: kept.find(name => name > id) ?? kept.at(-1) ?? null })
  const release = await readRelease(root, dataset, id, false).catch(() => undefined)
  if (!release || (await verifier.check(release))) throw new Refusal('integrity', { dataset: dataset.id, release: id })
  return verifier.located(release)
}
