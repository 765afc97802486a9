import { createWaitQueue, Refusal, type WaitQueue } from '../core/index.ts'

/** Limits how many slots of each key are held at a time; further callers wait in order. */
export interface KeyedSemaphore {
  /**
   * Takes slots of a key, immediately if they are free, else in the order of the queue.
   *
   * @param atOnce slots of the key; the latest call counts for all of them
   * @param slots how many the caller takes, 1 when absent; all of the key's where it asks for more than there are
   * @returns a function that frees them; further calls of it do nothing
   * @throws Refusal concurrency_limited, as a rejection, if too many callers wait or the wait is too long
   */
  acquire(key: string, atOnce: number, slots?: number): (() => void) | Promise<() => void>
}

interface Slots {
  /** As the latest caller was allowed: a plan may have changed since. */
  atOnce: number
  held: number
  /** Made for the first caller that has to wait. */
  queue: WaitQueue<number, number> | undefined
}

/** @param limit callers of one key that may wait; a burst is served in turn rather than refused */
export function createKeyedSemaphore(limit = 64, waitMs = 10_000): KeyedSemaphore {
  const keys = new Map<string, Slots>()
  /** Slots for who asks for so many; 0 where they are not free. */
  const grant = (of: Slots, asked: number): number => {
    const slots = Math.min(asked, of.atOnce)
    if (of.held + slots > of.atOnce) return 0
    of.held += slots
    return slots
  }
  /** Admits who waits, in order, as far as there are slots. */
  const handOut = (of: Slots): void => {
    for (let asked = of.queue?.first(); asked !== undefined; asked = of.queue!.first()) {
      const given = grant(of, asked)
      if (given === 0) break
      of.queue!.next(given)
    }
  }
  const release = (key: string, of: Slots, slots: number): void => {
    of.held -= slots
    handOut(of)
    if (of.held === 0) keys.delete(key)
  }
  const wait = async (of: Slots, asked: number): Promise<number> => {
    of.queue ??= createWaitQueue({ limit, waitMs, refusal: () => limited(of.atOnce) })
    try {
      return await of.queue.wait(asked)
    } catch (error) {
      // Who waited behind it may ask for fewer.
      handOut(of)
      throw error
    }
  }
  const slotsOf = (key: string, atOnce: number): Slots => {
    const of = keys.get(key) ?? { atOnce, held: 0, queue: undefined }
    keys.set(key, of)
    of.atOnce = atOnce
    return of
  }
  /** Slots for who comes now; 0 where they are not free or others wait. */
  const free = (of: Slots, asked: number): number => ((of.queue?.length ?? 0) > 0 ? 0 : grant(of, asked))
  const once = (key: string, of: Slots, slots: number): (() => void) => {
    let held = true
    return () => {
      if (held) release(key, of, slots)
      held = false
    }
  }
  return {
    acquire(key, atOnce, asked = 1) {
      const of = slotsOf(key, atOnce)
      const slots = free(of, asked)
      return slots > 0 ? once(key, of, slots) : wait(of, asked).then(granted => once(key, of, granted))
    },
  }
}

const limited = (atOnce: number): Refusal => new Refusal('concurrency_limited', { retry_after: 1, allowed_at_once: atOnce })
