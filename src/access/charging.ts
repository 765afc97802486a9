import { meets, PLANS, type Priced, UPGRADE_URL } from '../../catalog/index.ts'
import { type Clock, type Grant, ofDataset, Refusal, taipei } from '../core/index.ts'
import { type Balance, createCredits, type Hold, type Ledger } from '../usage/index.ts'
import { createAnswerMemory, type Share } from './answer-memory.ts'
import { createKeyedSemaphore } from './semaphore.ts'
import type { Visitors } from './visitors.ts'

/** What an answer takes up of what its account may have at a time. */
export interface Weight {
  /** Of the account's concurrent reads; 1 when absent. */
  readonly slots?: number
  /** How large it may become; few when absent. */
  readonly bytes?: number
}

/** A read that runs, and its answer until that has left. */
export interface Turn {
  /** Says how many bytes the answer became. */
  resize(bytes: number): void
  /** Makes room for another. Does nothing a second time. */
  end(): void
}

/** What an answer costs and how much of the service an account may use at a time. */
export interface Charging {
  /** @throws Refusal plan_required */
  checkPlan(grant: Grant, priced: Priced): void
  /** Sets the price of an answer aside; of a visitor's, which is paid in rows, nothing. @throws Refusal credits_exhausted; rate_limited for a visitor */
  holdCredits(grant: Grant, priced: Priced): Hold
  /** Waits for room among the account's concurrent reads and the answers that have not left. @throws Refusal concurrency_limited, overloaded */
  takeTurn(grant: Grant, weight?: Weight): Turn | Promise<Turn>
  /** Counts a read that was refused or failed in the day's usage; nothing is charged. Of visitors there is no usage. */
  recordFailure(grant: Grant, priced: Priced): void
  balance(account: Pick<Grant, 'accountId' | 'plan'>): Balance
}

/** What a plan includes and what a read costs: entitlement, credits, concurrency, usage. */
export function createCharging(ledger: Ledger, visitors: Pick<Visitors, 'holdRows'>, clock: Clock): Charging {
  const credits = createCredits(ledger, clock)
  const reads = createKeyedSemaphore()
  const memory = createAnswerMemory()
  return {
    checkPlan({ plan }, sold) {
      const required = sold.access!.plan
      if (meets(plan, required)) return
      throw new Refusal('plan_required', { ...ofDataset(sold), required_plan: required, current_plan: plan, upgrade_url: UPGRADE_URL })
    },
    holdCredits: (grant, priced) => (grant.isVisitor ? visitors.holdRows(grant) : credits.hold(grant, priced)),
    takeTurn({ accountId, plan }, { slots = 1, bytes = 0 } = {}) {
      const takeSlots = (share: Share): Turn | Promise<Turn> => {
        const turnOf = (freeSlots: () => void): Turn => ({
          resize: share.resize,
          end() {
            share.release()
            freeSlots()
          },
        })
        const acquired = reads.acquire(accountId, PLANS[plan].requestsAtOnce, slots)
        if (!(acquired instanceof Promise)) return turnOf(acquired)
        return acquired.then(turnOf, error => {
          share.release()
          throw error
        })
      }
      const reserved = memory.reserve(accountId, bytes)
      return reserved instanceof Promise ? reserved.then(takeSlots) : takeSlots(reserved)
    },
    recordFailure({ accountId, keyId, isVisitor }, { slug }) {
      if (!isVisitor) ledger.recordFailure({ accountId, keyId, dataset: slug, at: taipei(clock()) })
    },
    balance: credits.balance,
  }
}
