import { setTimeout as sleep, setImmediate as yieldToEventLoop } from 'node:timers/promises'

/** Longest slice in milliseconds. */
const SLICE_MS = 2
/**
 * Longest slice of work that yields. A read waits for about three slices, because it needs about
 * three rounds of the event loop.
 */
const YIELDING_SLICE_MS = 0.5
/** If other work took longer than this between two slices, the service is busy. */
const BUSY_MS = 0.2
const PAUSE_MS = 3

export interface Pace {
  /** Ends the work. */
  readonly signal?: AbortSignal
  /** True for work that no caller waits for. It uses a seventh of the time of a busy service. */
  readonly yields: boolean
}

/** For work that a caller waits for. */
export const PROMPT: Pace = { yields: false }

/**
 * Divides work into slices, so that the event loop runs in between. Call the returned function
 * after each short step. It returns a promise at the end of a slice.
 *
 * @throws the signal's reason after an abort, when the promise is awaited
 */
export function createSlices({ signal, yields }: Pace): () => Promise<void> | undefined {
  const sliceMs = yields ? YIELDING_SLICE_MS : SLICE_MS
  let since = performance.now()
  const pause = async (): Promise<void> => {
    const endedAt = performance.now()
    await yieldToEventLoop()
    if (yields && performance.now() - endedAt > BUSY_MS) await sleep(PAUSE_MS)
    signal?.throwIfAborted()
    since = performance.now()
  }
  return () => (performance.now() - since < sliceMs ? undefined : pause())
}

/** @throws the signal's reason after an abort */
export async function processInSlices<T>(items: Iterable<T>, pace: Pace, work: (item: T) => void): Promise<void> {
  const endOfStep = createSlices(pace)
  for (const item of items) {
    work(item)
    // Awaiting `undefined` would cost a microtask per item.
    const pause = endOfStep()
    if (pause) await pause
  }
}
