import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

const SLICE_MS = 2

/**
 * Lets the event loop run every 2 ms.
 * @throws the signal's reason after an abort
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
