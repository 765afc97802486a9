import { relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Catalog, Dataset } from '../../catalog/index.ts'
import { coalesceBy, coalesceNext, createSerial, type Log, ofDataset, Refusal } from '../core/index.ts'
import { createActiveReleases } from './active.ts'
import { isShortage, refusingShortage } from './files.ts'
import { createVerifier, type Verifier } from './integrity.ts'
import { createLineage, type Lineage } from './lineage.ts'
import type { Part } from './manifest.ts'
import { type Release, readRelease } from './release.ts'
import { createRetainedFiles, type RetainedFiles } from './retained-files.ts'
import { checkRetained, createRetainedReleases, type RetainedReleases } from './retained-releases.ts'
import { createScrub, type Scrub } from './scrub.ts'
import { watchPointers } from './watch.ts'

/** The verified releases on disk. Calls listeners when served releases change. */
export interface Releases extends RetainedFiles, RetainedReleases {
  /**
   * The served release.
   *
   * @throws Refusal dataset_building before the first publication, data_unavailable if no release
   * passes its check
   */
  current(dataset: Dataset): Release
  /**
   * The served release. Null for a dataset that was never published.
   *
   * @throws Refusal data_unavailable
   */
  served(dataset: Dataset): Release | null
  /**
   * A release by id.
   *
   * @throws Refusal unknown_id if malformed, release_retired if not retained, integrity, overloaded
   */
  pinned(dataset: Dataset, id: string): Promise<Release>
  /**
   * Damaged or missing files that prevent newer releases from being served. Paths are relative to
   * the folder of releases.
   */
  damages(dataset: Dataset): readonly { readonly file: string; readonly reason: string }[]
  readonly lineage: Lineage
  /**
   * Activates releases that were published before the call. A read whose read plan exists keeps its
   * release. Never rejects: failures are logged.
   */
  refresh(): Promise<void>
  /**
   * Calls the listener after served releases changed, once per batch of changes. Does not call it
   * for releases that are already served.
   *
   * @param listener must not throw
   * @returns unsubscribes
   */
  onChange(listener: (changed: ReadonlySet<Dataset>) => void): () => void
  /**
   * Calls the listener with a verified release before it is served, and waits for it for up to half
   * a second. The listener may load what reads of the release need.
   *
   * @param listener must not reject
   * @returns unsubscribes
   */
  beforeServing(listener: (release: Release) => Promise<void>): () => void
  /** Repeatedly hashes all parts that a read can open. */
  readonly scrub: Scrub
  /**
   * Runs a read whose result will be cached. Then hashes the parts, to ensure that the read saw
   * intact bytes. Cannot detect a bit that flips only during the read and flips back.
   *
   * @throws Error if a part is damaged or was replaced; the served release has been reviewed in
   * that case
   */
  loadVerified<T>(release: Release, parts: readonly Part[], read: () => Promise<T>): Promise<T>
  /**
   * Hashes a release again after a failed read. If it is damaged, serves another release. When the
   * returned promise resolves, a retry of the read either succeeds or is refused permanently.
   * Concurrent reports of one release share one run.
   */
  reportReadFailure(release: Release): Promise<void>
  /** Stops following publications. Served releases remain readable. */
  close(): void
}

export interface ReleasesOptions {
  /** Folder of releases, with one folder per dataset. */
  readonly root: string
  readonly catalog: Catalog
  readonly log: Log
  /**
   * Milliseconds between polls, which detect missed watch events and repaired files. A poll costs
   * one `stat` per dataset and damaged file.
   */
  readonly checkMs?: number
  /**
   * Called while opening, when worker threads hash the parts and the main thread is free for other
   * work.
   */
  readonly onThreadsBusy?: () => void
}

/**
 * Maximum milliseconds that an activation waits for the listeners of `beforeServing`. A listener's
 * read that finds damage waits for the end of the activation. Without this limit, both would wait
 * for each other.
 */
const PREPARE_MS = 500

/**
 * Opens the release store and follows `current` of every dataset. Verifies every part of a release
 * by its sha256 before reads can use it.
 */
export async function openReleases({ root, catalog, log, checkMs = 1_000, onThreadsBusy }: ReleasesOptions): Promise<Releases> {
  const changes = createChanges()
  const verifier = createVerifier(root, onThreadsBusy)
  const preparations = new Set<(release: Release) => Promise<void>>()
  const prepare = async (release: Release): Promise<void> => {
    if (preparations.size > 0)
      await Promise.race([Promise.all([...preparations].map(listener => listener(release))), sleep(PREPARE_MS, undefined, { ref: false })])
  }
  const active = createActiveReleases({ root, verifier, log, prepare, changed: changes.add })
  const serialize = createSerial()
  const run = (work: () => Promise<unknown>): Promise<void> => serialize(() => logFailure(() => work().finally(changes.notify), log))
  const datasets = [...catalog.values()]
  const refresh = coalesceNext(() => run(() => Promise.all(datasets.map(dataset => logFailure(() => active.refresh(dataset), log)))))
  const scrub = createScrub({
    verifier,
    review: slug => serialize(() => active.review(catalog.get(slug)!).finally(changes.notify)),
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
    pinned: (dataset, id) => refusingShortage(pin(root, dataset, id, active.get(dataset), verifier)),
    ...createRetainedReleases(root),
    ...createRetainedFiles({ root, verifier, served: active.get, review: dataset => void run(() => active.review(dataset)) }),
    lineage: createLineage(root, verifier, log),
    damages: dataset =>
      active.damages(dataset).map(({ file, reason }) => ({ file: relative(root, file), reason: reason.replaceAll(`${root}/`, '') })),
    refresh,
    onChange: changes.listen,
    beforeServing(listener) {
      preparations.add(listener)
      return () => void preparations.delete(listener)
    },
    scrub,
    async loadVerified(release, parts, read) {
      const result = await read()
      if (await verifier.verifyRead(release, parts)) return result
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
  await work().catch(error => log('failed', { during: 'finding new releases', error: String(error) }))
}

/** Collects datasets whose served release changed, and notifies listeners. */
function createChanges() {
  const listeners = new Set<(changed: ReadonlySet<Dataset>) => void>()
  let changed = new Set<Dataset>()
  return {
    add: (dataset: Dataset): void => void changed.add(dataset),
    notify(): void {
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
  await checkRetained(root, dataset, id)
  const release = await readRelease(root, dataset, id, false).catch(error => (isShortage(error) ? Promise.reject(error) : undefined))
  if (!release || (await verifier.check(release))) throw new Refusal('integrity', { ...ofDataset(dataset), release: id })
  return verifier.withFreshPaths(release)
}
