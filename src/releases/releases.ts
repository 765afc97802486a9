import type { Catalog, Dataset } from '../../catalog/index.ts'
import { coalesce, coalesceBy, coalesceNext, createSerial, type Log, Refusal } from '../core/index.ts'
import { createActiveReleases } from './active.ts'
import { isShortage, refusingShortage, retainedReleases } from './files.ts'
import { createVerifier, type Verifier } from './integrity.ts'
import { createLineage, type Lineage } from './lineage.ts'
import { ReleaseId } from './manifest.ts'
import { type Release, readRelease } from './release.ts'
import { watchPointers } from './watch.ts'

export interface Releases {
  /** @throws Refusal dataset_building before the first publication, data_unavailable when no release passes its check */
  current(dataset: Dataset): Release
  /** The served release, or null for a dataset that was never published. @throws Refusal data_unavailable */
  served(dataset: Dataset): Release | null
  /** A release by id. @throws Refusal unknown_id for a malformed one, release_retired for one that is not retained, integrity, overloaded */
  pinned(dataset: Dataset, id: string): Promise<Release>
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
  /** Hashes every served part again and falls back where one is damaged. Runs by itself every few hours. */
  recheck(): Promise<void>
  /**
   * Hashes a release again because a read of it failed, and falls back where it is damaged: once this resolves, another try is answered
   * or refused for good. Concurrent reports of one release share one run.
   */
  reportReadFailure(release: Release): Promise<void>
  /** Stops following; what is served stays readable. */
  close(): void
}

export interface ReleasesOptions {
  readonly root: string
  readonly catalog: Catalog
  readonly log: Log
  /** Milliseconds between checks for what the file watch missed and for damaged files that were repaired: one `stat` a dataset and damaged file. */
  readonly checkMs?: number
  readonly recheckMs?: number
}

/**
 * Opens the release store and follows `current` of every dataset. A release is verified completely, every part by its sha256, before a read
 * sees it.
 */
export async function openReleases({ root, catalog, log, checkMs = 1_000, recheckMs = 6 * 3_600_000 }: ReleasesOptions): Promise<Releases> {
  const changes = createChanges()
  const verifier = createVerifier(root)
  const active = createActiveReleases({ root, verifier, log, changed: changes.add })
  const inSerial = createSerial()
  const run = (work: () => Promise<unknown>): Promise<void> => inSerial(() => logFailure(() => work().finally(changes.tell), log))
  const datasets = [...catalog.values()]
  const refresh = coalesceNext(() => run(() => Promise.all(datasets.map(dataset => logFailure(() => active.refresh(dataset), log)))))
  // Release by release, so that a read that met damage does not wait for all of them.
  const recheck = coalesce(async () => {
    for (const release of active.all()) await run(() => active.recheck(release))
  })
  const refreshIfChanged = (): void => void (datasets.some(active.hasChanged) && refresh())
  const events = watchPointers(root, [...catalog.keys()], log, refreshIfChanged)
  await refresh()
  const check = (): void => {
    events.reopen()
    refreshIfChanged()
  }
  const timers = [setInterval(check, checkMs), setInterval(recheck, recheckMs)]
  for (const timer of timers) timer.unref()
  return {
    served: active.served,
    current(dataset) {
      const release = active.served(dataset)
      if (!release) throw new Refusal('dataset_building', { dataset: dataset.id })
      return release
    },
    pinned: (dataset, id) => refusingShortage(pin(root, dataset, id, active.of(dataset), verifier)),
    lineage: createLineage(root, verifier, log),
    refresh,
    onChange: changes.listen,
    recheck,
    reportReadFailure: coalesceBy(release => run(() => active.reportReadFailure(release))),
    close() {
      events.close()
      for (const timer of timers) clearInterval(timer)
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
  if (!ReleaseId.safeParse(id).success)
    throw new Refusal('unknown_id', { dataset: dataset.id, hint: 'a release looks like the X-Release header' }, 'No release has that id.')
  const retained = await retainedReleases(root, dataset.slug)
  if (!retained.includes(id))
    throw new Refusal('release_retired', { dataset: dataset.id, nearest: retained.find(name => name > id) ?? retained.at(-1) ?? null })
  const release = await readRelease(root, dataset, id, false).catch(error => (isShortage(error) ? Promise.reject(error) : undefined))
  if (!release || (await verifier.check(release))) throw new Refusal('integrity', { dataset: dataset.id, release: id })
  return verifier.withFreshPaths(release)
}
