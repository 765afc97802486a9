import { LRUCache } from 'lru-cache'
import type { Database } from '../state/index.ts'

const MAX_TOTALS = 100_000

interface UsageCharge {
  readonly accountId: string
  /** Day in Taipei as `YYYY-MM-DD`. A time may follow. */
  readonly day: string
  readonly credits: number
}

/**
 * Caches used credits per account and month. Only one process may charge on a state file.
 *
 * @param maxTotals maximum number of cached totals
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
    /**
     * Includes waiting entries.
     * @param period month as `YYYY-MM`
     */
    get(accountId: string, period: string): number {
      const name = nameOf(accountId, period)
      return (committed.get(name) ?? read(accountId, period, name)) + backlog.get(name)
    },
    addCommitted(charges: readonly UsageCharge[]): void {
      for (const charge of charges) {
        charged.add(charge.accountId)
        const name = nameOf(charge.accountId, charge.day.slice(0, 7))
        const previous = committed.peek(name)
        if (previous !== undefined) committed.set(name, previous + charge.credits)
      }
    },
    takeCharged(): ReadonlySet<string> {
      const taken = charged
      charged = new Set()
      return taken
    },
    /** Negative numbers subtract credits. */
    addPending: ({ accountId, day, credits }: UsageCharge): void => backlog.add(nameOf(accountId, day.slice(0, 7)), credits),
    /** Call after a failed commit, because the totals may be wrong. */
    clear: (): void => committed.clear(),
  }
}

export type UsageTotals = ReturnType<typeof createUsageTotals>

const nameOf = (accountId: string, period: string): string => `${accountId} ${period}`

export function createCounter() {
  const sums = new Map<string, number>()
  return {
    get: (name: string): number => sums.get(name) ?? 0,
    add(name: string, amount: number): void {
      const sum = (sums.get(name) ?? 0) + amount
      if (sum === 0) sums.delete(name)
      else sums.set(name, sum)
    },
  }
}
