/**
 * Runs functions one after another, in the order of the calls. After an error, the next function
 * runs.
 */
export function createSerial(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return work => {
    const run = last.then(work)
    last = run.catch(() => undefined)
    return run
  }
}

/** Prevents concurrent runs. A call during a run waits for that run. */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
  const run = coalesceBy<undefined>(work)
  return () => run(undefined)
}

/** Prevents concurrent runs for the same key. A call during a run waits for that run. */
export function coalesceBy<T>(work: (key: T) => Promise<void>): (key: T) => Promise<void> {
  const running = new Map<T, Promise<void>>()
  return key => {
    const run = running.get(key) ?? work(key).finally(() => running.delete(key))
    running.set(key, run)
    return run
  }
}

/** Prevents concurrent runs. All calls during a run share the next run. */
export function coalesceNext(work: () => Promise<void>): () => Promise<void> {
  const serialize = createSerial()
  let next: Promise<void> | undefined
  return () =>
    (next ??= serialize(() => {
      next = undefined
      return work()
    }))
}

export interface BuildAttempt {
  /** Identifies the input, for example the release. */
  readonly source: string
  /** Milliseconds of the monotonic clock. */
  readonly startedAt: number
  readonly failed: boolean
}

/** A failed build is repeated after this time. */
const RETRY_MS = 30_000

/** True if the input changed, or if the build failed at least `RETRY_MS` ago. */
export const shouldRetry = (last: BuildAttempt | undefined, source: string, nowMs: number): boolean =>
  last?.source !== source || (last.failed && nowMs - last.startedAt >= RETRY_MS)

/** Caches the first result. Errors are not cached. */
export function once<T>(make: () => T): () => T {
  let cached: { readonly value: T } | undefined
  return () => {
    cached ??= { value: make() }
    return cached.value
  }
}
