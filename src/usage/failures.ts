import type { Entry, Failure } from './batch.ts'

/** Failures are written this often: a flood of refusals is a few rows a second, not a commit each turn of the event loop. */
const EVERY_MS = 250

/**
 * Counts failures in memory and hands over their sums, one entry for each key, dataset and day. A killed process loses those of the last
 * quarter of a second.
 *
 * @param put takes a sum that is due
 */
export function createFailureCounts(put: (sum: Entry) => void) {
  const sums = new Map<string, { readonly failure: Failure; count: number }>()
  let timer: NodeJS.Timeout | undefined
  const putAll = (): void => {
    clearTimeout(timer)
    timer = undefined
    for (const sum of sums.values()) put(sum)
    sums.clear()
  }
  return {
    add(failure: Failure): void {
      const name = `${failure.keyId} ${failure.at.slice(0, 10)} ${failure.dataset}`
      const sum = sums.get(name)
      if (sum) sum.count++
      else sums.set(name, { failure, count: 1 })
      timer ??= setTimeout(putAll, EVERY_MS).unref()
    },
    /** Hands over what was counted so far, without waiting until it is due. */
    putAll,
  }
}
