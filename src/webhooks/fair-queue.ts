import type { DeliveryStore, DueDelivery, DueEndpoint } from './deliveries.ts'

/** Maximum number of endpoints per account that receive messages at the same time. */
const MAX_PER_ACCOUNT = 4

export interface BusyEndpoints {
  readonly running: ReadonlyMap<string, string>
  readonly suspended: ReadonlySet<string>
}

/** Serves endpoints in rotation, one message at a time. */
export function createFairQueue(deliveries: Pick<DeliveryStore, 'dueEndpoints' | 'next'>) {
  const queue: DueEndpoint[] = []
  return {
    /** Undefined if no message may be sent now. */
    next(now: Date, { running, suspended }: BusyEndpoints): DueDelivery | undefined {
      const accounts = accountsAtLimit([...running.values()])
      const isEligible = ({ endpointId, accountId }: DueEndpoint): boolean =>
        !running.has(endpointId) && !suspended.has(endpointId) && !accounts.includes(accountId)
      const takeFromQueue = (): DueDelivery | undefined => {
        for (let index = queue.findIndex(isEligible); index >= 0; index = queue.findIndex(isEligible)) {
          const [{ endpointId }] = queue.splice(index, 1) as [DueEndpoint]
          const message = deliveries.next(endpointId, now)
          if (message) return message
        }
        return undefined
      }
      const queued = takeFromQueue()
      if (queued) return queued
      const queuedIds = new Set(queue.map(({ endpointId }) => endpointId))
      const due = deliveries.dueEndpoints(now, { endpoints: [...running.keys(), ...suspended], accounts })
      queue.push(...due.filter(({ endpointId }) => !queuedIds.has(endpointId)))
      return takeFromQueue()
    },
  }
}

function accountsAtLimit(accounts: readonly string[]): readonly string[] {
  const countRunning = (account: string): number => accounts.filter(other => other === account).length
  return [...new Set(accounts)].filter(account => countRunning(account) >= MAX_PER_ACCOUNT)
}
