const SLICE_MS = 250

/**
 * Calls back after the process has run for `ms` milliseconds. Time in which the process is
 * suspended or blocked counts very little.
 * @returns a function that cancels the call
 */
export function afterRunning(ms: number, callback: () => void): () => void {
  let remaining = ms
  let extended = false
  let timer: NodeJS.Timeout
  const startSlice = (): void => {
    const slice = Math.min(remaining, SLICE_MS)
    const due = performance.now() + slice
    const endSlice = (): void => {
      remaining -= slice
      if (remaining <= 0 && !extended && performance.now() - due > SLICE_MS) {
        extended = true
        remaining = SLICE_MS
      }
      if (remaining > 0) startSlice()
      else callback()
    }
    timer = setTimeout(endSlice, slice)
  }
  startSlice()
  return () => clearTimeout(timer)
}

/** First-in, first-out queue with a maximum length and a maximum waiting time. */
export interface WaitQueue<T, A = void> {
  /**
   * @param request what the caller needs
   * @throws the refusal of the queue if the queue is full or the wait too long
   */
  wait(request: A): Promise<T>
  firstRequest(): A | undefined
  /** @returns false if the queue is empty */
  resolveFirst(value: T): boolean
  /** Rejects the last caller with the error of a full queue. */
  rejectLast(): void
  rejectAll(reason: Error): void
  readonly length: number
}

export interface WaitQueueOptions<A> {
  readonly limit: number
  /** Maximum waiting time in ms. Excludes time in which the process is suspended. */
  readonly waitMs: number
  readonly refusal: (request: A) => Error
}

interface Waiter<T, A> {
  readonly request: A
  readonly resolve: (value: T) => void
  readonly reject: (reason: Error) => void
}

export function createWaitQueue<T, A = void>({ limit, waitMs, refusal }: WaitQueueOptions<A>): WaitQueue<T, A> {
  const waiting: Waiter<T, A>[] = []
  return {
    wait(request) {
      if (waiting.length >= limit) throw refusal(request)
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      const waiter = { request, resolve, reject }
      const cancel = afterRunning(waitMs, () => {
        waiting.splice(waiting.indexOf(waiter), 1)
        reject(refusal(request))
      })
      waiting.push(waiter)
      return promise.finally(cancel)
    },
    firstRequest: () => waiting[0]?.request,
    resolveFirst(value) {
      const waiter = waiting.shift()
      waiter?.resolve(value)
      return waiter !== undefined
    },
    rejectLast() {
      const waiter = waiting.pop()
      waiter?.reject(refusal(waiter.request))
    },
    rejectAll(reason) {
      for (const { reject } of waiting.splice(0)) reject(reason)
    },
    get length() {
      return waiting.length
    },
  }
}
