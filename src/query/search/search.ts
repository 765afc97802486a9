import type { Catalog } from '../../../catalog/load.ts'
import { Refusal } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import type { Pool } from '../pool.ts'
import type { Releases } from '../releases.ts'
import { releaseOf } from '../stand.ts'
import { catalogEntities } from './catalog-entities.ts'
import { buildIndex, type SearchIndex } from './index.ts'
import { type ReleaseSet, releasedEntities } from './released-entities.ts'

export interface Search {
  /** Builds an index of what is served now, if that changed. Never rejects: a build that fails leaves the former index and is logged. */
  refresh(): Promise<void>
  /** The index in use. Waits a moment for the first one. @throws Refusal overloaded while there is none yet */
  current(): Promise<SearchIndex>
  /** Ends a build that runs. */
  stop(): Promise<void>
}

export interface SearchOptions {
  readonly catalog: Catalog
  readonly releases: Releases
  readonly pool: Pool
  readonly log: Log
}

const WAIT_MS = 2_000
/** How long a build that failed is left alone while nothing new is published. */
const RETRY_MS = 30_000

/** Keeps an index of everything that can be found, built anew off the request path whenever a release changes, and swapped whole. */
export function openSearch({ catalog, releases, pool, log }: SearchOptions): Search {
  const ending = new AbortController()
  /** Who waits for the first index. */
  const waiting = new Set<(index: SearchIndex) => void>()
  let index: SearchIndex | undefined
  let built: { readonly from: string; readonly at: number; readonly failed: boolean } | undefined
  const look = async (): Promise<void> => {
    const set = searchedReleases(catalog, releases)
    const from = [...set.values()].map(({ dataset, id }) => `${dataset.slug} ${id}`).join()
    const at = performance.now()
    if (ending.signal.aborted || (built?.from === from && (!built.failed || at - built.at < RETRY_MS))) return
    try {
      const source = { catalog, releases: set, pool, signal: ending.signal }
      index = await buildIndex([...catalogEntities(catalog), ...(await releasedEntities(source))], ending.signal)
      for (const turn of waiting) turn(index)
      waiting.clear()
      built = { from, at, failed: false }
      log('search indexed', { entities: index.size, ms: Math.round(performance.now() - at) })
    } catch (error) {
      built = { from, at, failed: true }
      if (!ending.signal.aborted) log('failed', { during: 'building the search index', error: String(error) })
    }
  }
  let last: Promise<void> = Promise.resolve()
  return {
    refresh: () => (last = last.then(look)),
    async current() {
      const soon = index ?? (await firstIndex(waiting))
      if (soon) return soon
      throw new Refusal('overloaded', { retry_after: 2 }, 'The search index is being built; try again after retry_after seconds.')
    },
    stop() {
      ending.abort()
      return last
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
