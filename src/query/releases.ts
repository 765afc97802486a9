import { readdir, stat } from 'node:fs/promises'
import type { Dataset } from '../../catalog/dataset.ts'
import type { Catalog } from '../../catalog/load.ts'
import { ReleaseId, releasePaths } from '../../catalog/release.ts'
import { Refusal } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import { type Release, readCurrent, readRelease } from './release.ts'
import { openVerifier } from './verify.ts'

export type { Release } from './release.ts'

export interface Releases {
  /** @throws Refusal dataset_building before the first publication, data_unavailable when no release passes its check */
  current(dataset: Dataset): Release
  /** The served release, or null for a dataset that was never published. @throws Refusal data_unavailable */
  served(dataset: Dataset): Release | null
  /** A release by id. @throws Refusal unknown_id for a malformed one, release_retired for one that is not kept */
  pinned(dataset: Dataset, id: string): Promise<Release>
  /** Takes up what was published since. Reads already planned keep the release they pinned. */
  refresh(): Promise<void>
  close(): void
}

export interface ReleasesOptions {
  readonly root: string
  readonly catalog: Catalog
  readonly log: Log
  /** Milliseconds between looks for a new release; each look is one `stat` a dataset. */
  readonly everyMs?: number
}

/** Follows `current` of every dataset. Each release is verified whole, every part by its sha256, before a read sees it. */
export async function openReleases({ root, catalog, log, everyMs = 100 }: ReleasesOptions): Promise<Releases> {
  const serving = new Map<string, Release>()
  const seen = new Map<string, string>()
  const verify = openVerifier()
  const look = async (dataset: Dataset): Promise<void> => {
    const { current } = releasePaths(root, dataset.slug)
    const mark = await stat(current, { bigint: true }).then(
      ({ mtimeNs, ino }) => `${mtimeNs}.${ino}`,
      () => undefined,
    )
    if (mark === undefined || seen.get(dataset.slug) === mark) return
    seen.set(dataset.slug, mark)
    const release = await newestGood(root, dataset, verify, log)
    if (!release) return void serving.delete(dataset.slug)
    serving.set(dataset.slug, release)
    log('release served', {
      dataset: dataset.slug,
      release: release.id,
      rows: release.manifest.statistics.rows,
      degraded: release.degraded,
    })
  }
  let looking: Promise<unknown> = Promise.resolve()
  const refresh = async (): Promise<void> => {
    looking = looking.then(() => Promise.all([...catalog.values()].map(look)))
    await looking
  }
  await refresh()
  const timer = setInterval(
    () => void refresh().catch(error => log('failed', { during: 'looking for releases', error: String(error) })),
    everyMs,
  )
  timer.unref()
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
    pinned: (dataset, id) => pin(root, dataset, id, serving.get(dataset.slug), verify),
    refresh,
    close: () => clearInterval(timer),
  }
}

type Verify = ReturnType<typeof openVerifier>

/** The release `current` names or, where it is damaged, its nearest ancestor that passes; undefined when none does. */
async function newestGood(root: string, dataset: Dataset, verify: Verify, log: Log): Promise<Release | undefined> {
  let id: string | null = await readCurrent(root, dataset.slug)
  for (let degraded = false; id !== null; degraded = true) {
    try {
      const release: Release = await readRelease(root, dataset, id, degraded)
      const damage = await verify(release)
      if (!damage) return release
      log('release damaged', { dataset: dataset.slug, release: id, damage })
      id = release.manifest.parent
    } catch (error) {
      log('release damaged', { dataset: dataset.slug, release: id, damage: error instanceof Error ? error.message : String(error) })
      return undefined
    }
  }
  return undefined
}

async function pin(root: string, dataset: Dataset, id: string, serving: Release | undefined, verify: Verify): Promise<Release> {
  if (serving?.id === id) return serving
  if (!ReleaseId.safeParse(id).success)
    throw new Refusal('unknown_id', { dataset: dataset.id, hint: 'a release looks like the X-Release header' })
  const kept = (await readdir(releasePaths(root, dataset.slug).home).catch(() => []))
    .filter(name => ReleaseId.safeParse(name).success)
    .sort()
  if (!kept.includes(id))
    throw new Refusal('release_retired', { dataset: dataset.id, nearest: kept.find(name => name > id) ?? kept.at(-1) ?? null })
  const release = await readRelease(root, dataset, id, false)
  if (await verify(release)) throw new Refusal('integrity', { dataset: dataset.id, release: id })
  return release
}
