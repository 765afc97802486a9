/** Longest time that is counted at once. */
const SLICE_MS = 250

/**
 * Calls back once that many milliseconds have passed while the process ran. They are counted in slices, so time during which the process
 * stood still, suspended or busy, counts as one slice at most. Whose time would end with such a standstill gets one slice more: what was
 * waited for may be there already.
 *
 * @returns a function that cancels the call
 */
export function afterRunning(ms: number, then: () => void): () => void {
  let left = ms
  let spared = false
  let timer: NodeJS.Timeout
  const next = (): void => {
    const slice = Math.min(left, SLICE_MS)
    const due = performance.now() + slice
    const count = (): void => {
      left -= slice
      if (left <= 0 && !spared && performance.now() - due > SLICE_MS) {
        spared = true
        left = SLICE_MS
      }
      if (left > 0) next()
      else then()
    }
    timer = setTimeout(count, slice)
  }
  next()
  return () => clearTimeout(timer)
}

/** Callers that wait for something, served in order. */
export interface WaitQueue<T, A = void> {
  /** Waits until `next` hands a value over. @param asks what the caller asks for @throws what the queue refuses with when it is full or the wait too long */
  wait(asks: A): Promise<T>
  /** What the caller who waits longest asks for; undefined when nobody waits. */
  first(): A | undefined
  /** Hands a value to whoever waits longest. False when nobody waits. */
  next(value: T): boolean
  /** Refuses whoever came last, as if the queue had been full. */
  rejectLast(): void
  /** Refuses everybody who waits. */
  rejectAll(reason: Error): void
  readonly length: number
}

export interface WaitQueueOptions<A> {
  /** Most callers that wait at one time. */
  readonly limit: number
  /** Longest wait, in milliseconds the process runs. */
  readonly waitMs: number
  /** Made for each caller that is refused. */
  readonly refusal: (asks: A) => Error
}

interface Waiter<T, A> {
  readonly asks: A
  readonly resolve: (value: T) => void
  readonly reject: (reason: Error) => void
}

/** First in, first out, bounded in length and in time. */
export function createWaitQueue<T, A = void>({ limit, waitMs, refusal }: WaitQueueOptions<A>): WaitQueue<T, A> {
  const waiting: Waiter<T, A>[] = []
  return {
    wait(asks) {
      if (waiting.length >= limit) throw refusal(asks)
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      const waiter = { asks, resolve, reject }
      const cancel = afterRunning(waitMs, () => {
        waiting.splice(waiting.indexOf(waiter), 1)
        reject(refusal(asks))
      })
      waiting.push(waiter)
      return promise.finally(cancel)
    },
    first: () => waiting[0]?.asks,
    next(value) {
      const waiter = waiting.shift()
      waiter?.resolve(value)
      return waiter !== undefined
    },
    rejectLast() {
      const last = waiting.pop()
      last?.reject(refusal(last.asks))
    },
    rejectAll(reason) {
      for (const { reject } of waiting.splice(0)) reject(reason)
    },
    get length() {
      return waiting.length
    },
  }
}
