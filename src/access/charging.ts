import { meets, type Priced, UPGRADE_URL } from '../../catalog/index.ts'
import { type Clock, type Grant, ofDataset, Refusal, taipei } from '../core/index.ts'
import { type Balance, type CreditEntries, type CreditReservation, createCredits, type Ledger } from '../usage/index.ts'
import { createAnswerMemory, type MemoryReservation } from './answer-memory.ts'
import { createKeyedSemaphore } from './semaphore.ts'
import { createTurns } from './turns.ts'
import type { Visitors } from './visitors.ts'

export interface Weight {
  readonly slots?: number
  readonly bytes?: number
}

export interface ReadSlot {
  resize(bytes: number): void
  /** Frees the slot and the memory. Safe to call twice. */
  end(): void
}

export interface Charging {
  /** @throws Refusal plan_required */
  checkPlan(grant: Grant, priced: Priced): void
  /**
   * Reserves the price of a read. Visitors pay with rows instead of credits.
   *
   * @throws Refusal credits_exhausted, or rate_limited for a visitor
   */
  reserveCredits(grant: Grant, priced: Priced): CreditReservation
  /**
   * Waits for answer memory and for a free slot of the account.
   *
   * @throws Refusal concurrency_limited, overloaded
   */
  acquireSlot(grant: Grant, weight?: Weight): ReadSlot | Promise<ReadSlot>
  /** Counts a refused or failed read without a charge. Ignores visitors. */
  recordFailure(grant: Grant, priced: Priced): void
  balance(account: Pick<Grant, 'accountId' | 'limits'>): Balance
}

export function createCharging(
  ledger: Ledger,
  creditEntries: Pick<CreditEntries, 'ofPeriod'>,
  visitors: Pick<Visitors, 'reserveRows'>,
  clock: Clock,
): Charging {
  const credits = createCredits(ledger, creditEntries, clock)
  const reads = createKeyedSemaphore()
  const memory = createAnswerMemory()
  const takeTurn = createTurns()
  return {
    checkPlan({ plan }, dataset) {
      const required = dataset.access!.plan
      if (meets(plan, required)) return
      throw new Refusal('plan_required', { ...ofDataset(dataset), required_plan: required, current_plan: plan, upgrade_url: UPGRADE_URL })
    },
    reserveCredits: (grant, priced) => (grant.isVisitor ? visitors.reserveRows(grant) : credits.reserve(grant, priced)),
    acquireSlot({ accountId, limits }, { slots = 1, bytes = 0 } = {}) {
      const acquireRead = (memoryReservation: MemoryReservation): ReadSlot | Promise<ReadSlot> => {
        const slotOf = (releaseRead: () => void): ReadSlot | Promise<ReadSlot> => {
          const slot = {
            resize: memoryReservation.resize,
            end() {
              memoryReservation.release()
              releaseRead()
            },
          }
          return takeTurn(accountId)?.then(() => slot) ?? slot
        }
        const acquired = reads.acquire(accountId, limits.requestsAtOnce, slots)
        if (!(acquired instanceof Promise)) return slotOf(acquired)
        return acquired.then(slotOf, error => {
          memoryReservation.release()
          throw error
        })
      }
      const reserved = memory.reserve(accountId, bytes)
      return reserved instanceof Promise ? reserved.then(acquireRead) : acquireRead(reserved)
    },
    recordFailure({ accountId, keyId, isVisitor }, { slug }) {
      if (!isVisitor) ledger.recordFailure({ accountId, keyId, dataset: slug, at: taipei(clock()) })
    },
    balance: credits.balance,
  }
}
