import type { DeliveryStore, DueDelivery, DueEndpoint } from './deliveries.ts'

/** Endpoints of one account that are sent to at a time: one whose receivers are slow leaves places to the others. */
const MOST_PER_ACCOUNT = 4
/** Endpoints that are looked up at a time, so that not every message costs a look at all that wait. */
const MOST_IN_LINE = 64

/** Endpoints that are sent to now, or left alone for a while. */
export interface InUse {
  /** Accounts by endpoint. */
  readonly running: ReadonlyMap<string, string>
  readonly leftAlone: ReadonlySet<string>
}

/** Decides whose message is sent next: endpoints in the order in which they began to wait, a message at a time each, an account within its share. */
export function createTurns(deliveries: Pick<DeliveryStore, 'dueEndpoints' | 'next'>) {
  let line: readonly DueEndpoint[] = []
  return {
    /** @returns undefined where nothing is due that may be sent now */
    next(now: Date, { running, leftAlone }: InUse): DueDelivery | undefined {
      const accounts = accountsAtShare([...running.values()])
      const mayBe = ({ endpointId, accountId }: DueEndpoint): boolean =>
        !running.has(endpointId) && !leftAlone.has(endpointId) && !accounts.includes(accountId)
      const fromLine = (): DueDelivery | undefined => {
        while (line.length > 0) {
          const [first, ...others] = line as readonly [DueEndpoint, ...DueEndpoint[]]
          line = others
          const message = mayBe(first) ? deliveries.next(first.endpointId, now) : undefined
          if (message) return message
        }
        return undefined
      }
      const found = fromLine()
      if (found) return found
      line = deliveries.dueEndpoints(now, { endpoints: [...running.keys(), ...leftAlone], accounts }, MOST_IN_LINE)
      return fromLine()
    },
  }
}

function accountsAtShare(accounts: readonly string[]): readonly string[] {
  const running = (account: string): number => accounts.filter(other => other === account).length
  return [...new Set(accounts)].filter(account => running(account) >= MOST_PER_ACCOUNT)
}
