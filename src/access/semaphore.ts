import { createWaitQueue, Refusal, type WaitQueue } from '../core/index.ts'

/** Limits concurrent slots per key. Callers wait in order of arrival. */
export interface KeyedSemaphore {
  /**
   * Waits until slots of a key are free.
   *
   * @param permits maximum number of slots of the key. The latest value applies to all callers
   * @param slots number of slots. Default: 1
   * @returns a function that frees the slots. Safe to call twice
   * @throws Refusal concurrency_limited if the queue is full or the wait is too long
   */
  acquire(key: string, permits: number, slots?: number): (() => void) | Promise<() => void>
}

interface KeySlots {
  permits: number
  used: number
  queue: WaitQueue<number, number> | undefined
}

export function createKeyedSemaphore(limit = 64, waitMs = 10_000): KeyedSemaphore {
  const keys = new Map<string, KeySlots>()
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
