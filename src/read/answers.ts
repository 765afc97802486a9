import { LRUCache } from 'lru-cache'
import { createRecentTexts } from '../core/index.ts'
import { type Body, bytesFor } from '../formats/index.ts'
import type { EmptyReason } from './empty.ts'

/** Streams cannot be cached. */
export interface MadeAnswer<B extends Body = Buffer> {
  readonly body: B
  /** Bytes in memory until the answer is sent. */
  readonly bytes: number
  readonly rows: number
  /** True if the rows came from memory. Encoding these rows again is fast. */
  readonly fromMemory: boolean
  readonly more: boolean
  readonly limited: boolean
  readonly empty: EmptyReason | null
}

interface CachedAnswer extends MadeAnswer {
  readonly id: string
  /** Positions of `id` in the body, computed on the first cache hit. */
  idOffsets?: readonly number[]
}

/** Concurrent identical reads share the result. */
interface RunningAnswer {
  readonly etag: string
  readonly answer: Promise<CachedAnswer | undefined>
}

/** LRU cache of complete answers, keyed by entity tag. */
export interface Answers {
  /**
   * Returns the cached answer or calls `make`. Concurrent calls with the same tag share one answer.
   * If the first call fails or returns a stream, every other call makes an answer. An answer from
   * the row cache is stored at the second use, because encoding is fast.
   *
   * @param requestId id that replaces the request id in a cached body
   */
  getOrMake<B extends Body>(etag: string, requestId: string, make: () => Promise<MadeAnswer<B>>): Promise<MadeAnswer<B | Buffer>>
  state(): AnswersState
}

export interface AnswersState {
  readonly bytes: number
  readonly mostBytes: number
  /** Includes answers shared with a concurrent call. */
  readonly hits: number
  readonly misses: number
}

/** Maximum size of a cached body, in bytes. */
const MOST_BYTES = 256 * 1_024
/** Approximate bytes per entry in addition to the body. */
const ENTRY_BYTES = 512
/** Reserves memory for compressed copies of the body. */
const WITH_COMPRESSED = 2

/** A second use is detected only for this many recent tags. */
const RECENT_TAGS = 8_192

/** @param bytes memory limit of the cache; 0 disables the cache */
export function createAnswers(bytes: number): Answers {
  const cache = new LRUCache<string, CachedAnswer>({
    maxSize: Math.max(1, bytes),
    sizeCalculation: ({ body }) => WITH_COMPRESSED * body.length + ENTRY_BYTES,
  })
  const wasUsed = createRecentTexts(RECENT_TAGS)
  // Uses an array, because V8 retains the old tables of a grown map until the next full garbage
  // collection.
  const running: RunningAnswer[] = []
  let hits = 0
  let misses = 0
  /** @returns the answer for concurrent callers; undefined for a stream */
  const store = (etag: string, requestId: string, made: MadeAnswer<Body>): CachedAnswer | undefined => {
    if (!isWhole(made)) return undefined
    if (made.body.length > Math.min(MOST_BYTES, bytes) || (made.fromMemory && !wasUsed(etag))) return { ...made, id: requestId }
    // Copies the body, because a short body is a slice of a shared buffer.
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
      // Other callers repeat the work, because the error may concern only the first caller.
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

/** Both ids must have the same length. */
function withRequestId(answer: CachedAnswer, requestId: string): MadeAnswer {
  answer.idOffsets ??= offsetsOf(answer.body, answer.id)
  if (answer.idOffsets.length === 0) return answer
  const body = bytesFor(answer.body.length)
  answer.body.copy(body)
  for (const offset of answer.idOffsets) body.write(requestId, offset, 'latin1')
  return { ...answer, body }
}
