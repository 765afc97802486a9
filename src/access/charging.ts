import { meets, PLANS, type Priced, UPGRADE_URL } from '../../catalog/index.ts'
import { type Balance, createCredits, type Hold, type Ledger } from '../accounts/index.ts'
import { type Clock, type Grant, Refusal, taipei } from '../core/index.ts'
import { createKeyedSemaphore } from './semaphore.ts'

export interface Charging {
  /** @throws Refusal plan_required */
  checkPlan(grant: Grant, priced: Priced): void
  /** Sets the price of an answer aside. @throws Refusal credits_exhausted */
  holdCredits(grant: Grant, priced: Priced): Hold
  /** Waits for one of the account's concurrent reads. @throws Refusal concurrency_limited @returns a function that frees the slot */
  acquireSlot(grant: Grant): Promise<() => void>
  /** Counts a read that was refused or failed in the day's usage; nothing is charged. */
  recordFailure(grant: Grant, priced: Priced): void
  balance(account: Pick<Grant, 'accountId' | 'plan'>): Balance
}

/** What a plan includes and what a read costs: entitlement, credits, concurrency, usage. */
export function createCharging(ledger: Ledger, clock: Clock): Charging {
  const credits = createCredits(ledger, clock)
  const reads = createKeyedSemaphore()
  return {
    checkPlan({ plan }, { id, access }) {
      const required = access!.plan
      if (meets(plan, required)) return
      throw new Refusal('plan_required', { dataset: id, required_plan: required, current_plan: plan, upgrade_url: UPGRADE_URL })
    },
    holdCredits: (grant, { slug, access }) => credits.hold(grant, slug, access!.credits),
    acquireSlot: grant => reads.acquire(grant.accountId, PLANS[grant.plan].requestsAtOnce),
    recordFailure: ({ accountId, keyId }, { slug }) => ledger.recordFailure({ accountId, keyId, dataset: slug, at: taipei(clock()) }),
    balance: credits.balance,
  }
}
