/** Maximum reads that start in one turn of the event loop; further reads wait. */
const PER_TURN = 32

/**
 * Limits the reads that start in one turn of the event loop. Further reads wait, and the next turns
 * start them round-robin by account. So an account that sends one request after the other is
 * answered after a few milliseconds, even if hundreds of connections of other accounts send without
 * a pause.
 *
 * @returns a function that queues a read of an account and resolves when the read may start;
 * undefined if it may start immediately
 */
export function createTurns(): (accountId: string) => Promise<void> | undefined {
  let started = 0
  /** Reads that wait, by account. The account whose turn is next is first. */
  const waiting = new Map<string, (() => void)[]>()
  const startNext = (): void => {
    for (const [accountId, starts] of waiting) {
      if (started === PER_TURN) break
      started++
      starts.shift()!()
      // Deleted and added again, so that the iteration visits the account after all others.
      waiting.delete(accountId)
      if (starts.length > 0) waiting.set(accountId, starts)
    }
  }
  const turn = (): void => {
    started = 0
    startNext()
    if (started > 0) setImmediate(turn)
  }
  return accountId => {
    if (started === 0) setImmediate(turn)
    if (started < PER_TURN) {
      started++
      return
    }
    return new Promise(resolve => {
      const starts = waiting.get(accountId)
      if (starts) starts.push(resolve)
      else waiting.set(accountId, [resolve])
    })
  }
}
