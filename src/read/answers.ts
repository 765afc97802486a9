import { LRUCache } from 'lru-cache'
import { createRecentTexts } from '../core/index.ts'
import { type Body, bytesFor } from '../formats/index.ts'
import type { EmptyReason } from './empty.ts'

/**
 * An encoded answer. An answer can be cached only if its body is a buffer. Streams are not cached.
 */
export interface MadeAnswer<B extends Body = Buffer> {
  readonly body: B
  /** Memory that is in use until the last byte of the answer is sent, in bytes. */
  readonly bytes: number
  readonly rows: number
  /** True if the rows came from the row cache. Encoding this answer again is fast. */
  readonly fromMemory: boolean
  readonly more: boolean
  readonly limited: boolean
  readonly empty: EmptyReason | null
}

interface CachedAnswer extends MadeAnswer {
  readonly id: string
  /** Positions of `id` in the body. Computed when the cached answer is first used. */
  idOffsets?: readonly number[]
}

/** An answer that is being encoded. Concurrent identical reads share it. */
interface RunningAnswer {
  readonly etag: string
  readonly answer: Promise<CachedAnswer | undefined>
}

/**
 * LRU cache of complete answers, keyed by strong entity tag. Before a cached answer is sent, its
 * request id is replaced by the id of the current request.
 */
export interface Answers {
  /**
   * Returns the cached answer with this entity tag, or calls `make`. An answer from the row cache
   * is stored at its second use only, because encoding it again is fast.
   *
   * Concurrent calls with the same tag wait for the first call and share its answer. If the first
   * call fails or returns a stream, each waiting call calls its own `make`.
   *
   * @param requestId id of the current request; replaces the request id in a cached body
   */
  getOrMake<B extends Body>(etag: string, requestId: string, make: () => Promise<MadeAnswer<B>>): Promise<MadeAnswer<B | Buffer>>
  state(): AnswersState
}

export interface AnswersState {
  readonly bytes: number
  readonly mostBytes: number
  /** Number of hits since the service started. Sharing the answer of a concurrent call is a hit. */
  readonly hits: number
  readonly misses: number
}

/** Maximum size of a cached body, in bytes. */
const MOST_BYTES = 256 * 1_024
/** Approximate memory of a cache entry, in bytes, in addition to the body. */
const ENTRY_BYTES = 512
/**
 * Factor for the size of a body. Up to three compressed copies of a body may be cached too, and
 * each is smaller than a third of the body.
 */
const WITH_COMPRESSED = 2

/** Number of recent entity tags in memory. A second use is detected only for these tags. */
const RECENT_TAGS = 8_192

/** @param bytes memory limit of the cache; 0 disables the cache */
export function createAnswers(bytes: number): Answers {
  const cache = new LRUCache<string, CachedAnswer>({
    maxSize: Math.max(1, bytes),
    sizeCalculation: ({ body }) => WITH_COMPRESSED * body.length + ENTRY_BYTES,
  })
  const wasUsed = createRecentTexts(RECENT_TAGS)
  // This is an array and not a map, because V8 retains the old tables of a grown map, with the
  // bodies in them, until the next full garbage collection. Only a few answers are encoded at the
  // same time.
  const running: RunningAnswer[] = []
  let hits = 0
  let misses = 0
  /**
   * Caches an answer if possible. @returns the answer for concurrent callers; undefined for a
   * stream
   */
  const store = (etag: string, requestId: string, made: MadeAnswer<Body>): CachedAnswer | undefined => {
    if (!isWhole(made)) return undefined
    if (made.body.length > Math.min(MOST_BYTES, bytes) || (made.fromMemory && !wasUsed(etag))) return { ...made, id: requestId }
    // A short body is a slice of a shared buffer. Caching the slice would retain the whole buffer.
    const body = Buffer.allocUnsafeSlow(made.body.length)
    made.body.copy(body)
    const answer = { ...made, body, id: requestId }
    cache.set(etag, answer)
    return answer
  }
  const hit = (answer: CachedAnswer | undefined, requestId: string): MadeAnswer | undefined => {
    if (answer?.id.length !== requestId.length) return undefined
    hits++
    return withRequestId(answer, requestId)
  }
  return {
    async getOrMake(etag, requestId, make) {
      const cachedAnswer = hit(cache.get(etag), requestId)
      if (cachedAnswer) return cachedAnswer
      const first = running.find(one => one.etag === etag)
      const sharedAnswer = first && hit(await first.answer, requestId)
      if (sharedAnswer) return sharedAnswer
      misses++
      if (first) return make()
      const making = make()
      // If the first call fails, the waiting calls must not fail too. The cause may concern only
      // the first caller, for example the full queue of its account.
      const shareable = making.then(
        answer => store(etag, requestId, answer),
        () => undefined,
      )
      const entry = { etag, answer: shareable }
      running.push(entry)
      try {
        return await making
      } finally {
        const last = running.pop()!
        if (last !== entry) running[running.indexOf(entry)] = last
      }
    },
    state: () => ({ bytes: cache.calculatedSize, mostBytes: bytes, hits, misses }),
  }
}

const isWhole = (made: MadeAnswer<Body>): made is MadeAnswer => Buffer.isBuffer(made.body)

function offsetsOf(body: Buffer, id: string): readonly number[] {
  const offsets: number[] = []
  for (let offset = body.indexOf(id); offset !== -1; offset = body.indexOf(id, offset + id.length)) offsets.push(offset)
  return offsets
}

/**
 * Replaces the request id in a cached body by another id of the same length. Copies the body only
 * if the body contains an id.
 */
function withRequestId(answer: CachedAnswer, requestId: string): MadeAnswer {
  answer.idOffsets ??= offsetsOf(answer.body, answer.id)
  if (answer.idOffsets.length === 0) return answer
  const body = bytesFor(answer.body.length)
  answer.body.copy(body)
  for (const offset of answer.idOffsets) body.write(requestId, offset, 'latin1')
  return { ...answer, body }
}
