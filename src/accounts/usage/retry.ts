const RETRY_MS = 1_000

/**
 * The while after a fault in which nothing is tried: a try that waits for another process holds every read up, so there is one a
 * second, not one a turn.
 *
 * @param tryAgain called when the while is over
 * @param alert told of every fault
 */
export function openRetry(tryAgain: () => void, alert: (error: unknown, owed: number) => void) {
  let waiting: { readonly timer: NodeJS.Timeout; readonly error: unknown } | undefined
  const now = (): void => {
    clearTimeout(waiting?.timer)
    waiting = undefined
    tryAgain()
  }
  return {
    /** The fault that is waited out, or undefined when nothing keeps from trying. */
    waiting: (): { readonly error: unknown } | undefined => waiting,
    /** A try failed. @param owed how much another one would be for; none is made for nothing */
    later(error: unknown, owed: number): void {
      alert(error, owed)
      if (owed > 0) waiting = { error, timer: setTimeout(now, RETRY_MS).unref() }
    },
    /** Tries at once, whatever is waited out. */
    now,
    /** Nothing is tried by itself any more. */
    stop: (): void => clearTimeout(waiting?.timer),
  }
}
