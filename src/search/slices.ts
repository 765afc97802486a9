import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

/** Milliseconds of work before yielding to the event loop. */
const SLICE_MS = 2

/**
 * Processes items in slices of 2 ms, and yields to the event loop in between.
 *
 * @throws the signal's reason if it is aborted
 */
export async function processInSlices<T>(items: Iterable<T>, signal: AbortSignal, work: (item: T) => void): Promise<void> {
  let since = performance.now()
  for (const item of items) {
    work(item)
    if (performance.now() - since < SLICE_MS) continue
    await yieldToEventLoop()
    signal.throwIfAborted()
    since = performance.now()
  }
}
