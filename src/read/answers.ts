import { LRUCache } from 'lru-cache'
import { type Body, bytesFor } from '../formats/index.ts'
import type { EmptyReason } from './empty.ts'

/** An encoded answer. The cache stores it if its body is a whole buffer, not a stream. */
export interface MadeAnswer<B extends Body = Buffer> {
  readonly body: B
  /** Memory that the answer uses until its last byte is sent. */
  readonly bytes: number
  readonly rows: number
  readonly more: boolean
  readonly limited: boolean
  readonly empty: EmptyReason | null
}

/** A made answer, and where its body tells the id of the request it was made for, once somebody else asks. */
interface Kept extends MadeAnswer {
  readonly id: string
  places?: readonly number[]
}

/**
 * Whole answers by their strong tag, which equal reads share: the caller's own, an id of the request in the body, is written anew. Those
 * asked for longest ago give way.
 */
export interface Answers {
  /**
   * Returns the cached answer of a tag, or calls `make`. Parallel calls with the same tag wait for the first one. If that fails or returns
   * a stream, which cannot be shared, each of them calls its own `make`.
   *
   * @param requestId replaces the request id in a cached body
   */
  getOrMake<B extends Body>(etag: string, requestId: string, make: () => Promise<MadeAnswer<B>>): Promise<MadeAnswer<B | Buffer>>
  state(): AnswersState
}

export interface AnswersState {
  /** What the answers take of memory, and may take. */
  readonly bytes: number
  readonly mostBytes: number
  /** Answers since the start that were kept or in the making, and that had to be made. */
  readonly hits: number
  readonly misses: number
}

/** Answers up to this many bytes are kept. */
const MOST_BYTES = 256 * 1_024
/** What an entry takes beside its body. */
const ENTRY_BYTES = 512
/** What is sent of a body may be kept coded beside it, in three codings of less than a third of it each. */
const WITH_CODED = 2

/** @param bytes of all bodies; 0 keeps none */
export function createAnswers(bytes: number): Answers {
  const kept = new LRUCache<string, Kept>({
    maxSize: Math.max(1, bytes),
    sizeCalculation: ({ body }) => WITH_CODED * body.length + ENTRY_BYTES,
  })
  const running = new Map<string, Promise<Kept | undefined>>()
  let [hits, misses] = [0, 0]
  /** Caches an answer. @returns what parallel callers may share; undefined for a stream */
  const keep = (etag: string, requestId: string, made: MadeAnswer<Body>): Kept | undefined => {
    if (!isWhole(made)) return undefined
    if (made.body.length > Math.min(MOST_BYTES, bytes)) return { ...made, id: requestId }
    // A short body is cut out of memory that many share: kept as it is, it would keep all of that.
    const body = Buffer.allocUnsafeSlow(made.body.length)
    made.body.copy(body)
    const answer = { ...made, body, id: requestId }
    kept.set(etag, answer)
    return answer
  }
  const hit = (answer: Kept | undefined, requestId: string): MadeAnswer | undefined => {
    if (answer?.id.length !== requestId.length) return undefined
    hits++
    return named(answer, requestId)
  }
  return {
    async getOrMake(etag, requestId, make) {
      const cachedAnswer = hit(kept.get(etag), requestId)
      if (cachedAnswer) return cachedAnswer
      const first = running.get(etag)
      const sharedAnswer = first && hit(await first, requestId)
      if (sharedAnswer) return sharedAnswer
      misses++
      if (first) return make()
      const making = make()
      // A failure of the first call, for example a full queue of its account, need not fail the others.
      const shareable = making.then(
        answer => keep(etag, requestId, answer),
        () => undefined,
      )
      running.set(etag, shareable)
      try {
        return await making
      } finally {
        running.delete(etag)
      }
    },
    state: () => ({ bytes: kept.calculatedSize, mostBytes: bytes, hits, misses }),
  }
}

const isWhole = (made: MadeAnswer<Body>): made is MadeAnswer => Buffer.isBuffer(made.body)

function placesOf(body: Buffer, id: string): readonly number[] {
  const places: number[] = []
  for (let at = body.indexOf(id); at !== -1; at = body.indexOf(id, at + id.length)) places.push(at)
  return places
}

/** The answer with another id, which is as long: the body itself where it tells none. */
function named(answer: Kept, requestId: string): MadeAnswer {
  answer.places ??= placesOf(answer.body, answer.id)
  if (answer.places.length === 0) return answer
  const body = bytesFor(answer.body.length)
  answer.body.copy(body)
  for (const place of answer.places) body.write(requestId, place, 'latin1')
  return { ...answer, body }
}
