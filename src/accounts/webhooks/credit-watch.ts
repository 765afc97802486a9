import { PLANS } from '../../../catalog/index.ts'
import { nextMonth, taipei } from '../../core/index.ts'
import { effectivePlan, type PlanSources, planColumns } from '../plan.ts'
import type { Database } from '../state/db.ts'
import { createEventWriter } from './events.ts'

/** Writes the event of credits that run out, in the transaction that charges them. */
export interface CreditWatch {
  /** True for an account that has an endpoint for the event and was not told of the period yet. */
  watches(accountId: string, period: string): boolean
  /**
   * Looks at what an account has used in a period, and writes the event where a fifth is left, or less. To be called in the transaction
   * that charges.
   *
   * @param at of the charge, RFC 3339 in Taipei; its month is the period
   */
  look(accountId: string, at: string): void
}

/** Percent of a period's credits that are used when little is left. */
const LOW_PERCENT = 80

/** @param db the connection of the ledger */
export function createCreditWatch(db: Database): CreditWatch {
  const events = createEventWriter(db)
  const used = db.prepare<[string, string], number>('SELECT credits FROM account_period WHERE account_id = ? AND period = ?').pluck()
  const planOf = db.prepare<[string], PlanSources>(`SELECT ${planColumns('a.id')} FROM account a WHERE a.id = ?`)
  const mark = db.prepare('INSERT INTO webhook_credits_low (account_id, period) VALUES (?, ?) ON CONFLICT DO NOTHING')
  const read = (): Map<string, string | null> => new Map(events.wanting('credits.low').map(({ accountId }) => [accountId, null]))
  // Counts what others committed: other connections of this process, and the command line beside it.
  const version = db.prepare<[], number>('PRAGMA data_version').pluck()
  /** By account the period that was told and is committed. */
  let known: { readonly of: number; readonly accounts: Map<string, string | null> } | undefined
  const watched = (): Map<string, string | null> => {
    const of = version.get()!
    if (known?.of !== of) known = { of, accounts: read() }
    return known.accounts
  }
  return {
    watches(accountId, period) {
      const accounts = watched()
      return accounts.has(accountId) && accounts.get(accountId) !== period
    },
    look(accountId, at) {
      const [period, now] = [at.slice(0, 7), new Date(at)]
      const credits = used.get(accountId, period) ?? 0
      const { plan } = effectivePlan(planOf.get(accountId)!, at)
      const included = PLANS[plan].creditsPerMonth
      if (credits * 100 < included * LOW_PERCENT) return
      // Marked by a transaction before this one: only then is it certain to stay.
      if (mark.run(accountId, period).changes === 0) return void watched().set(accountId, period)
      const own = events.wanting('credits.low').filter(one => one.accountId === accountId)
      const data = { period, included, used: credits, remaining: Math.max(0, included - credits), resets_at: taipei(nextMonth(now)) }
      const order = { type: 'credits.low', at, data } as const
      events.write(
        order,
        own.map(({ endpointId }) => endpointId),
        now,
      )
    },
  }
}
