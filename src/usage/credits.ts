import { type Priced, UPGRADE_URL } from '../../catalog/index.ts'
import { type Clock, type Grant, momentOf, nextMonth, ofDataset, Refusal, taipei, taipeiDay } from '../core/index.ts'
import type { CreditEntries } from './credit-entries.ts'
import type { Ledger } from './ledger.ts'
import { createCounter } from './totals.ts'

/** Credits of the current month in Taipei. */
export interface Balance {
  readonly period: string
  readonly included: number
  readonly granted: number
  readonly refunded: number
  /** Sum of included, granted and refunded credits. */
  readonly limit: number
  readonly used: number
  /** Limit, minus used credits, minus reserved credits. */
  readonly remaining: number
  /** Start of the next period, RFC 3339. */
  readonly resetsAt: string
}

interface SettledRead {
  readonly requestId: string
  readonly rows: number
}

export interface CreditReservation {
  /** Charges the credits. Resolves when the use is in the ledger. */
  settle(use: SettledRead): Promise<void>
  /** Ends the reservation without a charge. Safe to call twice. */
  release(): void
}

/** Reservations prevent concurrent reads from spending the same credits. */
export function createCredits(ledger: Pick<Ledger, 'used' | 'record'>, entries: Pick<CreditEntries, 'ofPeriod'>, clock: Clock) {
  const reserved = createCounter()
  const monthAt = createMonthCache()
  const balanceAt = (now: Date, { accountId, limits }: Pick<Grant, 'accountId' | 'limits'>): Balance => {
    const { period, resetsAt } = monthAt(now)
    const included = limits.creditsPerMonth
    const { granted, refunded } = entries.ofPeriod(accountId, period)
    const limit = included + granted + refunded
    const used = ledger.used(accountId, period)
    const remaining = Math.max(0, limit - used - reserved.get(accountId))
    return { period, included, granted, refunded, limit, used, remaining, resetsAt }
  }
  return {
    balance: (account: Pick<Grant, 'accountId' | 'limits'>): Balance => balanceAt(clock(), account),
    /** @throws Refusal credits_exhausted */
    reserve(grant: Grant, dataset: Priced): CreditReservation {
      const { accountId, keyId } = grant
      const { slug, access } = dataset
      const { credits } = access!
      // Charges the month of the checked balance, even if a new month has started.
      const now = clock()
      const at = taipei(now)
      refuseIfExhausted(balanceAt(now, grant), dataset)
      reserved.add(accountId, credits)
      let active = true
      const release = (): void => {
        if (active) reserved.add(accountId, -credits)
        active = false
      }
      return {
        release,
        settle: ({ requestId, rows }) => ledger.record({ requestId, accountId, keyId, dataset: slug, at, credits, rows }).then(release),
      }
    },
  }
}

function refuseIfExhausted({ remaining, limit, resetsAt }: Balance, dataset: Priced): void {
  const { credits } = dataset.access!
  if (remaining >= credits) return
  const facts = {
    ...ofDataset(dataset),
    credits_needed: credits,
    credits_remaining: remaining,
    credits_limit: limit,
    resets_at: resetsAt,
    upgrade_url: UPGRADE_URL,
  }
  throw new Refusal('credits_exhausted', facts)
}

function createMonthCache(): (instant: Date) => ReturnType<typeof monthOf> {
  let month = monthOf(new Date(0))
  return instant => {
    if (instant < month.from || instant >= month.until) month = monthOf(instant)
    return month
  }
}

/** Month in Taipei. `until` is the start of the next month. */
function monthOf(instant: Date) {
  const period = taipeiDay(instant).slice(0, 7)
  const until = nextMonth(instant)
  return { period, from: momentOf(`${period}-01`)!, until, resetsAt: taipei(until) }
}

export type Credits = ReturnType<typeof createCredits>
