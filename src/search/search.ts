import { createHash } from 'node:crypto'
import type { Catalog } from '../../catalog/index.ts'
import { type BuildAttempt, createSerial, type Log, type Pace, processInSlices, Refusal, shouldRetry } from '../core/index.ts'
import type { Pool } from '../engine/index.ts'
import { type Releases, releaseOf } from '../releases/index.ts'
import { catalogEntities } from './catalog-entities.ts'
import type { SearchEntity } from './entity.ts'
import { type ReleaseSet, releasedEntities } from './released-entities.ts'
import { createRowCache } from './rows.ts'
import { createSearchIndex, type SearchIndex } from './search-index.ts'
import { createSymbols, type Symbols } from './symbols.ts'

export interface Search {
  /**
   * Builds the index again if releases changed. Never rejects: after a failure, the previous index
   * is used.
   */
  refresh(): Promise<void>
  /**
   * Waits up to 2 s for the first index.
   * @throws Refusal overloaded if there is no index yet
   */
  current(): Promise<IndexInUse>
  /** Null if there is no index yet. */
  symbols(): (Symbols & Pick<IndexInUse, 'tag'>) | null
  /** Aborts a running build. Resolves when the build has ended. */
  close(): Promise<void>
}

export interface IndexInUse extends SearchIndex {
  readonly tag: string
}

export interface SearchDeps {
  readonly catalog: Catalog
  readonly releases: Releases
  readonly pool: Pool
  readonly log: Log
}

interface Indexed {
  readonly hash: string
  readonly built: SearchIndex
  readonly symbols: Symbols
}

const WAIT_MS = 2_000

/** Builds a new index in the background after a release changed. */
export function openSearch({ catalog, releases, pool, log }: SearchDeps): Search {
  const ending = new AbortController()
  const index = createCurrentIndex()
  const cache = createRowCache()
  let lastAttempt: BuildAttempt | undefined
  let symbols: ReturnType<Search['symbols']> = null
  let indexed: Indexed | undefined
  const rebuild = async (): Promise<void> => {
    const set = searchedReleases(catalog, releases)
    const releaseIds = [...set.values()].map(({ dataset, id }) => `${dataset.slug} ${id}`).join()
    const startedAt = performance.now()
    if (ending.signal.aborted || !shouldRetry(lastAttempt, releaseIds, startedAt)) return
    // Searches wait for the first index.
    const pace = { signal: ending.signal, yields: indexed !== undefined }
    try {
      const source = { catalog, releases: set, loadVerified: releases.loadVerified, pool, cache, pace }
      const released = await releasedEntities(source)
      cache.evictUnused()
      const entities = [...catalogEntities(catalog), ...released]
      const hash = await hashOf(entities, pace)
      const tag = createHash('sha256').update(releaseIds).digest('base64url').slice(0, 8)
      // Reuses the index if the entities are the same. Most publications contain no new entities.
      const isSame = hash === indexed?.hash
      if (!indexed || !isSame) {
        const built = await createSearchIndex(entities, pace)
        indexed = { hash, built, symbols: createSymbols(released, built) }
      }
      symbols = { ...indexed.symbols, tag }
      index.swap({ ...indexed.built, tag })
      lastAttempt = { source: releaseIds, startedAt, failed: false }
      if (!isSame) log('search indexed', { entities: entities.length, ms: Math.round(performance.now() - startedAt) })
    } catch (error) {
      lastAttempt = { source: releaseIds, startedAt, failed: true }
      if (!ending.signal.aborted) log('failed', { during: 'building the search index', error: String(error) })
    }
  }
  const serialize = createSerial()
  return {
    refresh: () => serialize(rebuild),
    current: index.current,
    symbols: () => symbols,
    close() {
      ending.abort()
      // After an abort, `rebuild` does nothing else.
      return serialize(rebuild)
    },
  }
}

async function hashOf(entities: readonly SearchEntity[], pace: Pace): Promise<string> {
  const hash = createHash('sha256')
  await processInSlices(entities, pace, entity => void hash.update(`${JSON.stringify(entity)}\n`))
  return hash.digest('base64url')
}

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
          en: 'The search index is not ready yet. Try again after retry_after seconds.',
          zh: '搜尋索引正在建立。請於 retry_after 秒後再試。',
        },
      )
    },
  }
}

function firstIndex(waiting: Set<(index: IndexInUse) => void>): Promise<IndexInUse | undefined> {
  return new Promise(resolve => {
    const receive = (index: IndexInUse): void => {
      clearTimeout(timer)
      resolve(index)
    }
    const timer = setTimeout(() => {
      waiting.delete(receive)
      resolve(undefined)
    }, WAIT_MS).unref()
    waiting.add(receive)
  })
}

const searchedReleases = (catalog: Catalog, releases: Releases): ReleaseSet =>
  new Map(
    [...catalog.values()]
      .filter(({ search }) => search !== undefined)
      .map(dataset => [dataset.slug, releaseOf(dataset, releases)] as const)
      .filter((entry): entry is [string, NonNullable<(typeof entry)[1]>] => entry[1] !== null),
  )
