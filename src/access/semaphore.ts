import { createWaitQueue, Refusal, type WaitQueue } from '../core/index.ts'

/**
 * Limits the concurrent slots of each key. Callers without a free slot wait in order of arrival.
 */
export interface KeyedSemaphore {
  /**
   * Takes slots of a key. Waits if they are not free.
   *
   * @param permits maximum number of slots of the key. The value of the latest call applies to all
   * callers
   * @param slots number of slots to take, at most `permits`. Default: 1
   * @returns an idempotent function that frees the slots
   * @throws Refusal concurrency_limited, as a rejection, if the queue is full or the wait too long
   */
  acquire(key: string, permits: number, slots?: number): (() => void) | Promise<() => void>
}

interface KeySlots {
  /**
   * Maximum number of slots of the key. Each call sets it, because the account's plan can change.
   */
  permits: number
  used: number
  queue: WaitQueue<number, number> | undefined
}

/** @param limit maximum number of waiting callers per key. Further callers are refused */
export function createKeyedSemaphore(limit = 64, waitMs = 10_000): KeyedSemaphore {
  const keys = new Map<string, KeySlots>()
  /** Takes up to `requested` slots. @returns their number, or 0 if too few are free */
  const tryGrant = (key: KeySlots, requested: number): number => {
    const slots = Math.min(requested, key.permits)
    if (key.used + slots > key.permits) return 0
    key.used += slots
    return slots
  }
  const grantWaiting = (key: KeySlots): void => {
    for (let requested = key.queue?.firstRequest(); requested !== undefined; requested = key.queue!.firstRequest()) {
      const granted = tryGrant(key, requested)
      if (granted === 0) break
      key.queue!.resolveFirst(granted)
    }
  }
  const release = (name: string, key: KeySlots, slots: number): void => {
    key.used -= slots
    grantWaiting(key)
    if (key.used === 0) keys.delete(name)
  }
  const wait = async (key: KeySlots, requested: number): Promise<number> => {
    key.queue ??= createWaitQueue({ limit, waitMs, refusal: () => limited(key.permits) })
    try {
      return await key.queue.wait(requested)
    } catch (error) {
      // The next caller may need fewer slots, and these may be free.
      grantWaiting(key)
      throw error
    }
  }
  const slotsOf = (name: string, permits: number): KeySlots => {
    const key = keys.get(name) ?? { permits, used: 0, queue: undefined }
    keys.set(name, key)
    key.permits = permits
    return key
  }
  const grantUnlessQueued = (key: KeySlots, requested: number): number => ((key.queue?.length ?? 0) > 0 ? 0 : tryGrant(key, requested))
  const releaseOnce = (name: string, key: KeySlots, slots: number): (() => void) => {
    let active = true
    return () => {
      if (active) release(name, key, slots)
      active = false
    }
  }
  return {
    acquire(name, permits, requested = 1) {
      const key = slotsOf(name, permits)
      const slots = grantUnlessQueued(key, requested)
      return slots > 0 ? releaseOnce(name, key, slots) : wait(key, requested).then(granted => releaseOnce(name, key, granted))
    },
  }
}

const limited = (permits: number): Refusal => new Refusal('concurrency_limited', { retry_after: 1, allowed_at_once: permits })
