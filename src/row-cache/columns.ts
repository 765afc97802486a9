import { LRUCache } from 'lru-cache'
import { type Catalog, type Dataset, isNewestFirst, served } from '../../catalog/index.ts'
import { coalesceNext, type Log } from '../core/index.ts'
import type { Pool } from '../engine/index.ts'
import { type Part, type PastRelease, partsOfKey, type Release, type Releases, releaseOf } from '../releases/index.ts'
import { type Block, blockOf, type Run } from './block.ts'
import { likelyOverhead, rowBytes } from './block-bytes.ts'
import { createTextMemory } from './row-texts.ts'
import { selectPart, type Wanted } from './select-part.ts'

/**
 * Histories of keys in memory, as typed columns. What is kept is named by the part it comes from, and parts never change: it holds for
 * every release that shares the part, and an append costs reading its own part.
 */
export interface Columns {
  /**
   * The rows of a key in a release, a run for each part that has some; undefined where a part of it is not in memory, which is then read
   * in the background. Counts as a use of the key.
   */
  runsOf(release: PastRelease, key: string): readonly Run[] | undefined
  /** Reads, in the background, the rows of a key that its runs leave out. */
  complete(release: PastRelease, key: string): void
  /** Reads what is not in memory of the served releases, as far as there is room. Failures are logged; what was not read is answered by the engine. */
  refresh(): Promise<void>
  /** The rows of a part by key, of every key the newest at least; undefined where they are not in memory. Proven whole, as all that is here. */
  partOf(part: Part): ReadonlyMap<string, Run> | undefined
  /** Resolves once the refresh in progress, if any, is done. */
  settled(): Promise<void>
  state(): ColumnsState
  /** Resolves once the part being read is done; reads nothing further. */
  close(): Promise<void>
}

export interface ColumnsState {
  /** What the columns take of memory, and may take. */
  readonly bytes: number
  readonly mostBytes: number
  /** Parts of the served releases, and how many of them are in memory whole, or with the newest rows of every key. */
  readonly parts: number
  readonly whole: number
  readonly newest: number
  /** Histories that were asked for since the start and were in memory, and that were not. */
  readonly hits: number
  readonly misses: number
}

export interface ColumnsDeps {
  readonly catalog: Catalog
  readonly releases: Releases
  readonly pool: Pool
  readonly log: Log
  readonly mostBytes: number
}

/** Rows of a key that are kept where there is no room for all of them. */
const NEWEST = 256
/** A share of the memory that the newest rows of every key may take. */
const NEWEST_SHARE = 0.5
/** Keys that wait to be read; further ones are read when they are asked for again. */
const MOST_WANTED = 1_024
/** Lane of these reads in the engine's queue: callers' reads take turns with them. */
const LANE = 'columns'

/** A part of a served release, and the release to read it through. */
interface Place {
  readonly dataset: Dataset
  readonly release: Release
  readonly part: Part
}

export function openColumns({ catalog, releases, pool, log, mostBytes }: ColumnsDeps): Columns {
  const ending = new AbortController()
  const datasets = served(catalog).filter(({ key }) => key !== undefined)
  const memory = createTextMemory()
  let cache = cacheOf(mostBytes)
  /** The newest rows of every key, by sha256 of the part: these do not give way. */
  const newest = new Map<string, Block>()
  const wanted = new Map<string, Place & { readonly key: string }>()
  const uses = new Map<string, Map<string, number>>(datasets.map(({ slug }) => [slug, new Map()]))
  const failed = new Set<string>()
  /** Bytes of whole parts that were read once, by sha256: what text takes is not known before. */
  const sizes = new Map<string, number>()
  const sizeOf = (place: Place): number => sizes.get(place.part.sha256) ?? likelyBytes(place)
  let places: ReadonlyMap<string, Place> = new Map()
  let filling = Promise.resolve()
  let [hits, misses] = [0, 0]

  /** Null where the part has no row of the key, undefined where that is not known. */
  const find = ({ sha256 }: Part, key: string): Run | null | undefined => {
    const block = cache.get(sha256) ?? cache.get(`${sha256} ${key}`) ?? newest.get(sha256)
    return block && (block.runs.get(key) ?? null)
  }
  const want = ({ dataset }: PastRelease, { sha256 }: Part, key: string): void => {
    const place = places.get(sha256)
    if (mostBytes === 0 || wanted.size >= MOST_WANTED || failed.has(sha256) || place?.dataset !== dataset) return
    wanted.set(`${sha256} ${key}`, { ...place, key })
    void fetchWanted()
  }
  const read = async ({ dataset, release, part }: Place, rows: Wanted): Promise<Block | undefined> => {
    try {
      // A release that was written before the dataset had its key lies in another order.
      const asStored = rows.most === undefined && isNewestFirst(dataset) && release.manifest.key === dataset.key
      const options = { ...rows, backwards: asStored, textsFor: memory.textsFor }
      const wanted = { ...rows, ...(rows.most !== undefined && { most: rows.most + 1 }), asStored }
      const statement = selectPart(dataset, release.pathOf(part), wanted)
      return await releases.loadVerified(release, [part], () =>
        pool.read(statement, (chunks, size) => blockOf(dataset, chunks, size, options), LANE),
      )
    } catch (error) {
      failed.add(part.sha256)
      if (!ending.signal.aborted) log('failed', { during: `reading columns of ${dataset.slug}`, error: String(error) })
      return undefined
    }
  }
  const fetchWanted = coalesceNext(async () => {
    for (const [name, { key, ...place }] of wanted) {
      if (ending.signal.aborted) return
      wanted.delete(name)
      if (cache.has(place.part.sha256) || cache.peek(name)?.runs.get(key)?.complete) continue
      const block = await read(place, { key })
      if (block) cache.set(name, block)
    }
  })
  const newestBytes = (): number => {
    let sum = 0
    for (const { bytes } of newest.values()) sum += bytes
    return sum
  }
  const usesOf = ({ part, dataset }: Place): number => {
    if (part.role === 'delta') return Number.POSITIVE_INFINITY
    let sum = 0
    for (const [key, count] of uses.get(dataset.slug)!) if (key >= part.first_key! && key <= part.last_key!) sum += count
    return sum
  }
  /** @param most rows of each key; all of them when absent */
  const fill = async (most: number | undefined): Promise<void> => {
    const missing = [...places.values()].filter(({ part: { sha256 } }) => !failed.has(sha256) && !cache.has(sha256) && !newest.has(sha256))
    const inOrder = missing.map(place => ({ place, used: usesOf(place) })).sort((a, b) => b.used - a.used)
    const next = inOrder.values()
    const readOn = async (): Promise<void> => {
      for (const { place } of next) {
        if (ending.signal.aborted) return
        if (most === undefined ? cache.calculatedSize + sizeOf(place) > mostBytes : newestBytes() > NEWEST_SHARE * mostBytes) continue
        const block = await read(place, most === undefined ? {} : { most })
        if (!block) continue
        if (most !== undefined) newest.set(place.part.sha256, block)
        else {
          sizes.set(place.part.sha256, block.bytes)
          cache.set(place.part.sha256, block)
        }
      }
    }
    // The engine reads one part while the rows of another are decoded.
    await Promise.all([readOn(), readOn()])
  }
  const refresh = coalesceNext(async () => {
    if (mostBytes === 0) return
    failed.clear()
    const states = datasets.flatMap(dataset => releaseOf(dataset, releases) ?? [])
    const named = states.flatMap(release => release.manifest.parts.map(part => ({ dataset: release.dataset, release, part })))
    places = new Map(named.map(place => [place.part.sha256, place]))
    for (const sha256 of sizes.keys()) if (!places.has(sha256)) sizes.delete(sha256)
    const all = [...places.values()].reduce((sum, place) => sum + sizeOf(place), 0)
    const most = all <= mostBytes ? undefined : newestRows(states, mostBytes)
    // Texts take what rows leave; those that others replace stay until all of these are here.
    const missing = [...places.values()].filter(({ part: { sha256 } }) => !cache.has(sha256)).reduce((sum, place) => sum + sizeOf(place), 0)
    memory.limit(Math.max(0, mostBytes - cache.calculatedSize - missing))
    // Those of a former release would be held beside the new ones.
    for (const [sha256, { texts }] of newest) {
      if (most !== undefined && places.has(sha256)) continue
      texts.close()
      newest.delete(sha256)
    }
    const room = most === undefined ? mostBytes : mostBytes * (1 - NEWEST_SHARE)
    if (cache.maxSize !== Math.ceil(room)) cache = cacheOf(room, cache)
    await fill(most)
    if (ending.signal.aborted) return
    for (const name of cache.keys()) if (!places.has(name.slice(0, SHA256_LENGTH))) cache.delete(name)
    memory.limit(most === undefined ? mostBytes - cache.calculatedSize : 0)
    for (const counts of uses.values()) fade(counts)
  })
  return {
    runsOf(release, key) {
      const counts = uses.get(release.dataset.slug)
      if (!counts) return undefined
      if (mostBytes > 0) counts.set(key, (counts.get(key) ?? 0) + 1)
      const runs: Run[] = []
      let missing = false
      for (const part of partsOfKey(release.manifest, key)) {
        const run = find(part, key)
        if (run) runs.push(run)
        else if (run === undefined) {
          missing = true
          want(release, part, key)
        }
      }
      if (missing) misses++
      else hits++
      return missing ? undefined : runs
    },
    complete(release, key) {
      for (const part of partsOfKey(release.manifest, key)) {
        const run = find(part, key)
        if (run === undefined || run?.complete === false) want(release, part, key)
      }
    },
    refresh: () => (filling = refresh()),
    partOf: ({ sha256 }) => (cache.peek(sha256) ?? newest.get(sha256))?.runs,
    settled: () => filling,
    state: () => ({
      bytes: cache.calculatedSize + newestBytes() + memory.bytes(),
      mostBytes,
      parts: places.size,
      whole: [...places.keys()].filter(sha256 => cache.has(sha256)).length,
      newest: newest.size,
      hits,
      misses,
    }),
    close() {
      ending.abort()
      return Promise.all([refresh(), fetchWanted()]).then(() => {})
    },
  }
}

/** Whole parts by their sha256, and rows of one key by the part's sha256, a blank and the key. Those used longest ago give way. */
function cacheOf(bytes: number, former?: LRUCache<string, Block>): LRUCache<string, Block> {
  const cache = new LRUCache<string, Block>({
    maxSize: Math.max(1, Math.ceil(bytes)),
    sizeCalculation: ({ bytes }) => bytes,
    dispose: ({ texts }) => texts.close(),
  })
  if (former) cache.load(former.dump())
  return cache
}

/** Halves what is counted, so that it is the keys of late that count. */
function fade(counts: Map<string, number>): void {
  for (const [key, count] of counts) {
    if (count < 2) counts.delete(key)
    else counts.set(key, count / 2)
  }
}

const SHA256_LENGTH = 64

const likelyBytes = ({ dataset, release, part }: Place): number => part.rows * rowBytes(dataset) + likelyOverhead(dataset, release, part)

/** How many rows of each key there is room for, where not all of them fit. */
function newestRows(releases: readonly Release[], mostBytes: number): number {
  const [room, oneEach] = releases.reduce(
    ([left, sum], release) => [
      release.manifest.parts.reduce((bytes, part) => bytes - likelyOverhead(release.dataset, release, part), left),
      sum + release.manifest.statistics.keys * rowBytes(release.dataset),
    ],
    [NEWEST_SHARE * mostBytes, 0],
  )
  return Math.max(1, Math.min(NEWEST, Math.floor(room / oneEach)))
}
