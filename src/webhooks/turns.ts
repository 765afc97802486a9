import type { DeliveryStore, DueDelivery, DueEndpoint } from './deliveries.ts'

/** Endpoints of one account that are sent to at a time: one whose receivers are slow leaves places to the others. */
const MOST_PER_ACCOUNT = 4

/** Endpoints that are sent to now, or left alone for a while. */
export interface InUse {
  /** Accounts by endpoint. */
  readonly running: ReadonlyMap<string, string>
  readonly leftAlone: ReadonlySet<string>
}

/**
 * Decides whose message is sent next: endpoints stand in a line, have one turn each, and go to its end where they have more to be sent; an
 * account stays within its share, and keeps its places in the line meanwhile. Those that are looked up together stand in the order in which
 * they began to wait.
 */
export function createTurns(deliveries: Pick<DeliveryStore, 'dueEndpoints' | 'next'>) {
  const line: DueEndpoint[] = []
  return {
    /** @returns undefined where nothing is due that may be sent now */
    next(now: Date, { running, leftAlone }: InUse): DueDelivery | undefined {
      const accounts = accountsAtShare([...running.values()])
      const mayBe = ({ endpointId, accountId }: DueEndpoint): boolean =>
        !running.has(endpointId) && !leftAlone.has(endpointId) && !accounts.includes(accountId)
      const fromLine = (): DueDelivery | undefined => {
        for (let place = line.findIndex(mayBe); place >= 0; place = line.findIndex(mayBe)) {
          const [{ endpointId }] = line.splice(place, 1) as [DueEndpoint]
          const message = deliveries.next(endpointId, now)
          if (message) return message
        }
        return undefined
      }
      const found = fromLine()
      if (found) return found
      const standing = new Set(line.map(({ endpointId }) => endpointId))
      const due = deliveries.dueEndpoints(now, { endpoints: [...running.keys(), ...leftAlone], accounts })
      line.push(...due.filter(({ endpointId }) => !standing.has(endpointId)))
      return fromLine()
    },
  }
}

function accountsAtShare(accounts: readonly string[]): readonly string[] {
  const running = (account: string): number => accounts.filter(other => other === account).length
  return [...new Set(accounts)].filter(account => running(account) >= MOST_PER_ACCOUNT)
}
