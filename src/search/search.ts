import { createHash } from 'node:crypto'
import type { Catalog } from '../../catalog/index.ts'
import { type Attempt, createSerial, type Log, Refusal, shouldRetry } from '../core/index.ts'
import type { Pool } from '../engine/index.ts'
import { type Releases, releaseOf } from '../releases/index.ts'
import { catalogEntities } from './catalog-entities.ts'
import { type ReleaseSet, releasedEntities } from './released-entities.ts'
import { createSearchIndex, type SearchIndex } from './search-index.ts'

/** The search index, kept up to date. */
export interface Search {
  /** Rebuilds the index if what is served changed. Never rejects: a failed build is logged and leaves the previous index in use. */
  refresh(): Promise<void>
  /** The index in use. Waits up to two seconds for the first one. @throws Refusal overloaded while there is none */
  current(): Promise<IndexInUse>
  /** Aborts a build in progress and resolves once it has ended. */
  close(): Promise<void>
}

/** An index with what tells it from one built of other releases. */
export interface IndexInUse extends SearchIndex {
  readonly tag: string
}

/** What the search index is built from. */
export interface SearchDeps {
  readonly catalog: Catalog
  readonly releases: Releases
  readonly pool: Pool
  readonly log: Log
}

/** Longest wait for the first index. */
const WAIT_MS = 2_000

/** Keeps an index of everything that can be found. It is rebuilt outside requests when a release changes, and swapped in one step. */
export function openSearch({ catalog, releases, pool, log }: SearchDeps): Search {
  const ending = new AbortController()
  const index = createCurrentIndex()
  let last: Attempt | undefined
  const rebuild = async (): Promise<void> => {
    const set = searchedReleases(catalog, releases)
    const of = [...set.values()].map(({ dataset, id }) => `${dataset.slug} ${id}`).join()
    const at = performance.now()
    if (ending.signal.aborted || !shouldRetry(last, of, at)) return
    try {
      const source = { catalog, releases: set, takeIn: releases.loadVerified, pool, signal: ending.signal }
      const built = await createSearchIndex([...catalogEntities(catalog), ...(await releasedEntities(source))], ending.signal)
      index.swap({ ...built, tag: createHash('sha256').update(of).digest('base64url').slice(0, 8) })
      last = { of, at, failed: false }
      log('search indexed', { entities: built.size, ms: Math.round(performance.now() - at) })
    } catch (error) {
      last = { of, at, failed: true }
      if (!ending.signal.aborted) log('failed', { during: 'building the search index', error: String(error) })
    }
  }
  const inSerial = createSerial()
  return {
    refresh: () => inSerial(rebuild),
    current: index.current,
    close() {
      ending.abort()
      // Queued behind the build in progress; an aborted rebuild does nothing.
      return inSerial(rebuild)
    },
  }
}

/** The index in use, and the searches that wait for the first one. */
function createCurrentIndex() {
  const waiting = new Set<(index: IndexInUse) => void>()
  let inUse: IndexInUse | undefined
  return {
    swap(index: IndexInUse): void {
      inUse = index
      for (const resolve of waiting) resolve(index)
      waiting.clear()
    },
    async current(): Promise<IndexInUse> {
      const index = inUse ?? (await firstIndex(waiting))
      if (index) return index
      throw new Refusal(
        'overloaded',
        { retry_after: 2 },
        {
          en: 'The search index is being built; try again after retry_after seconds.',
          zh: '搜尋索引正在建立；請於 retry_after 秒後再試。',
        },
      )
    },
  }
}

/** The first index, or undefined after `WAIT_MS`. */
function firstIndex(waiting: Set<(index: IndexInUse) => void>): Promise<IndexInUse | undefined> {
  return new Promise(resolve => {
    const done = (index: IndexInUse): void => {
      clearTimeout(timer)
      resolve(index)
    }
    const timer = setTimeout(() => {
      waiting.delete(done)
      resolve(undefined)
    }, WAIT_MS).unref()
    waiting.add(done)
  })
}

/** The releases whose rows a search finds. */
const searchedReleases = (catalog: Catalog, releases: Releases): ReleaseSet =>
  new Map(
    [...catalog.values()]
      .filter(({ search }) => search !== undefined)
      .map(dataset => [dataset.slug, releaseOf(dataset, releases)] as const)
      .filter((entry): entry is [string, NonNullable<(typeof entry)[1]>] => entry[1] !== null),
  )
