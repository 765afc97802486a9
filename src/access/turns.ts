const PER_TURN = 32

/**
 * Shares the event loop fairly between accounts.
 *
 * @returns a function that queues a read. Undefined if the read may start immediately
 */
export function createTurns(): (accountId: string) => Promise<void> | undefined {
  let started = 0
  const waiting = new Map<string, (() => void)[]>()
  const startNext = (): void => {
    for (const [accountId, starts] of waiting) {
      if (started === PER_TURN) break
      started++
      starts.shift()!()
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
