import { LRUCache } from 'lru-cache'
import { bytesFor } from '../formats/index.ts'
import type { EmptyReason } from './empty.ts'

/** An answer that was made, for whoever asks the same. */
export interface MadeAnswer {
  readonly body: Buffer
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
  /** @param requestId takes the place of the id the answer was made with */
  get(etag: string, requestId: string): MadeAnswer | undefined
  /** Keeps an answer that was made, for whoever asks the same next. */
  keep(etag: string, requestId: string, made: MadeAnswer): void
  /**
   * Makes an answer once for all who ask while it is made; where that fails, each who asks makes it.
   *
   * @param make resolves with undefined where the answer cannot be shared, because it leaves while it is made: then each who asks makes it
   */
  share(etag: string, requestId: string, make: () => Promise<MadeAnswer | undefined>): Promise<MadeAnswer | undefined>
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
  const keep = (etag: string, requestId: string, made: MadeAnswer | undefined): Kept | undefined => {
    misses++
    if (!made) return undefined
    if (made.body.length > Math.min(MOST_BYTES, bytes)) return { ...made, id: requestId }
    // A short body is cut out of memory that many share: kept as it is, it would keep all of that.
    const body = Buffer.allocUnsafeSlow(made.body.length)
    made.body.copy(body)
    const answer = { ...made, body, id: requestId }
    kept.set(etag, answer)
    return answer
  }
  return {
    get(etag, requestId) {
      const found = kept.get(etag)
      if (found?.id.length !== requestId.length) return undefined
      hits++
      return named(found, requestId)
    },
    keep: (etag, requestId, made) => void keep(etag, requestId, made),
    async share(etag, requestId, make) {
      const ahead = running.get(etag)
      if (ahead) {
        // What refuses the one ahead, its account's turn in a full line for example, need not refuse the others.
        const found = await ahead.catch(() => undefined)
        // Who was ahead could not share: the others need not wait for each other.
        if (found?.id.length !== requestId.length) {
          misses++
          return make()
        }
        hits++
        return named(found, requestId)
      }
      const making = make().then(made => keep(etag, requestId, made))
      running.set(etag, making)
      try {
        return await making
      } finally {
        running.delete(etag)
      }
    },
    state: () => ({ bytes: kept.calculatedSize, mostBytes: bytes, hits, misses }),
  }
}

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
