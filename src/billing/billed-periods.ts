import type { PlanId } from '../../catalog/index.ts'
import { taipei } from '../core/index.ts'
import type { Database } from '../state/index.ts'
import type { ProviderSubscription } from './provider-data.ts'

/**
 * Time range of a subscription. `startsAt` and `endsAt` are the billing period. Times are RFC 3339
 * in Taipei.
 */
export interface BilledPeriod {
  readonly fromAt: string
  readonly untilAt: string
  readonly startsAt: string
  readonly endsAt: string
  /** Price of the whole billing period, in cents. */
  readonly amount: number
}

export interface BilledAmounts {
  /** Cost in cents, keyed by subscription id. */
  readonly bySubscription: ReadonlyMap<string, number>
  /** Total in cents, before tax. */
  readonly amount: number
}

const BILLED_STATUSES = new Set(['active', 'past_due'])
/** A late payment covers the whole period. */
const UNPAID = 'unpaid'
const MAX_DERIVED = 120

const UPSERT = `INSERT INTO billed_period (subscription_id, from_at, until_at, starts_at, ends_at, amount)
  VALUES (@id, @fromAt, @untilAt, @startsAt, @endsAt, @amount)
  ON CONFLICT DO UPDATE SET until_at = excluded.until_at, starts_at = excluded.starts_at, ends_at = excluded.ends_at, amount = excluded.amount`
const COLUMNS = 'from_at AS fromAt, until_at AS untilAt, starts_at AS startsAt, ends_at AS endsAt, amount'

/**
 * Stores the periods and prices of subscriptions, because the provider reports only the current
 * period. A period that was never read gets the price of the next period.
 */
export function createBilledPeriods(db: Database) {
  const last = db.prepare<[string], BilledPeriod>(
    `SELECT ${COLUMNS} FROM billed_period WHERE subscription_id = ? ORDER BY from_at DESC LIMIT 1`,
  )
  const upsert = db.prepare(UPSERT)
  const removeFrom = db.prepare('DELETE FROM billed_period WHERE subscription_id = ? AND from_at >= ?')
  const truncate = db.prepare('UPDATE billed_period SET until_at = ? WHERE subscription_id = ? AND until_at > ?')
  const within = db.prepare<[string, string, string], BilledPeriod & { readonly id: string }>(
    `SELECT subscription_id AS id, ${COLUMNS} FROM billed_period
     WHERE subscription_id IN (SELECT id FROM subscription WHERE account_id = ?) AND until_at > ? AND from_at < ?
     AND until_at > from_at`,
  )
  const ofAccount = db.prepare<[string, number], BilledPeriod & { readonly id: string }>(
    `SELECT subscription_id AS id, ${COLUMNS} FROM billed_period
     WHERE subscription_id IN (SELECT id FROM subscription WHERE account_id = ?) AND until_at > from_at ORDER BY from_at DESC LIMIT ?`,
  )
  const end = (id: string, endTime: string): void => {
    removeFrom.run(id, endTime)
    truncate.run(endTime, id, endTime)
  }
  const cover = (
    { id, currentPeriodEnd: endsAt, billed }: ProviderSubscription,
    plan: PlanId,
    previousStatus: string | undefined,
    now: Date,
  ): void => {
    if (!billed || endsAt === null || billed.startsAt >= endsAt) return
    const { startsAt, since } = billed
    const amount = plan === 'free' ? 0 : billed.amount
    const previous = last.get(id)
    const isSame = previous?.startsAt === startsAt && previous.endsAt === endsAt
    if (isSame && previous.amount === amount && (previous.untilAt === endsAt || previousStatus === UNPAID))
      return void upsert.run({ id, ...previous, untilAt: endsAt })
    const fromAt = isSame && taipei(now) > startsAt ? taipei(now) : startsAt
    if (fromAt >= endsAt) return
    end(id, fromAt)
    upsert.run({ id, fromAt, untilAt: endsAt, startsAt, endsAt, amount })
    const wasBilled = previousStatus !== undefined && BILLED_STATUSES.has(previousStatus)
    const missingFrom = previous ? (wasBilled ? previous.untilAt : startsAt) : since
    for (const period of periodsBefore(startsAt, missingFrom)) upsert.run({ id, amount, ...period })
  }
  return {
    /**
     * Runs in the caller's transaction. A late payment covers the whole period.
     *
     * @param previousStatus undefined on the first read
     */
    record(subscription: ProviderSubscription, plan: PlanId, previousStatus: string | undefined, now: Date): void {
      if (BILLED_STATUSES.has(subscription.status)) return cover(subscription, plan, previousStatus, now)
      const { id, billed } = subscription
      if (previousStatus !== undefined && BILLED_STATUSES.has(previousStatus) && (billed?.startsAt ?? '') > (last.get(id)?.startsAt ?? ''))
        cover(subscription, plan, previousStatus, now)
      end(id, billed?.endedAt ?? taipei(now))
    },
    /** Newest first. */
    ofAccount: (accountId: string, limit: number): readonly (BilledPeriod & { readonly id: string })[] => ofAccount.all(accountId, limit),
    between(accountId: string, from: Date, until: Date): BilledAmounts {
      const fromTime = taipei(from)
      const untilTime = taipei(until)
      const periods = within.all(accountId, fromTime, untilTime)
      const bySubscription = new Map<string, number>()
      for (const period of periods)
        bySubscription.set(period.id, (bySubscription.get(period.id) ?? 0) + shareOf(period, fromTime, untilTime))
      return { bySubscription, amount: [...bySubscription.values()].reduce((sum, share) => sum + share, 0) }
    },
  }
}

export type BilledPeriods = ReturnType<typeof createBilledPeriods>

/** The shares of adjoining parts add up exactly to the price. */
function shareOf({ fromAt, untilAt, startsAt, endsAt, amount }: BilledPeriod, from: string, until: string): number {
  const starts = Date.parse(startsAt)
  const length = BigInt(Date.parse(endsAt) - starts)
  const upTo = (time: string): number => Number((2n * BigInt(amount) * BigInt(Date.parse(time) - starts) + length) / (2n * length))
  return upTo(untilAt < until ? untilAt : until) - upTo(fromAt > from ? fromAt : from)
}

/** Newest first. */
function periodsBefore(startsAt: string, since: string): readonly Omit<BilledPeriod, 'amount'>[] {
  const periods: Omit<BilledPeriod, 'amount'>[] = []
  for (let endsAt = startsAt; endsAt > since && periods.length < MAX_DERIVED; ) {
    const starts = monthsBefore(startsAt, periods.length + 1)
    periods.push({ fromAt: starts > since ? starts : since, untilAt: endsAt, startsAt: starts, endsAt })
    endsAt = starts
  }
  return periods
}

/** Returns the same day and time `count` months earlier, in UTC, as the provider does. */
function monthsBefore(startsAt: string, count: number): string {
  const date = new Date(startsAt)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() - count)
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(day, lastDay))
  return taipei(date)
}
