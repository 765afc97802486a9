/**
 * Runs one piece of work after another: each starts when the one before it has ended, whether that succeeded or not.
 *
 * @returns what queues work and answers what it answers; a rejection reaches its own caller only
 */
export function createSerial(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return work => {
    const run = last.then(work)
    last = run.catch(() => undefined)
    return run
  }
}

/** The same work, but a call while it runs starts nothing: it gets the run in progress. */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
  const run = coalesceBy<undefined>(work)
  return () => run(undefined)
}

/** The same for work on something: a call for what is being worked on gets the run in progress. */
export function coalesceBy<T>(work: (on: T) => Promise<void>): (on: T) => Promise<void> {
  const running = new Map<T, Promise<void>>()
  return on => {
    const run = running.get(on) ?? work(on).finally(() => running.delete(on))
    running.set(on, run)
    return run
  }
}

/**
 * The same work again for calls that come while it runs, once for all of them: each call gets a run that begins after it. Runs never
 * overlap.
 */
export function coalesceNext(work: () => Promise<void>): () => Promise<void> {
  const inSerial = createSerial()
  let next: Promise<void> | undefined
  return () =>
    (next ??= inSerial(() => {
      next = undefined
      return work()
    }))
}

/** The last time something was made of a release. */
export interface Attempt {
  /** What it was made of. */
  readonly of: string
  /** Milliseconds of the process's monotonic clock. */
  readonly at: number
  readonly failed: boolean
}

/** How long what could not be made is left alone while nothing else is published. */
const RETRY_MS = 30_000

/** False when it was made, or failed only a moment ago. */
export const shouldRetry = (last: Attempt | undefined, of: string, at: number): boolean =>
  last?.of !== of || (last.failed && at - last.at >= RETRY_MS)

/** Caches the value of the first successful call. If `make` throws, the next call tries again. */
export function once<T>(make: () => T): () => T {
  let cached: { readonly value: T } | undefined
  return () => {
    cached ??= { value: make() }
    return cached.value
  }
}
