import { LRUCache } from 'lru-cache'
import { type Catalog, type Dataset, isNewestFirst, served } from '../../catalog/index.ts'
import { coalesceNext, type Log, type Pace, PROMPT } from '../core/index.ts'
import type { Pool } from '../engine/index.ts'
import { type Part, type PastRelease, partsOfKey, type Release, type Releases, releaseOf } from '../releases/index.ts'
import { type Block, blockOf, type Run } from './block.ts'
import { estimatedOverhead, rowBytes } from './block-bytes.ts'
import { createTextCache } from './row-texts.ts'
import { type PartRows, selectPart } from './select-part.ts'

/**
 * Cache of rows by key. An append only reads the new Parquet file. Files never change, and releases
 * share them.
 */
export interface Columns {
  /** Undefined if rows are missing. The missing rows are then read in the background. */
  runsOf(release: PastRelease, key: string): readonly Run[] | undefined
  complete(release: PastRelease, key: string): void
  /**
   * Reads Parquet files that are not cached yet. Failures are logged. Stops at the memory limit.
   * Reads of other files use the engine.
   */
  refresh(): Promise<void>
  /**
   * Cached rows by key, at least the newest rows of every key. Undefined if the Parquet file is not
   * cached.
   */
  partOf(part: Part): ReadonlyMap<string, Run> | undefined
  settled(): Promise<void>
  state(): ColumnsState
  /** Resolves when the running read has ended. */
  close(): Promise<void>
}

export interface ColumnsState {
  /** Memory in use, in bytes. */
  readonly bytes: number
  readonly mostBytes: number
  /** Number of Parquet files. `whole` counts completely cached files. */
  readonly parts: number
  readonly whole: number
  readonly newest: number
  /** Number of calls that found all rows. `misses` counts other calls. */
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

/** Maximum number of rows per key if memory is short. */
const NEWEST_ROWS = 256
/** Share of the memory for the newest rows of every key. */
const NEWEST_SHARE = 0.5
/** Keys beyond the limit are queued at their next request. */
const MOST_QUEUED = 1_024
/** Reading this many rows takes a fraction of a second. */
const MOST_PREPARED_ROWS = 200_000
const QUEUE_KEY = 'columns'

interface ServedPart {
  readonly dataset: Dataset
  readonly release: Release
  readonly part: Part
}

export function openColumns({ catalog, releases, pool, log, mostBytes }: ColumnsDeps): Columns {
  const ending = new AbortController()
  const datasets = served(catalog).filter(({ key }) => key !== undefined)
  const textCache = createTextCache()
  let cache = cacheOf(mostBytes)
  /** Newest rows of every key, by sha256 of the Parquet file. Never evicted. */
  const newest = new Map<string, Block>()
  const queue = new Map<string, ServedPart & { readonly key: string }>()
  const useCounts = new Map<string, Map<string, number>>(datasets.map(({ slug }) => [slug, new Map()]))
  const failedParts = new Set<string>()
  /** Measured memory of Parquet files by sha256. Estimated for other files. */
  const knownSizes = new Map<string, number>()
  const sizeOf = (servedPart: ServedPart): number => knownSizes.get(servedPart.part.sha256) ?? estimatedBytes(servedPart)
  let servedParts: ReadonlyMap<string, ServedPart> = new Map()
  /** Files of releases that are not served yet, by slug of the dataset. */
  const preparedParts = new Map<string, ReadonlySet<string>>()
  /** Undefined if memory is not short. */
  let rowsPerKey: number | undefined
  let filling = Promise.resolve()
  let hits = 0
  let misses = 0

  /** Null if the key has no rows. Undefined if the rows are not cached. */
  const find = ({ sha256 }: Part, key: string): Run | null | undefined => {
    const block = cache.get(sha256) ?? cache.get(`${sha256} ${key}`) ?? newest.get(sha256)
    return block && (block.runs.get(key) ?? null)
  }
  const enqueue = ({ dataset }: PastRelease, { sha256 }: Part, key: string): void => {
    const servedPart = servedParts.get(sha256)
    if (mostBytes === 0 || queue.size >= MOST_QUEUED || failedParts.has(sha256) || servedPart?.dataset !== dataset) return
    queue.set(`${sha256} ${key}`, { ...servedPart, key })
    void fetchQueued()
  }
  const read = async ({ dataset, release, part }: ServedPart, rows: PartRows, pace: Pace): Promise<Block | undefined> => {
    try {
      // Releases may be sorted by another key.
      const asStored = rows.rowsPerKey === undefined && isNewestFirst(dataset) && release.manifest.key === dataset.key
      const options = { ...rows, reversed: asStored, textsFor: textCache.textsFor, pace }
      const selection = { ...rows, ...(rows.rowsPerKey !== undefined && { rowsPerKey: rows.rowsPerKey + 1 }), asStored }
      const statement = selectPart(dataset, release.pathOf(part), selection)
      return await releases.loadVerified(release, [part], () =>
        pool.read(statement, (chunks, size) => blockOf(dataset, chunks, size, options), QUEUE_KEY),
      )
    } catch (error) {
      failedParts.add(part.sha256)
      if (!ending.signal.aborted) log('failed', { during: `reading columns of ${dataset.slug}`, error: String(error) })
      return undefined
    }
  }
  const fetchQueued = coalesceNext(async () => {
    for (const [name, { key, ...servedPart }] of queue) {
      if (ending.signal.aborted) return
      queue.delete(name)
      if (cache.has(servedPart.part.sha256) || cache.peek(name)?.runs.get(key)?.complete) continue
      const block = await read(servedPart, { key }, PROMPT)
      if (block) cache.set(name, block)
    }
  })
  const newestBytes = (): number => {
    let sum = 0
    for (const { bytes } of newest.values()) sum += bytes
    return sum
  }
  const usesOf = ({ part, dataset }: ServedPart): number => {
    if (part.role === 'delta') return Number.POSITIVE_INFINITY
    let sum = 0
    for (const [key, count] of useCounts.get(dataset.slug)!) if (key >= part.first_key! && key <= part.last_key!) sum += count
    return sum
  }
  const isCached = ({ sha256 }: Part): boolean => cache.has(sha256) || newest.has(sha256)
  const cachePart = async (servedPart: ServedPart, pace: Pace): Promise<void> => {
    const { sha256 } = servedPart.part
    // A refresh may change the limit during the read.
    const limit = rowsPerKey
    if (limit === undefined ? cache.calculatedSize + sizeOf(servedPart) > mostBytes : newestBytes() > NEWEST_SHARE * mostBytes) return
    const block = await read(servedPart, limit === undefined ? {} : { rowsPerKey: limit }, pace)
    if (!block) return
    if (limit !== undefined) newest.set(sha256, block)
    else {
      knownSizes.set(sha256, block.bytes)
      cache.set(sha256, block)
    }
  }
  /** Reads new files before a release is served, so that reads need not use the engine. */
  const prepare = async (release: Release): Promise<void> => {
    const { dataset, manifest } = release
    const former = [...servedParts.values()].filter(servedPart => servedPart.dataset === dataset)
    const missing = manifest.parts.filter(part => !isCached(part) && !failedParts.has(part.sha256))
    if (former.length === 0 || !former.every(({ part }) => isCached(part))) return
    if (missing.reduce((sum, { rows }) => sum + rows, 0) > MOST_PREPARED_ROWS) return
    preparedParts.set(dataset.slug, new Set(missing.map(({ sha256 }) => sha256)))
    for (const part of missing) if (!ending.signal.aborted) await cachePart({ dataset, release, part }, { yields: true })
  }
  const stopPreparing = releases.beforeServing(prepare)
  const fill = async (): Promise<void> => {
    const missing = [...servedParts.values()].filter(({ part }) => !failedParts.has(part.sha256) && !isCached(part))
    const inOrder = missing.map(servedPart => ({ servedPart, used: usesOf(servedPart) })).sort((a, b) => b.used - a.used)
    const next = inOrder.values()
    const readNext = async (): Promise<void> => {
      for (const { servedPart } of next) {
        if (ending.signal.aborted) return
        await cachePart(servedPart, PROMPT)
      }
    }
    // The engine reads one file while another file is decoded.
    await Promise.all([readNext(), readNext()])
  }
  const isNeeded = (sha256: string): boolean => servedParts.has(sha256) || [...preparedParts.values()].some(parts => parts.has(sha256))
  const refresh = coalesceNext(async () => {
    if (mostBytes === 0) return
    failedParts.clear()
    const states = datasets.flatMap(dataset => releaseOf(dataset, releases) ?? [])
    const partsOfReleases = states.flatMap(release => release.manifest.parts.map(part => ({ dataset: release.dataset, release, part })))
    servedParts = new Map(partsOfReleases.map(servedPart => [servedPart.part.sha256, servedPart]))
    for (const sha256 of knownSizes.keys()) if (!servedParts.has(sha256)) knownSizes.delete(sha256)
    const totalBytes = [...servedParts.values()].reduce((sum, servedPart) => sum + sizeOf(servedPart), 0)
    rowsPerKey = totalBytes <= mostBytes ? undefined : newestRowsPerKey(states, mostBytes)
    // Texts may use memory that rows do not need.
    const missing = [...servedParts.values()]
      .filter(({ part: { sha256 } }) => !cache.has(sha256))
      .reduce((sum, servedPart) => sum + sizeOf(servedPart), 0)
    textCache.limit(Math.max(0, mostBytes - cache.calculatedSize - missing))
    // Evicts old rows before `fill` reads new rows, to save memory.
    for (const [sha256, { texts }] of newest) {
      if (rowsPerKey !== undefined && isNeeded(sha256)) continue
      texts.close()
      newest.delete(sha256)
    }
    const availableBytes = rowsPerKey === undefined ? mostBytes : mostBytes * (1 - NEWEST_SHARE)
    if (cache.maxSize !== Math.ceil(availableBytes)) cache = cacheOf(availableBytes, cache)
    await fill()
    if (ending.signal.aborted) return
    for (const name of cache.keys()) if (!isNeeded(name.slice(0, SHA256_LENGTH))) cache.delete(name)
    textCache.limit(rowsPerKey === undefined ? mostBytes - cache.calculatedSize : 0)
    for (const counts of useCounts.values()) decay(counts)
  })
  return {
    runsOf(release, key) {
      const counts = useCounts.get(release.dataset.slug)
      if (!counts) return undefined
      if (mostBytes > 0) counts.set(key, (counts.get(key) ?? 0) + 1)
      const runs: Run[] = []
      let missing = false
      for (const part of partsOfKey(release.manifest, key)) {
        const run = find(part, key)
        if (run) runs.push(run)
        else if (run === undefined) {
          missing = true
          enqueue(release, part, key)
        }
      }
      if (missing) misses++
      else hits++
      return missing ? undefined : runs
    },
    complete(release, key) {
      for (const part of partsOfKey(release.manifest, key)) {
        const run = find(part, key)
        if (run === undefined || run?.complete === false) enqueue(release, part, key)
      }
    },
    refresh: () => (filling = refresh()),
    partOf: ({ sha256 }) => (cache.peek(sha256) ?? newest.get(sha256))?.runs,
    settled: () => filling,
    state: () => ({
      bytes: cache.calculatedSize + newestBytes() + textCache.bytes(),
      mostBytes,
      parts: servedParts.size,
      whole: [...servedParts.keys()].filter(sha256 => cache.has(sha256)).length,
      newest: newest.size,
      hits,
      misses,
    }),
    close() {
      ending.abort()
      stopPreparing()
      return Promise.all([refresh(), fetchQueued()]).then(() => {})
    },
  }
}

/** Keyed by sha256. For a block with a single key, a space and the key follow. */
function cacheOf(bytes: number, former?: LRUCache<string, Block>): LRUCache<string, Block> {
  const cache = new LRUCache<string, Block>({
    maxSize: Math.max(1, Math.ceil(bytes)),
    sizeCalculation: ({ bytes }) => bytes,
    dispose: ({ texts }) => texts.close(),
  })
  if (former) cache.load(former.dump())
  return cache
}

function decay(counts: Map<string, number>): void {
  for (const [key, count] of counts) {
    if (count < 2) counts.delete(key)
    else counts.set(key, count / 2)
  }
}

const SHA256_LENGTH = 64

const estimatedBytes = ({ dataset, release, part }: ServedPart): number =>
  part.rows * rowBytes(dataset) + estimatedOverhead(dataset, release, part)

function newestRowsPerKey(releases: readonly Release[], mostBytes: number): number {
  const [availableBytes, bytesPerRow] = releases.reduce(
    ([left, sum], release) => [
      release.manifest.parts.reduce((bytes, part) => bytes - estimatedOverhead(release.dataset, release, part), left),
      sum + release.manifest.statistics.keys * rowBytes(release.dataset),
    ],
    [NEWEST_SHARE * mostBytes, 0],
  )
  return Math.max(1, Math.min(NEWEST_ROWS, Math.floor(availableBytes / bytesPerRow)))
}
