import { setImmediate as turn } from 'node:timers/promises'

/** Milliseconds of work before the event loop gets its turn. */
const SLICE_MS = 2

/** Works through items in slices, letting requests be answered in between. @throws the signal's reason once it is aborted */
export async function inTurns<T>(items: Iterable<T>, signal: AbortSignal, work: (item: T) => void): Promise<void> {
  let since = performance.now()
  for (const item of items) {
    work(item)
    if (performance.now() - since < SLICE_MS) continue
    await turn()
    signal.throwIfAborted()
    since = performance.now()
  }
}
