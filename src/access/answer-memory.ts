import { createWaitQueue, machineMemory, Refusal, type WaitQueue, type Words } from '../core/index.ts'

/** Memory that an answer takes until its last byte has left. */
export interface Share {
  /** Says how large the answer became. Takes it without waiting, beyond the bounds if need be. */
  resize(bytes: number): void
  /** Gives the memory back. */
  release(): void
}

/** Bounds the memory of answers that have not left, by key and in all: whoever does not read them waits, not the others. */
export interface AnswerMemory {
  /**
   * Reserves memory for an answer; waits until there is enough. Small answers never wait and are not counted.
   *
   * @param bytes how large it may become
   * @throws Refusal concurrency_limited when the key's unread answers leave no room for too long, overloaded when those of all do
   */
  reserve(key: string, bytes: number): Share | Promise<Share>
}

export interface AnswerMemoryOptions {
  /** Bytes of one key. An answer that may become larger has them alone. */
  readonly each: number
  /** Bytes of all keys. */
  readonly all: number
  /** Answers up to this many bytes are small. */
  readonly small: number
  readonly waitMs: number
}

const MIB = 2 ** 20
/** Half a dozen whole answers of the largest plan in all, two or three of one account; fewer where an eighth of the memory is less. */
const ALL = Math.min(384 * MIB, machineMemory() / 8)
const OPTIONS: AnswerMemoryOptions = { each: ALL / 3, all: ALL, small: MIB / 8, waitMs: 10_000 }
/** Answers of one key that wait. */
const LIMIT = 64

interface Held {
  bytes: number
  /** Made for the first answer that has to wait. */
  queue: WaitQueue<void, number> | undefined
}

export function createAnswerMemory({ each, all, small, waitMs }: AnswerMemoryOptions = OPTIONS): AnswerMemory {
  const keys = new Map<string, Held>()
  /** Keys whose answers wait for room, in the order of their turns. */
  const waiting = new Set<string>()
  let total = 0
  const bytesOf = (key: string): number => keys.get(key)?.bytes ?? 0
  const fits = (key: string, bytes: number): boolean => bytesOf(key) + bytes <= each && total + bytes <= all
  const refusalFor = (key: string, bytes: number): Refusal =>
    bytesOf(key) + bytes > each
      ? new Refusal('concurrency_limited', { retry_after: 1 }, UNREAD)
      : new Refusal('overloaded', { retry_after: 1 }, SENDING)
  const add = (key: string, bytes: number): void => {
    const held = keys.get(key) ?? { bytes: 0, queue: undefined }
    held.bytes += bytes
    total += bytes
    if (held.bytes > 0 || waiting.has(key)) keys.set(key, held)
    else keys.delete(key)
  }
  const wait = async (key: string, bytes: number): Promise<void> => {
    waiting.add(key)
    add(key, 0)
    const held = keys.get(key)!
    held.queue ??= createWaitQueue({ limit: LIMIT, waitMs, refusal: asked => refusalFor(key, asked) })
    try {
      await held.queue.wait(bytes)
    } finally {
      // Others of this key may fit, and others than this key once it waits for none.
      handOut()
    }
  }
  /** Gives room to the first answer of a key, which then goes to the end of the turns. False where there is none to give, or nobody waits. */
  const serve = (key: string): boolean => {
    const { queue } = keys.get(key)!
    const bytes = queue!.first()
    if (bytes !== undefined && !fits(key, bytes)) return false
    waiting.delete(key)
    if (bytes !== undefined) queue!.next()
    if (queue!.length > 0) waiting.add(key)
    add(key, bytes ?? 0)
    return bytes !== undefined
  }
  const handOut = (): void => {
    while ([...waiting].some(serve));
  }
  return {
    reserve(key, asked) {
      let bytes = asked > small ? Math.min(asked, each) : 0
      const resize = (size: number): void => {
        const before = bytes
        bytes = size > small ? size : 0
        if (bytes !== before) add(key, bytes - before)
        if (bytes < before) handOut()
      }
      const share = { resize, release: () => resize(0) }
      if (bytes === 0) return share
      if (waiting.has(key) || !fits(key, bytes)) return wait(key, bytes).then(() => share)
      add(key, bytes)
      return share
    },
  }
}

const UNREAD: Words = {
  en: 'Answers to this account that have not been read yet take up the memory it may use; read them, or ask for fewer rows at once.',
  zh: '此帳戶尚未讀取的回應已占滿可用的記憶體；請先讀取，或減少一次查詢的列數。',
}
const SENDING: Words = {
  en: 'Answers that are being sent take up all the memory there is for them; try again after retry_after seconds, or ask for fewer rows.',
  zh: '傳送中的回應已占滿可用的記憶體；請於 retry_after 秒後再試，或減少列數。',
}
