const PER_TURN = 32

/**
 * Shares the event loop fairly between accounts. A limited number of reads starts per turn of the
 * loop. Waiting reads start in rotation, one per account.
 *
 * @returns a function that queues a read. Undefined means that the read may start now
 */
export function createTurns(): (accountId: string) => Promise<void> | undefined {
  let started = 0
  /** Keyed by account. The next account is first. */
  const waiting = new Map<string, (() => void)[]>()
  const startNext = (): void => {
    for (const [accountId, starts] of waiting) {
      if (started === PER_TURN) break
      started++
      starts.shift()!()
      // Moves the account to the end of the order.
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
