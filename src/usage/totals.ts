import { LRUCache } from 'lru-cache'
import type { Database } from '../state/index.ts'

/** Totals kept in memory; those not asked for longest are dropped and read from the file again. */
const MAX_TOTALS = 100_000

/** What adds to a total: the period is the month of `day`. */
interface UsageCharge {
  readonly accountId: string
  /** `YYYY-MM-DD` in Taipei, or a time that begins with it. */
  readonly day: string
  readonly credits: number
}

/**
 * Credits used by account and period. Every read asks for them, so a total is read from the state file once and from then on kept up as
 * batches are committed. Correct only while no other process charges, which is why a single process may serve from a state file.
 *
 * @param most how many totals are kept in memory
 */
export function createUsageTotals(db: Database, most = MAX_TOTALS) {
  const stored = db.prepare<[string, string], { credits: number }>('SELECT credits FROM account_period WHERE account_id = ? AND period = ?')
  const committed = new LRUCache<string, number>({ max: most })
  const backlog = createCounter()
  let charged = new Set<string>()
  const read = (accountId: string, period: string, name: string): number => {
    const credits = stored.get(accountId, period)?.credits ?? 0
    committed.set(name, credits)
    return credits
  }
  return {
    /** @param period `YYYY-MM` @returns credits, those of the backlog included */
    of(accountId: string, period: string): number {
      const name = nameOf(accountId, period)
      return (committed.get(name) ?? read(accountId, period, name)) + backlog.of(name)
    },
    /** Adds what a committed batch came to. */
    addCommitted(charges: readonly UsageCharge[]): void {
      for (const charge of charges) {
        charged.add(charge.accountId)
        const name = nameOf(charge.accountId, charge.day.slice(0, 7))
        const before = committed.peek(name)
        if (before !== undefined) committed.set(name, before + charge.credits)
      }
    },
    /** Accounts whose reads were counted since the last call. */
    takeCharged(): ReadonlySet<string> {
      const taken = charged
      charged = new Set()
      return taken
    },
    /** Adds a use that waits in the backlog; below zero credits take it out again. */
    addBacklog: ({ accountId, day, credits }: UsageCharge): void => backlog.add(nameOf(accountId, day.slice(0, 7)), credits),
    /** Drops what was read from the file: a commit failed, and may or may not have reached it. */
    forget: (): void => committed.clear(),
  }
}

export type UsageTotals = ReturnType<typeof createUsageTotals>

const nameOf = (accountId: string, period: string): string => `${accountId} ${period}`

/** Sums by name. A name whose sum is zero takes no memory. */
export function createCounter() {
  const sums = new Map<string, number>()
  return {
    of: (name: string): number => sums.get(name) ?? 0,
    /** @param amount below zero takes away */
    add(name: string, amount: number): void {
      const sum = (sums.get(name) ?? 0) + amount
      if (sum === 0) sums.delete(name)
      else sums.set(name, sum)
    },
  }
}
