/**
 * Runs asynchronous work one at a time, in order of the calls.
 *
 * @returns a function that queues work and returns its result; a rejection affects only its own
 * caller
 */
export function createSerial(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return work => {
    const run = last.then(work)
    last = run.catch(() => undefined)
    return run
  }
}

/** Shares the run in progress between concurrent calls. */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
  const run = coalesceBy<undefined>(work)
  return () => run(undefined)
}

/** Shares the run in progress between concurrent calls with the same key. */
export function coalesceBy<T>(work: (key: T) => Promise<void>): (key: T) => Promise<void> {
  const running = new Map<T, Promise<void>>()
  return key => {
    const run = running.get(key) ?? work(key).finally(() => running.delete(key))
    running.set(key, run)
    return run
  }
}

/**
 * Shares the next run between calls during a run, so that each call gets a run that starts after
 * it. Runs never overlap.
 */
export function coalesceNext(work: () => Promise<void>): () => Promise<void> {
  const serialize = createSerial()
  let next: Promise<void> | undefined
  return () =>
    (next ??= serialize(() => {
      next = undefined
      return work()
    }))
}

/** Last attempt to build something from a release. */
export interface BuildAttempt {
  /** Identifies the input. */
  readonly source: string
  /** Milliseconds of the monotonic clock. */
  readonly startedAt: number
  readonly failed: boolean
}

/** Delay before a failed build is retried with the same input. */
const RETRY_MS = 30_000

/** False if the input was built already or failed recently. */
export const shouldRetry = (last: BuildAttempt | undefined, source: string, nowMs: number): boolean =>
  last?.source !== source || (last.failed && nowMs - last.startedAt >= RETRY_MS)

/** Caches the value of the first successful call. If `make` throws, the next call tries again. */
export function once<T>(make: () => T): () => T {
  let cached: { readonly value: T } | undefined
  return () => {
    cached ??= { value: make() }
    return cached.value
  }
}
