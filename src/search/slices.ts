import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

/** Duration of work before the event loop may run, in ms. */
const SLICE_MS = 2

/**
 * Calls `work` for each item. Every 2 ms, the event loop may run.
 *
 * @throws the signal's reason if the signal is aborted
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
