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

export interface Releases extends RetainedFiles, RetainedReleases {
  /**
   * @throws Refusal dataset_building before the first publication; data_unavailable if no release
   * passes the check
   */
  current(dataset: Dataset): Release
  /** Null for a dataset that was never published. @throws Refusal data_unavailable */
  served(dataset: Dataset): Release | null
  /**
   * @throws Refusal unknown_id if the id is malformed; release_retired if the release is not
   * retained; integrity; overloaded
   */
  pinned(dataset: Dataset, id: string): Promise<Release>
  /**
   * Returns the files whose damage prevents newer releases from being served. Paths are relative to
   * the folder of releases.
   */
  damages(dataset: Dataset): readonly { readonly file: string; readonly reason: string }[]
  readonly lineage: Lineage
  /**
   * Activates all releases that were published before the call. Running reads continue with the old
   * release. Never rejects.
   */
  refresh(): Promise<void>
  /**
   * Called once per batch of changes. Not called for the releases that are served at registration.
   *
   * @param listener must not throw
   * @returns a function that removes the listener
   */
  onChange(listener: (changed: ReadonlySet<Dataset>) => void): () => void
  /**
   * The listener can load data before a release is served. The service waits up to half a second.
   * @param listener must not reject
   * @returns a function that removes the listener
   */
  beforeServing(listener: (release: Release) => Promise<void>): () => void
  /** Background job that repeatedly hashes all readable files. */
  readonly scrub: Scrub
  /**
   * Runs a read whose result will be cached, then verifies the files. Does not detect a bit that
   * flips during the read and flips back.
   *
   * @throws Error if a file is damaged or was replaced, after the served release was checked
   */
  loadVerified<T>(release: Release, parts: readonly Part[], read: () => Promise<T>): Promise<T>
  /**
   * Call after a failed read. Checks all files and serves another release if necessary. Then repeat
   * the read once. The second read succeeds, or is refused permanently. Concurrent reports of a
   * release are combined.
   */
  reportReadFailure(release: Release): Promise<void>
  /** Stops watching for publications. Served releases can still be read. */
  close(): void
}

export interface ReleasesOptions {
  readonly root: string
  readonly catalog: Catalog
  readonly log: Log
  /**
   * Interval in ms. Polls detect missed watch events and repaired files. A poll calls `stat` once
   * per dataset and per damaged file.
   */
  readonly checkMs?: number
  /** Called while worker threads hash files, so that the main thread can do other work. */
  readonly onThreadsBusy?: () => void
}

/** In ms. Without this limit, two waits could block each other when a listener finds damage. */
const PREPARE_MS = 500

/** Verifies every file by sha256 before reads can use a release. */
export async function openReleases({ root, catalog, log, checkMs = 5_000, onThreadsBusy }: ReleasesOptions): Promise<Releases> {
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
