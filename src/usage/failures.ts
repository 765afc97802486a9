import type { Entry, Failure } from './batch.ts'

/** Limits the number of rows that a flood of failures writes. */
const INTERVAL_MS = 250

/**
 * Counts failures in memory. A killed process loses the counts of up to 250 ms.
 *
 * @param emit called with each sum
 */
export function createFailureCounts(emit: (sum: Entry) => void) {
  const sums = new Map<string, { readonly failure: Failure; count: number }>()
  let timer: NodeJS.Timeout | undefined
  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    for (const sum of sums.values()) emit(sum)
    sums.clear()
  }
  return {
    add(failure: Failure): void {
      const name = `${failure.keyId} ${failure.at.slice(0, 10)} ${failure.dataset}`
      const sum = sums.get(name)
      if (sum) sum.count++
      else sums.set(name, { failure, count: 1 })
      timer ??= setTimeout(flush, INTERVAL_MS).unref()
    },
    flush,
  }
}
