import { PLANS, type Priced, UPGRADE_URL } from '../../catalog/index.ts'
import { type Clock, type Grant, momentOf, nextMonth, ofDataset, Refusal, taipei, taipeiDay } from '../core/index.ts'
import type { Ledger } from './ledger.ts'
import { createCounter } from './totals.ts'

/** Credits of the current period, the calendar month in Taipei. */
export interface Balance {
  readonly period: string
  readonly limit: number
  readonly used: number
  /** What is left after the credits set aside for running reads. */
  readonly remaining: number
  /** RFC 3339: when the next period begins. */
  readonly resetsAt: string
}

/** What a read became. */
interface Settled {
  readonly requestId: string
  readonly rows: number
}

/** Credits set aside for a running read: settled once it is answered, or released. */
export interface Hold {
  /** Charges the credits. Resolves once the use is in the ledger. */
  settle(use: Settled): Promise<void>
  /** Gives the credits back. Does nothing after `settle` or a second time. */
  release(): void
}

/** Balances and credit holds. Holds live in memory, so parallel reads never spend one credit twice. */
export function createCredits(ledger: Ledger, clock: Clock) {
  const held = createCounter()
  const monthAt = createMonthCache()
  const balanceAt = (at: Date, { accountId, plan }: Pick<Grant, 'accountId' | 'plan'>): Balance => {
    const { period, resetsAt } = monthAt(at)
    const limit = PLANS[plan].creditsPerMonth
    const used = ledger.used(accountId, period)
    const remaining = Math.max(0, limit - used - held.of(accountId))
    return { period, limit, used, remaining, resetsAt }
  }
  return {
    balance: (account: Pick<Grant, 'accountId' | 'plan'>): Balance => balanceAt(clock(), account),
    /** @throws Refusal credits_exhausted when fewer credits remain than the read costs */
    hold(grant: Grant, sold: Priced): Hold {
      const { accountId, keyId } = grant
      const { slug: dataset, access } = sold
      const { credits } = access!
      // Charged to the period it was checked against, even when another one begins before the answer is ready.
      const now = clock()
      const at = taipei(now)
      refuseUnlessCovered(balanceAt(now, grant), sold)
      held.add(accountId, credits)
      let open = true
      const release = (): void => {
        if (open) held.add(accountId, -credits)
        open = false
      }
      return {
        release,
        settle: ({ requestId, rows }) => ledger.record({ requestId, accountId, keyId, dataset, at, credits, rows }).then(release),
      }
    },
  }
}

function refuseUnlessCovered({ remaining, limit, resetsAt }: Balance, sold: Priced): void {
  const { credits } = sold.access!
  if (remaining >= credits) return
  const facts = {
    ...ofDataset(sold),
    credits_needed: credits,
    credits_remaining: remaining,
    credits_limit: limit,
    resets_at: resetsAt,
    upgrade_url: UPGRADE_URL,
  }
  throw new Refusal('credits_exhausted', facts)
}

/** The month of an instant. Every read asks for it, so it is computed once a month. */
function createMonthCache(): (at: Date) => ReturnType<typeof monthOf> {
  let month = monthOf(new Date(0))
  return at => {
    if (at < month.from || at >= month.until) month = monthOf(at)
    return month
  }
}

/** The calendar month in Taipei that contains an instant; `until` is the first instant after it. */
function monthOf(at: Date) {
  const [period, until] = [taipeiDay(at).slice(0, 7), nextMonth(at)]
  return { period, from: momentOf(`${period}-01`)!, until, resetsAt: taipei(until) }
}

export type Credits = ReturnType<typeof createCredits>
