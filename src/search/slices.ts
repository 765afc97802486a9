import { setTimeout as sleep, setImmediate as yieldToEventLoop } from 'node:timers/promises'

/**
 * Longest slice in milliseconds. A read waits for about three slices, because it needs about three
 * rounds of the event loop.
 */
const SLICE_MS = 0.5
/** If other work took longer than this between two slices, the service is busy. */
const BUSY_MS = 0.2
const PAUSE_MS = 3

/**
 * Lets the event loop run every 0.5 ms. While the service is busy, uses a seventh of its time.
 *
 * @throws the signal's reason after an abort
 */
export async function processInSlices<T>(items: Iterable<T>, signal: AbortSignal, work: (item: T) => void): Promise<void> {
  let since = performance.now()
  for (const item of items) {
    work(item)
    const endedAt = performance.now()
    if (endedAt - since < SLICE_MS) continue
    await yieldToEventLoop()
    if (performance.now() - endedAt > BUSY_MS) await sleep(PAUSE_MS)
    signal.throwIfAborted()
    since = performance.now()
  }
}
