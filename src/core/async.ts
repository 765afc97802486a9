/**
 * Returns a function that runs asynchronous work. Only one piece of work runs at a time, in the
 * order of the calls. The function returns the result of the work. If the work of one call fails,
 * only that call rejects.
 */
export function createSerial(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return work => {
    const run = last.then(work)
    last = run.catch(() => undefined)
    return run
  }
}

/**
 * Wraps `work` so that it never runs twice at the same time. A call during a run waits for that
 * run.
 */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
  const run = coalesceBy<undefined>(work)
  return () => run(undefined)
}

/**
 * Wraps `work` so that it never runs twice at the same time for one key. A call during a run with
 * the same key waits for that run.
 */
export function coalesceBy<T>(work: (key: T) => Promise<void>): (key: T) => Promise<void> {
  const running = new Map<T, Promise<void>>()
  return key => {
    const run = running.get(key) ?? work(key).finally(() => running.delete(key))
    running.set(key, run)
    return run
  }
}

/**
 * Wraps `work` so that it never runs twice at the same time. Calls during a run share the next run,
 * so each call gets a run that starts after the call.
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

/** The most recent attempt to build a result from a release. */
export interface BuildAttempt {
  /** Identifies the input of the build, for example the release. */
  readonly source: string
  /** Time of the attempt, in ms of the monotonic clock. */
  readonly startedAt: number
  readonly failed: boolean
}

/** Time after which a failed build is repeated with the same input. */
const RETRY_MS = 30_000

/** True if the input has changed, or if its build failed at least `RETRY_MS` ago. */
export const shouldRetry = (last: BuildAttempt | undefined, source: string, nowMs: number): boolean =>
  last?.source !== source || (last.failed && nowMs - last.startedAt >= RETRY_MS)

/** Caches the result of the first successful call. If `make` throws, the next call tries again. */
export function once<T>(make: () => T): () => T {
  let cached: { readonly value: T } | undefined
  return () => {
    cached ??= { value: make() }
    return cached.value
  }
}
