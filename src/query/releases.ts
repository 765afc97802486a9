import { statSync } from 'node:fs'
import type { Dataset } from '../../catalog/dataset.ts'
import type { Catalog } from '../../catalog/load.ts'
import { ReleaseId, releasePaths } from '../../catalog/release.ts'
import { Refusal } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import { keptReleases, newestGood } from './fallback.ts'
import { type History, openHistory } from './history.ts'
import { type Release, readRelease } from './release.ts'
import { openVerifier, type Verifier } from './verify.ts'

export type { Release } from './release.ts'

export interface Releases {
  /** @throws Refusal dataset_building before the first publication, data_unavailable when no release passes its check */
  current(dataset: Dataset): Release
  /** The served release, or null for a dataset that was never published. @throws Refusal data_unavailable */
  served(dataset: Dataset): Release | null
  /** A release by id. @throws Refusal unknown_id for a malformed one, release_retired for one that is not kept */
  pinned(dataset: Dataset, id: string): Promise<Release>
  /** What was served before a release. */
  readonly history: History
  /** Takes up what was published since. Reads already planned keep the release they pinned. */
  refresh(): Promise<void>
  /**
   * Hashes every served part again and falls back where one was damaged since. Runs by itself every few hours. Asked for while one
   * waits or runs, it is that one: every read that meets the same damage asks.
   */
  recheck(): Promise<void>
  close(): void
}

export interface ReleasesOptions {
  readonly root: string
  readonly catalog: Catalog
  readonly log: Log
  /** Milliseconds between looks for a new release; each look is one `stat` a dataset. */
  readonly everyMs?: number
  readonly recheckMs?: number
}

/** Follows `current` of every dataset. Each release is verified whole, every part by its sha256, before a read sees it. */
export async function openReleases(options: ReleasesOptions): Promise<Releases> {
  const { root, catalog, log, everyMs = 10, recheckMs = 6 * 3_600_000 } = options
  const serving = new Map<string, Release>()
  const seen = new Map<string, string>()
  const verifier = openVerifier()
  const history = openHistory(root, verifier, log)
  const take = async (dataset: Dataset): Promise<void> => {
    const release = await newestGood(root, dataset, verifier, log)
    // Nothing on disk passes any more, but what is being served did: better an older release than none.
    const former = serving.get(dataset.slug)
    if (release) serving.set(dataset.slug, release)
    else if (former && (await verifier.check(former)) === undefined) serving.set(dataset.slug, { ...former, degraded: true })
    else serving.delete(dataset.slug)
    const { id, manifest, degraded } = serving.get(dataset.slug) ?? { id: null, manifest: null, degraded: true }
    log('release served', { dataset: dataset.slug, release: id, rows: manifest?.statistics.rows ?? 0, degraded })
  }
  /** The mark of a release not looked at before. */
  const newMark = ({ slug }: Dataset): string | undefined => {
    const mark = markOf(releasePaths(root, slug).current)
    return mark === seen.get(slug) ? undefined : mark
  }
  const look = async (dataset: Dataset): Promise<void> => {
    const mark = newMark(dataset)
    if (mark === undefined) return
    seen.set(dataset.slug, mark)
    await take(dataset)
  }
  const recheck = async (): Promise<void> => {
    for (const { dataset, ...release } of [...serving.values()]) {
      const damage = await verifier.recheck({ dataset, ...release })
      if (damage) await take(dataset)
    }
  }
  const inTurn = oneAtATime(log)
  let rechecking: Promise<void> | undefined
  const recheckOnce = (): Promise<void> => {
    rechecking ??= inTurn(recheck).finally(() => {
      rechecking = undefined
    })
    return rechecking
  }
  const datasets = [...catalog.values()]
  const refresh = () => inTurn(() => Promise.all(datasets.map(look)))
  const poll = (): void => {
    if (datasets.some(dataset => newMark(dataset) !== undefined)) void refresh()
  }
  await refresh()
  const timers = [setInterval(poll, everyMs), setInterval(() => void recheckOnce(), recheckMs)]
  for (const timer of timers) timer.unref()
  const served = (dataset: Dataset): Release | null => {
    const release = serving.get(dataset.slug)
    if (!release && seen.has(dataset.slug)) throw new Refusal('data_unavailable', { dataset: dataset.id })
    return release ?? null
  }
  return {
    served,
    current(dataset) {
      const release = served(dataset)
      if (!release) throw new Refusal('dataset_building', { dataset: dataset.id })
      return release
    },
    pinned: (dataset, id) => pin(root, dataset, id, serving.get(dataset.slug), verifier),
    history,
    refresh,
    recheck: recheckOnce,
    close() {
      for (const timer of timers) clearInterval(timer)
    },
  }
}

/**
 * Changes whenever the file is replaced; undefined while there is none. Asked for on the spot: a local file's age takes two
 * microseconds, and handing the question to a thread takes ten times that and wakes it while it may read for a caller.
 */
function markOf(file: string): string | undefined {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false })
    return found && `${found.mtimeNs}.${found.ino}`
  } catch {
    return undefined
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
    throw new Refusal('unknown_id', { dataset: dataset.id, hint: 'a release looks like the X-Release header' })
  const kept = await keptReleases(root, dataset.slug)
  if (!kept.includes(id))
    throw new Refusal('release_retired', { dataset: dataset.id, nearest: kept.find(name => name > id) ?? kept.at(-1) ?? null })
  const release = await readRelease(root, dataset, id, false).catch(() => undefined)
  if (!release || (await verifier.check(release))) throw new Refusal('integrity', { dataset: dataset.id, release: id })
  return release
}
