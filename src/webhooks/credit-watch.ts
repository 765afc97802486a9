import { PLANS } from '../../catalog/index.ts'
import { nextMonth, taipei } from '../core/index.ts'
import type { Database } from '../state/index.ts'
import { effectivePlan, type PlanSources, planColumns } from '../state/index.ts'
import { createEventWriter } from './events.ts'

/** Writes the event of credits that run out, in the transaction that charges them. */
export interface CreditWatch {
  /** True for an account that has an endpoint for the event. */
  watches(accountId: string): boolean
  /**
   * Looks at what an account has used in a period, and writes the event where a fifth is left, or less, of the credits of its plan, once in
   * a period and again where a higher plan has more; while none of its endpoints may be told, it is not told. To be called in the
   * transaction that charges.
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
  const mark = db.prepare(
    `INSERT INTO webhook_credits_low (account_id, period, included) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET included = excluded.included`,
  )
  const toldOf = db
    .prepare<[string, string, number], number>(
      'SELECT 1 FROM webhook_credits_low WHERE account_id = ? AND period = ? AND (included IS NULL OR included >= ?)',
    )
    .pluck()
  const read = (): ReadonlySet<string> => new Set(events.accountsWanting('credits.low'))
  // Counts what others committed: other connections of this process, and the command line beside it.
  const version = db.prepare<[], number>('PRAGMA data_version').pluck()
  let known: { readonly of: number; readonly accounts: ReadonlySet<string> } | undefined
  const watched = (): ReadonlySet<string> => {
    const of = version.get()!
    if (known?.of !== of) known = { of, accounts: read() }
    return known.accounts
  }
  return {
    watches: accountId => watched().has(accountId),
    look(accountId, at) {
      const [period, now] = [at.slice(0, 7), new Date(at)]
      const credits = used.get(accountId, period) ?? 0
      const { plan } = effectivePlan(planOf.get(accountId)!, at)
      const included = PLANS[plan].creditsPerMonth
      if (credits * 100 < included * LOW_PERCENT) return
      if (toldOf.get(accountId, period, included) !== undefined) return
      const own = events.wanting('credits.low', at).filter(one => one.accountId === accountId)
      if (own.length === 0) return
      mark.run(accountId, period, included)
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
