import { createWaitQueue, Refusal, type WaitQueue } from '../core/index.ts'

/** Limits how many holders each key has at a time; further callers wait in order. */
export interface KeyedSemaphore {
  /**
   * Waits for a slot of a key.
   *
   * @param atOnce most holders of the key; the latest call counts for all of them
   * @returns a function that frees the slot; further calls of it do nothing
   * @throws Refusal concurrency_limited when too many wait or the wait is too long
   */
  acquire(key: string, atOnce: number): Promise<() => void>
}

interface Slots {
  /** As the latest caller was allowed: a plan may have changed since. */
  atOnce: number
  held: number
  /** Made for the first caller that has to wait. */
  queue: WaitQueue<void> | undefined
}

/** @param limit callers of one key that may wait; a burst is served in turn rather than refused */
export function createKeyedSemaphore(limit = 64, waitMs = 10_000): KeyedSemaphore {
  const keys = new Map<string, Slots>()
  const release = (key: string, slots: Slots): void => {
    if (slots.held <= slots.atOnce && slots.queue?.next()) return
    if (--slots.held === 0) keys.delete(key)
  }
  return {
    async acquire(key, atOnce) {
      const slots = keys.get(key) ?? { atOnce, held: 0, queue: undefined }
      keys.set(key, slots)
      slots.atOnce = atOnce
      if (slots.held < atOnce) slots.held++
      else {
        slots.queue ??= createWaitQueue({ limit, waitMs, refusal: () => limited(slots.atOnce) })
        await slots.queue.wait()
      }
      let held = true
      return () => {
        if (held) release(key, slots)
        held = false
      }
    },
  }
}

const limited = (atOnce: number): Refusal => new Refusal('concurrency_limited', { retry_after: 1, allowed_at_once: atOnce })
