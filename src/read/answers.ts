import { LRUCache } from 'lru-cache'
import { createRecentTexts } from '../core/index.ts'
import { type Body, bytesFor } from '../formats/index.ts'
import type { EmptyReason } from './empty.ts'

/** An encoded answer. Only answers whose body is a buffer, not a stream, can be cached. */
export interface MadeAnswer<B extends Body = Buffer> {
  readonly body: B
  /** Memory in bytes that the answer uses until its last byte is sent. */
  readonly bytes: number
  readonly rows: number
  /** True if the rows came from the row cache, so that encoding the answer again is fast. */
  readonly fromMemory: boolean
  readonly more: boolean
  readonly limited: boolean
  readonly empty: EmptyReason | null
}

interface CachedAnswer extends MadeAnswer {
  /** Id of the request for which the answer was encoded. */
  readonly id: string
  /** Offsets of `id` in the body, computed on the first hit. */
  idOffsets?: readonly number[]
}

/** An answer that is being encoded. Concurrent identical reads share it. */
interface RunningAnswer {
  readonly etag: string
  readonly answer: Promise<CachedAnswer | undefined>
}

/**
 * LRU cache of complete answers by strong entity tag. Each cached answer is sent with the id of the
 * current request.
 */
export interface Answers {
  /**
   * Returns the cached answer for an entity tag, or calls `make`. Answers from the row cache are
   * cached at their second use, because encoding them again is fast.
   *
   * Concurrent calls with the same tag wait for the first call and share its answer. If the first
   * call fails, or returns a stream, which cannot be shared, each waiting call calls its own
   * `make`.
   *
   * @param requestId replaces the request id in a cached body
   */
  getOrMake<B extends Body>(etag: string, requestId: string, make: () => Promise<MadeAnswer<B>>): Promise<MadeAnswer<B | Buffer>>
  state(): AnswersState
}

export interface AnswersState {
  /** Memory in use, and its limit. */
  readonly bytes: number
  readonly mostBytes: number
  /** Counts since the start. A call that shares the answer of a concurrent call is a hit. */
  readonly hits: number
  readonly misses: number
}

/** Largest body that is cached. */
const MOST_BYTES = 256 * 1_024
/** Memory of an entry without its body. */
const ENTRY_BYTES = 512
/**
 * Each body counts twice, because up to three compressed copies may be cached as well, each smaller
 * than a third of the body.
 */
const WITH_COMPRESSED = 2

/** Number of recent entity tags in memory, to detect a second use. */
const RECENT_TAGS = 8_192

/** @param bytes memory limit; 0 disables the cache */
export function createAnswers(bytes: number): Answers {
  const cache = new LRUCache<string, CachedAnswer>({
    maxSize: Math.max(1, bytes),
    sizeCalculation: ({ body }) => WITH_COMPRESSED * body.length + ENTRY_BYTES,
  })
  const wasUsed = createRecentTexts(RECENT_TAGS)
  // An array instead of a map: after a map grows, V8 keeps its former tables, and so the bodies,
  // until the next full collection. Only a few answers are encoded at the same time.
  const running: RunningAnswer[] = []
  let hits = 0
  let misses = 0
  /** Caches an answer. @returns the answer for concurrent callers; undefined for a stream */
  const store = (etag: string, requestId: string, made: MadeAnswer<Body>): CachedAnswer | undefined => {
    if (!isWhole(made)) return undefined
    if (made.body.length > Math.min(MOST_BYTES, bytes) || (made.fromMemory && !wasUsed(etag))) return { ...made, id: requestId }
    // A short body is a slice of a shared buffer. The cache would keep all of that buffer in
    // memory.
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
      // A failure of the first call must not fail the waiting calls. The cause can be the first
      // caller's own account, for example its full queue.
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
 * Replaces the request id by another id of the same length. Copies the body only if it contains an
 * id.
 */
function withRequestId(answer: CachedAnswer, requestId: string): MadeAnswer {
  answer.idOffsets ??= offsetsOf(answer.body, answer.id)
  if (answer.idOffsets.length === 0) return answer
  const body = bytesFor(answer.body.length)
  answer.body.copy(body)
  for (const offset of answer.idOffsets) body.write(requestId, offset, 'latin1')
  return { ...answer, body }
}
