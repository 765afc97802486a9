/** Maximum number of reads that start in one turn of the event loop. Further reads wait. */
const PER_TURN = 32

/**
 * Shares the event loop fairly between accounts. Only a limited number of reads start in one turn
 * of the loop. Further reads wait, and the next turns start them, one read per account in rotation.
 * So an account that sends one request after the other waits only a few ms, even if hundreds of
 * connections of other accounts send without a pause.
 *
 * @returns a function that queues a read of an account. Its promise resolves when the read may
 * start. It returns undefined if the read may start immediately
 */
export function createTurns(): (accountId: string) => Promise<void> | undefined {
  let started = 0
  /** Waiting reads, keyed by account. The account that is served next is first. */
  const waiting = new Map<string, (() => void)[]>()
  const startNext = (): void => {
    for (const [accountId, starts] of waiting) {
      if (started === PER_TURN) break
      started++
      starts.shift()!()
      // Deleting and adding moves the account to the end of the order.
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
