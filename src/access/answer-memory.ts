import { createWaitQueue, machineMemory, Refusal, type WaitQueue, type Words } from '../core/index.ts'

/** Memory for one answer, reserved until the last byte is sent. */
export interface MemoryReservation {
  /** Replaces the reserved size with the actual size. Never waits, and may exceed the limits. */
  resize(bytes: number): void
  release(): void
}

/** Limits the memory of unsent answers, so a slow client delays only its own reads. */
export interface AnswerMemory {
  /**
   * Waits until enough memory is free. Small answers never wait.
   *
   * @param bytes maximum size of the answer
   * @throws Refusal if the wait is too long: concurrency_limited if answers of the same key use the
   * memory, otherwise overloaded
   */
  reserve(key: string, bytes: number): MemoryReservation | Promise<MemoryReservation>
}

export interface AnswerMemoryOptions {
  /** Maximum number of bytes per key. A larger answer reserves only this size. */
  readonly perKey: number
  readonly total: number
  /** Answers up to this size never wait. */
  readonly smallBytes: number
  readonly waitMs: number
}

const MIB = 2 ** 20
/**
 * Limits the memory to an eighth of the machine's memory, at most 384 MiB. Each key gets a third of
 * the limit.
 */
const TOTAL_BYTES = Math.min(384 * MIB, machineMemory() / 8)
const OPTIONS: AnswerMemoryOptions = { perKey: TOTAL_BYTES / 3, total: TOTAL_BYTES, smallBytes: MIB / 8, waitMs: 10_000 }
const MAX_WAITING = 64

interface KeyMemory {
  bytes: number
  queue: WaitQueue<void, number> | undefined
}

export function createAnswerMemory({ perKey, total, smallBytes, waitMs }: AnswerMemoryOptions = OPTIONS): AnswerMemory {
  const keys = new Map<string, KeyMemory>()
  /** Keys with waiting answers. The first key is served next. */
  const waiting = new Set<string>()
  let reserved = 0
  const bytesOf = (key: string): number => keys.get(key)?.bytes ?? 0
  const fits = (key: string, bytes: number): boolean => bytesOf(key) + bytes <= perKey && reserved + bytes <= total
  const refusalFor = (key: string, bytes: number): Refusal =>
    bytesOf(key) + bytes > perKey
      ? new Refusal('concurrency_limited', { retry_after: 1 }, UNREAD_ANSWERS)
      : new Refusal('overloaded', { retry_after: 1 }, ANSWERS_BEING_SENT)
  const add = (key: string, bytes: number): void => {
    const memory = keys.get(key) ?? { bytes: 0, queue: undefined }
    memory.bytes += bytes
    reserved += bytes
    if (memory.bytes > 0 || waiting.has(key)) keys.set(key, memory)
    else keys.delete(key)
  }
  const wait = async (key: string, bytes: number): Promise<void> => {
    waiting.add(key)
    add(key, 0)
    const memory = keys.get(key)!
    memory.queue ??= createWaitQueue({ limit: MAX_WAITING, waitMs, refusal: requested => refusalFor(key, requested) })
    try {
      await memory.queue.wait(bytes)
    } finally {
      admitWaiting()
    }
  }
  /** @returns false if the queue is empty or the answer does not fit */
  const admitFirst = (key: string): boolean => {
    const { queue } = keys.get(key)!
    const bytes = queue!.firstRequest()
    if (bytes !== undefined && !fits(key, bytes)) return false
    waiting.delete(key)
    if (bytes !== undefined) queue!.resolveFirst()
    if (queue!.length > 0) waiting.add(key)
    add(key, bytes ?? 0)
    return bytes !== undefined
  }
  const admitWaiting = (): void => {
    while ([...waiting].some(admitFirst));
  }
  return {
    reserve(key, requested) {
      let bytes = requested > smallBytes ? Math.min(requested, perKey) : 0
      const resize = (size: number): void => {
        const previousBytes = bytes
        bytes = size > smallBytes ? size : 0
        if (bytes !== previousBytes) add(key, bytes - previousBytes)
        if (bytes < previousBytes) admitWaiting()
      }
      const reservation = { resize, release: () => resize(0) }
      if (bytes === 0) return reservation
      if (waiting.has(key) || !fits(key, bytes)) return wait(key, bytes).then(() => reservation)
      add(key, bytes)
      return reservation
    },
  }
}

const UNREAD_ANSWERS: Words = {
  en: 'Unread responses of this account have reached its memory limit. Read them, or request fewer rows concurrently.',
  zh: '此帳戶尚有未讀取的回應，占用的記憶體已達上限。請先讀取，或減少同時查詢的列數。',
}
const ANSWERS_BEING_SENT: Words = {
  en: 'Responses in transit have reached the memory limit of the service. Try again after retry_after seconds, or request fewer rows.',
  zh: '傳送中的回應已達服務的記憶體上限。請於 retry_after 秒後再試，或減少列數。',
}
