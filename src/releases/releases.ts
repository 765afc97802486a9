import { relative } from 'node:path'
import type { Catalog, Dataset } from '../../catalog/index.ts'
import { coalesceBy, coalesceNext, createSerial, type Log, ofDataset, Refusal } from '../core/index.ts'
import { createActiveReleases } from './active.ts'
import { isShortage, refusingShortage } from './files.ts'
import { createVerifier, type Verifier } from './integrity.ts'
import { createKeptFiles, type KeptFiles } from './kept-files.ts'
import { checkKept, createKeptReleases, type KeptReleases } from './kept-releases.ts'
import { createLineage, type Lineage } from './lineage.ts'
import type { Part } from './manifest.ts'
import { type Release, readRelease } from './release.ts'
import { createScrub, type Scrub } from './scrub.ts'
import { watchPointers } from './watch.ts'

/** The releases on disk that have passed their checks, and word of every change. */
export interface Releases extends KeptFiles, KeptReleases {
  /** @throws Refusal dataset_building before the first publication, data_unavailable when no release passes its check */
  current(dataset: Dataset): Release
  /** The served release, or null for a dataset that was never published. @throws Refusal data_unavailable */
  served(dataset: Dataset): Release | null
  /** A release by id. @throws Refusal unknown_id for a malformed one, release_retired for one that is not retained, integrity, overloaded */
  pinned(dataset: Dataset, id: string): Promise<Release>
  /** What keeps newer releases of a dataset from being served: each file that is damaged or missing, from the folder of releases. */
  damages(dataset: Dataset): readonly { readonly file: string; readonly reason: string }[]
  /** What was served before a release. */
  readonly lineage: Lineage
  /** Activates what was published before the call. Reads already planned keep the release they pinned. Never rejects: failures are logged. */
  refresh(): Promise<void>
  /**
   * Calls the listener after served releases changed, once for all that changed together. It is not called for what is served already.
   *
   * @param listener must not throw
   * @returns what ends it
   */
  onChange(listener: (changed: ReadonlySet<Dataset>) => void): () => void
  /** Hashes, as long as it runs, every part that reads may open, again and again. */
  readonly scrub: Scrub
  /**
   * What a read of parts of the release answers, to be kept in memory: the bytes it read are proven whole by hashing them once it ended.
   * A bit that flipped before is found then; one that flipped for the time of the read alone, and back, is not.
   *
   * @throws Error where a part is damaged, was written or replaced; by then something else is served, or the same from other paths
   */
  takeIn<T>(release: Release, parts: readonly Part[], read: () => Promise<T>): Promise<T>
  /**
   * Hashes a release again because a read of it failed, and falls back where it is damaged: once this resolves, another try is answered
   * or refused for good. Concurrent reports of one release share one run.
   */
  reportReadFailure(release: Release): Promise<void>
  /** Stops following; what is served stays readable. */
  close(): void
}

/** `root` holds the releases, one folder a dataset. */
export interface ReleasesOptions {
  readonly root: string
  readonly catalog: Catalog
  readonly log: Log
  /** Milliseconds between checks for what the file watch missed and for damaged files that were repaired: one `stat` a dataset and damaged file. */
  readonly checkMs?: number
  /** Told while it opens, once hashing many parts goes on by itself: what keeps the thread busy from then on costs no time. */
  readonly verifying?: () => void
}

/**
 * Opens the release store and follows `current` of every dataset. A release is verified completely, every part by its sha256, before a read
 * sees it.
 */
export async function openReleases({ root, catalog, log, checkMs = 1_000, verifying }: ReleasesOptions): Promise<Releases> {
  const changes = createChanges()
  const verifier = createVerifier(root, verifying)
  const active = createActiveReleases({ root, verifier, log, changed: changes.add })
  const inSerial = createSerial()
  const run = (work: () => Promise<unknown>): Promise<void> => inSerial(() => logFailure(() => work().finally(changes.tell), log))
  const datasets = [...catalog.values()]
  const refresh = coalesceNext(() => run(() => Promise.all(datasets.map(dataset => logFailure(() => active.refresh(dataset), log)))))
  const scrub = createScrub({
    verifier,
    review: slug => inSerial(() => active.review(catalog.get(slug)!).finally(changes.tell)),
    failed: error => log('failed', { during: 'verifying parts again', error: String(error) }),
  })
  const refreshIfChanged = (): void => void (datasets.some(active.hasChanged) && refresh())
  const events = watchPointers(root, [...catalog.keys()], log, refreshIfChanged)
  await refresh()
  const check = (): void => {
    events.reopen()
    refreshIfChanged()
  }
  const timer = setInterval(check, checkMs)
  timer.unref()
  return {
    served: active.served,
    current(dataset) {
      const release = active.served(dataset)
      if (!release) throw new Refusal('dataset_building', ofDataset(dataset))
      return release
    },
    pinned: (dataset, id) => refusingShortage(pin(root, dataset, id, active.of(dataset), verifier)),
    ...createKeptReleases(root),
    ...createKeptFiles({ root, verifier, served: active.of, review: dataset => void run(() => active.review(dataset)) }),
    lineage: createLineage(root, verifier, log),
    damages: dataset =>
      active.damages(dataset).map(({ file, reason }) => ({ file: relative(root, file), reason: reason.replaceAll(`${root}/`, '') })),
    refresh,
    onChange: changes.listen,
    scrub,
    async takeIn(release, parts, read) {
      const taken = await read()
      if (await verifier.vouch(release, parts)) return taken
      await run(() => active.review(release.dataset))
      throw new Error('a part was damaged, or replaced, while it was read')
    },
    reportReadFailure: coalesceBy(release => run(() => active.reportReadFailure(release))),
    close() {
      events.close()
      clearInterval(timer)
      changes.close()
    },
  }
}

async function logFailure(work: () => Promise<unknown>, log: Log): Promise<void> {
  await work().catch(error => log('failed', { during: 'looking for releases', error: String(error) }))
}

/** Datasets whose served release changed, and who wants to know. */
function createChanges() {
  const listeners = new Set<(changed: ReadonlySet<Dataset>) => void>()
  let changed = new Set<Dataset>()
  return {
    add: (dataset: Dataset): void => void changed.add(dataset),
    tell(): void {
      if (changed.size === 0) return
      const changes = changed
      changed = new Set()
      for (const listener of listeners) listener(changes)
    },
    listen(listener: (changed: ReadonlySet<Dataset>) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close: (): void => listeners.clear(),
  }
}

async function pin(root: string, dataset: Dataset, id: string, served: Release | undefined, verifier: Verifier): Promise<Release> {
  if (served?.id === id) return served
  await checkKept(root, dataset, id)
  const release = await readRelease(root, dataset, id, false).catch(error => (isShortage(error) ? Promise.reject(error) : undefined))
  if (!release || (await verifier.check(release))) throw new Refusal('integrity', { ...ofDataset(dataset), release: id })
  return verifier.withFreshPaths(release)
}
