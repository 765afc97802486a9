import type { Catalog } from '../../catalog/index.ts'
import { type Attempt, type Log, Refusal, shouldRetry } from '../core/index.ts'
import type { Pool } from '../engine/index.ts'
import { type Releases, releaseOf } from '../releases/index.ts'
import { catalogEntities } from './catalog-entities.ts'
import { type ReleaseSet, releasedEntities } from './released-entities.ts'
import { buildIndex, type SearchIndex } from './search-index.ts'

export interface Search {
  /** Builds an index of what is served now, if that changed. Never rejects: a build that fails leaves the former index and is logged. */
  refresh(): Promise<void>
  /** The index in use. Waits a moment for the first one. @throws Refusal overloaded while there is none yet */
  current(): Promise<SearchIndex>
  /** Ends a build that runs. */
  close(): Promise<void>
}

export interface SearchDeps {
  readonly catalog: Catalog
  readonly releases: Releases
  readonly pool: Pool
  readonly log: Log
}

const WAIT_MS = 2_000

/** Keeps an index of everything that can be found, built anew off the request path whenever a release changes, and swapped whole. */
export function openSearch({ catalog, releases, pool, log }: SearchDeps): Search {
  const ending = new AbortController()
  const inUse = openInUse()
  let last: Attempt | undefined
  const look = async (): Promise<void> => {
    const set = searchedReleases(catalog, releases)
    const of = [...set.values()].map(({ dataset, id }) => `${dataset.slug} ${id}`).join()
    const at = performance.now()
    if (ending.signal.aborted || !shouldRetry(last, of, at)) return
    try {
      const source = { catalog, releases: set, pool, signal: ending.signal }
      const index = await buildIndex([...catalogEntities(catalog), ...(await releasedEntities(source))], ending.signal)
      inUse.swap(index)
      last = { of, at, failed: false }
      log('search indexed', { entities: index.size, ms: Math.round(performance.now() - at) })
    } catch (error) {
      last = { of, at, failed: true }
      if (!ending.signal.aborted) log('failed', { during: 'building the search index', error: String(error) })
    }
  }
  let running: Promise<void> = Promise.resolve()
  return {
    refresh: () => (running = running.then(look)),
    current: inUse.current,
    close() {
      ending.abort()
      return running
    },
  }
}

/** The index searches read, and those who wait for the first one. */
function openInUse() {
  const waiting = new Set<(index: SearchIndex) => void>()
  let inUse: SearchIndex | undefined
  return {
    swap(index: SearchIndex): void {
      inUse = index
      for (const turn of waiting) turn(index)
      waiting.clear()
    },
    async current(): Promise<SearchIndex> {
      const soon = inUse ?? (await firstIndex(waiting))
      if (soon) return soon
      throw new Refusal('overloaded', { retry_after: 2 }, 'The search index is being built; try again after retry_after seconds.')
    },
  }
}

/** The first index, or undefined after a moment; nobody is remembered who has left. */
function firstIndex(waiting: Set<(index: SearchIndex) => void>): Promise<SearchIndex | undefined> {
  return new Promise(resolve => {
    const turn = (index: SearchIndex): void => {
      clearTimeout(timer)
      resolve(index)
    }
    const timer = setTimeout(() => {
      waiting.delete(turn)
      resolve(undefined)
    }, WAIT_MS).unref()
    waiting.add(turn)
  })
}

/** Releases whose rows a search finds. */
const searchedReleases = (catalog: Catalog, releases: Releases): ReleaseSet =>
  new Map(
    [...catalog.values()]
      .filter(({ search }) => search !== undefined)
      .map(dataset => [dataset.slug, releaseOf(dataset, releases)] as const)
      .filter((entry): entry is [string, NonNullable<(typeof entry)[1]>] => entry[1] !== null),
  )
