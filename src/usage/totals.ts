import { LRUCache } from 'lru-cache'
import type { Database } from '../state/index.ts'

/** Maximum number of totals in memory. The least recently used totals are evicted. */
const MAX_TOTALS = 100_000

/** An amount to add to a total, in the period that contains `day`. */
interface UsageCharge {
  readonly accountId: string
  /** `YYYY-MM-DD` in Taipei. A time may follow the day. */
  readonly day: string
  readonly credits: number
}

/**
 * Credits used, by account and period. A total is read from the state file once, then updated with
 * each commit. Another process that charges would make the totals wrong, so only one process may
 * serve from a state file.
 *
 * @param maxTotals maximum totals in memory
 */
export function createUsageTotals(db: Database, maxTotals = MAX_TOTALS) {
  const stored = db.prepare<[string, string], { credits: number }>('SELECT credits FROM account_period WHERE account_id = ? AND period = ?')
  const committed = new LRUCache<string, number>({ max: maxTotals })
  const backlog = createCounter()
  let charged = new Set<string>()
  const read = (accountId: string, period: string, name: string): number => {
    const credits = stored.get(accountId, period)?.credits ?? 0
    committed.set(name, credits)
    return credits
  }
  return {
    /** @param period `YYYY-MM` @returns credits, including those in the backlog */
    get(accountId: string, period: string): number {
      const name = nameOf(accountId, period)
      return (committed.get(name) ?? read(accountId, period, name)) + backlog.get(name)
    },
    /** Adds the amounts of a committed batch. */
    addCommitted(charges: readonly UsageCharge[]): void {
      for (const charge of charges) {
        charged.add(charge.accountId)
        const name = nameOf(charge.accountId, charge.day.slice(0, 7))
        const previous = committed.peek(name)
        if (previous !== undefined) committed.set(name, previous + charge.credits)
      }
    },
    /** Returns the accounts with counted reads since the last call. */
    takeCharged(): ReadonlySet<string> {
      const taken = charged
      charged = new Set()
      return taken
    },
    /** Adds the credits of a use to the backlog. A negative amount removes them. */
    addPending: ({ accountId, day, credits }: UsageCharge): void => backlog.add(nameOf(accountId, day.slice(0, 7)), credits),
    /**
     * Discards the cached totals. Called after a failed commit, which may have reached the file.
     */
    clear: (): void => committed.clear(),
  }
}

export type UsageTotals = ReturnType<typeof createUsageTotals>

const nameOf = (accountId: string, period: string): string => `${accountId} ${period}`

/** Sums by name. Sums of zero are not stored. */
export function createCounter() {
  const sums = new Map<string, number>()
  return {
    get: (name: string): number => sums.get(name) ?? 0,
    /** @param amount may be negative */
    add(name: string, amount: number): void {
      const sum = (sums.get(name) ?? 0) + amount
      if (sum === 0) sums.delete(name)
      else sums.set(name, sum)
    },
  }
}
