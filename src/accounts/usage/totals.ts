import type { Database } from '../state/db.ts'
import type { Roll } from './batch.ts'
import type { Entry } from './entry.ts'
import { createCounter } from './tally.ts'

/** Accounts and periods whose sums are kept at once. */
const MOST_KNOWN = 100_000

/**
 * Credits used by account and period. Every read asks, so what the state file holds is read once and kept up from then on as batches are
 * committed: right as long as no other process charges, which is why only one may serve from a state file.
 */
export function openSpent(db: Database) {
  const stored = db.prepare<[string, string], { credits: number }>('SELECT credits FROM account_period WHERE account_id = ? AND period = ?')
  const committed = new Map<string, number>()
  const owed = createCounter()
  const read = (accountId: string, period: string, name: string): number => {
    const credits = stored.get(accountId, period)?.credits ?? 0
    if (committed.size >= MOST_KNOWN) committed.clear()
    committed.set(name, credits)
    return credits
  }
  return {
    /** @param period `YYYY-MM` @returns credits, owed ones included */
    of(accountId: string, period: string): number {
      const name = nameOf(accountId, period)
      return (committed.get(name) ?? read(accountId, period, name)) + owed.of(name)
    },
    /** What a batch came to is in the file. */
    commit(rolls: readonly Roll[]): void {
      for (const { accountId, day, credits } of rolls) {
        const name = nameOf(accountId, day.slice(0, 7))
        const before = committed.get(name)
        if (before !== undefined) committed.set(name, before + credits)
      }
    },
    /** A batch is kept in memory until there is room for it. */
    owe(batch: readonly Entry[]): void {
      for (const [name, credits] of sums(batch)) owed.add(name, credits)
    },
    /** Part of what was owed is in the file. */
    pay(batch: readonly Entry[]): void {
      for (const [name, credits] of sums(batch)) owed.add(name, -credits)
    },
    /** What the file holds is read again: a commit failed, and may or may not have reached it. */
    forget: (): void => committed.clear(),
  }
}

export type Spent = ReturnType<typeof openSpent>

const nameOf = (accountId: string, period: string): string => `${accountId} ${period}`

const sums = (batch: readonly Entry[]): readonly (readonly [name: string, credits: number])[] =>
  batch.flatMap(entry => ('use' in entry ? [[nameOf(entry.use.accountId, entry.use.at.slice(0, 7)), entry.use.credits] as const] : []))
