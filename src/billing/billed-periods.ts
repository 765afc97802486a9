import type { PlanId } from '../../catalog/index.ts'
import { taipei } from '../core/index.ts'
import type { Database } from '../state/index.ts'
import type { ProviderSubscription } from './shapes.ts'

/** A time a subscription covered, and the billing period whose price it is a share of. Times are RFC 3339 in Taipei. */
interface BilledPeriod {
  readonly fromAt: string
  readonly untilAt: string
  readonly startsAt: string
  readonly endsAt: string
  /** Price of the whole billing period, in minor units. */
  readonly amount: number
}

/** What subscriptions cost within a span of time. */
export interface Billed {
  /** What each subscription that covered some of it cost of the amount, by its id. */
  readonly bySubscription: ReadonlyMap<string, number>
  /** Minor units, before tax. */
  readonly amount: number
}

/** Statuses in which the provider bills a period when it begins. */
const BILLED = new Set(['active', 'past_due'])
/** The status of a subscription whose bill may still be paid, for the whole of its period. */
const OWED = 'unpaid'
/** Periods before the first one seen that are derived from it: ten years of months. */
const MOST_DERIVED = 120

const PUT = `INSERT INTO billed_period (subscription_id, from_at, until_at, starts_at, ends_at, amount)
  VALUES (@id, @fromAt, @untilAt, @startsAt, @endsAt, @amount)
  ON CONFLICT DO UPDATE SET until_at = excluded.until_at, starts_at = excluded.starts_at, ends_at = excluded.ends_at, amount = excluded.amount`
const COLUMNS = 'from_at AS fromAt, until_at AS untilAt, starts_at AS startsAt, ends_at AS endsAt, amount'

/**
 * Which time each subscription covered, and at what price: the provider tells the running period only, so each is kept as it is seen. Where
 * the price changes within a period, the time before keeps the former one. Periods that passed unseen are derived from the one after.
 */
export function createBilledPeriods(db: Database) {
  const last = db.prepare<[string], BilledPeriod>(
    `SELECT ${COLUMNS} FROM billed_period WHERE subscription_id = ? ORDER BY from_at DESC LIMIT 1`,
  )
  const put = db.prepare(PUT)
  const drop = db.prepare('DELETE FROM billed_period WHERE subscription_id = ? AND from_at >= ?')
  const cut = db.prepare('UPDATE billed_period SET until_at = ? WHERE subscription_id = ? AND until_at > ?')
  const within = db.prepare<[string, string, string], BilledPeriod & { readonly id: string }>(
    `SELECT subscription_id AS id, ${COLUMNS} FROM billed_period
     WHERE subscription_id IN (SELECT id FROM subscription WHERE account_id = ?) AND until_at > ? AND from_at < ?
     AND until_at > from_at`,
  )
  /** Ends the cover of a subscription. */
  const end = (id: string, at: string): void => {
    drop.run(id, at)
    cut.run(at, id, at)
  }
  /** Keeps the running period, and those before it that passed unseen. */
  const cover = (
    { id, currentPeriodEnd: endsAt, billed }: ProviderSubscription,
    plan: PlanId,
    former: string | undefined,
    now: Date,
  ): void => {
    if (!billed || endsAt === null || billed.startsAt >= endsAt) return
    const { startsAt, since } = billed
    const amount = plan === 'free' ? 0 : billed.amount
    const before = last.get(id)
    const isSame = before?.startsAt === startsAt && before.endsAt === endsAt
    if (isSame && before.amount === amount && (before.untilAt === endsAt || former === OWED))
      return void put.run({ id, ...before, untilAt: endsAt })
    const fromAt = isSame && taipei(now) > startsAt ? taipei(now) : startsAt
    // A provider that is late names a period that has ended.
    if (fromAt >= endsAt) return
    end(id, fromAt)
    put.run({ id, fromAt, untilAt: endsAt, startsAt, endsAt, amount })
    const wasBilled = former !== undefined && BILLED.has(former)
    const unseenFrom = before ? (wasBilled ? before.untilAt : startsAt) : since
    for (const period of periodsBefore(startsAt, unseenFrom)) put.run({ id, amount, ...period })
  }
  return {
    /**
     * Keeps what the provider says now, in the caller's transaction. A bill that was owed and is paid within its period covers the whole of it.
     *
     * @param former the status when it was read before; undefined for the first time
     */
    note(found: ProviderSubscription, plan: PlanId, former: string | undefined, now: Date): void {
      if (BILLED.has(found.status)) return cover(found, plan, former, now)
      const { id, billed } = found
      if (former !== undefined && BILLED.has(former) && (billed?.startsAt ?? '') > (last.get(id)?.startsAt ?? ''))
        cover(found, plan, former, now)
      end(id, billed?.endedAt ?? taipei(now))
    },
    /** What an account's subscriptions cost between two moments: for each the share of the price of every period they covered. */
    between(accountId: string, from: Date, until: Date): Billed {
      const [first, end] = [taipei(from), taipei(until)]
      const found = within.all(accountId, first, end)
      const bySubscription = new Map<string, number>()
      for (const period of found) bySubscription.set(period.id, (bySubscription.get(period.id) ?? 0) + shareOf(period, first, end))
      return { bySubscription, amount: [...bySubscription.values()].reduce((sum, share) => sum + share, 0) }
    },
  }
}

export type BilledPeriods = ReturnType<typeof createBilledPeriods>

/** The share of a period's price between two moments. Shares of adjoining spans add up to the price, to the minor unit. */
function shareOf({ fromAt, untilAt, startsAt, endsAt, amount }: BilledPeriod, first: string, end: string): number {
  const starts = Date.parse(startsAt)
  const length = BigInt(Date.parse(endsAt) - starts)
  const upTo = (at: string): number => Number((2n * BigInt(amount) * BigInt(Date.parse(at) - starts) + length) / (2n * length))
  return upTo(untilAt < end ? untilAt : end) - upTo(fromAt > first ? fromAt : first)
}

/** The monthly periods before one, as far back as a moment, newest first. */
function periodsBefore(startsAt: string, since: string): readonly Omit<BilledPeriod, 'amount'>[] {
  const periods: Omit<BilledPeriod, 'amount'>[] = []
  for (let endsAt = startsAt; endsAt > since && periods.length < MOST_DERIVED; ) {
    const starts = monthsBefore(startsAt, periods.length + 1)
    periods.push({ fromAt: starts > since ? starts : since, untilAt: endsAt, startsAt: starts, endsAt })
    endsAt = starts
  }
  return periods
}

/** The same day and time so many months earlier, in UTC as the provider counts; the last day of a month that is too short. */
function monthsBefore(at: string, months: number): string {
  const date = new Date(at)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() - months)
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(day, last))
  return taipei(date)
}
