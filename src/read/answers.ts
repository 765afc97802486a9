import { LRUCache } from 'lru-cache'
import { type Body, bytesFor } from '../formats/index.ts'
import type { EmptyReason } from './empty.ts'

/** An answer that was made. Only whole bodies are kept for whoever asks the same. */
export interface MadeAnswer<B extends Body = Buffer> {
  readonly body: B
  /** What it takes of memory until it has left. */
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
   * The kept answer of a tag, or one that is made now. While one is made, whoever else asks for its tag waits for it; if making it fails,
   * each of them makes it. A streamed body is not kept, because it leaves while it is made: then each caller makes its own.
   *
   * @param requestId takes the place of the id the answer was made with
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
  /** @returns the answer as others may have it; undefined if it is a stream */
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
  const found = (answer: Kept | undefined, requestId: string): MadeAnswer | undefined => {
    if (answer?.id.length !== requestId.length) return undefined
    hits++
    return named(answer, requestId)
  }
  return {
    async getOrMake(etag, requestId, make) {
      const known = found(kept.get(etag), requestId)
      if (known) return known
      const ahead = running.get(etag)
      // What refuses the one ahead, for example a full queue of its account, need not refuse the others.
      const ofAhead = ahead && found(await ahead, requestId)
      if (ofAhead) return ofAhead
      misses++
      // The one ahead could not share its answer: the others need not wait for each other.
      if (ahead) return make()
      const making = make()
      const shared = making.then(
        made => keep(etag, requestId, made),
        () => undefined,
      )
      running.set(etag, shared)
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
