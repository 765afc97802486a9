import { nextMonth, taipei } from '../core/index.ts'
import type { Database } from '../state/index.ts'
import { effectivePlan, limitsOn, type PlanSources, planColumns } from '../state/index.ts'
import { createEventWriter } from './events.ts'

/** Writes `credits.low` in the transaction that charges the credits. */
export interface CreditWatch {
  watches(accountId: string): boolean
  /**
   * Writes the event if at most 20 % of the month's credits remain, once per month. Call in the
   * transaction that charges. An account without an endpoint for the event is not marked as
   * notified.
   *
   * @param at the time of the charge, RFC 3339 in Taipei
   */
  check(accountId: string, at: string): void
}

const LOW_PERCENT = 80

export function createCreditWatch(db: Database): CreditWatch {
  const events = createEventWriter(db)
  const used = db.prepare<[string, string], number>('SELECT credits FROM account_period WHERE account_id = ? AND period = ?').pluck()
  const given = db
    .prepare<[string, string, string], number>(
      'SELECT coalesce(sum(credits), 0) FROM credit_entry WHERE account_id = ? AND at >= ? AND at < ?',
    )
    .pluck()
  const planOf = db.prepare<[string], PlanSources>(`SELECT ${planColumns('a.id')} FROM account a WHERE a.id = ?`)
  const mark = db.prepare(
    `INSERT INTO webhook_credits_low (account_id, period, included) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET included = excluded.included`,
  )
  const wasNotified = db
    .prepare<[string, string, number], number>(
      'SELECT 1 FROM webhook_credits_low WHERE account_id = ? AND period = ? AND (included IS NULL OR included >= ?)',
    )
    .pluck()
  const readAccounts = (): ReadonlySet<string> => new Set(events.subscribedAccounts('credits.low'))
  // `data_version` changes after a commit of another connection.
  const dataVersion = db.prepare<[], number>('PRAGMA data_version').pluck()
  let cache: { readonly version: number; readonly accounts: ReadonlySet<string> } | undefined
  const watchedAccounts = (): ReadonlySet<string> => {
    const version = dataVersion.get()!
    if (cache?.version !== version) cache = { version, accounts: readAccounts() }
    return cache.accounts
  }
  return {
    watches: accountId => watchedAccounts().has(accountId),
    check(accountId, at) {
      const period = at.slice(0, 7)
      const now = new Date(at)
      const credits = used.get(accountId, period) ?? 0
      const sources = planOf.get(accountId)!
      const own = limitsOn(effectivePlan(sources, at).plan, sources).creditsPerMonth
      // `~` sorts after all times of a month.
      const included = own + given.get(accountId, period, `${period}~`)!
      if (credits * 100 < included * LOW_PERCENT) return
      if (wasNotified.get(accountId, period, included) !== undefined) return
      const subscribers = events.subscribers('credits.low', at).filter(one => one.accountId === accountId)
      if (subscribers.length === 0) return
      mark.run(accountId, period, included)
      const data = { period, included, used: credits, remaining: Math.max(0, included - credits), resets_at: taipei(nextMonth(now)) }
      const event = { type: 'credits.low', at, data } as const
      events.write(
        event,
        subscribers.map(({ endpointId }) => endpointId),
        now,
      )
    },
  }
}
