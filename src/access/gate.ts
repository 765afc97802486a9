import { meets, PLANS, type PlanId, type Priced } from '../../catalog/index.ts'
import { type Balance, createCredits, type Hold, isApiKeyShaped, type KeyHolder, type KeyStore, type Ledger } from '../accounts/index.ts'
import { addressBucket, type Clock, type Grant, Refusal, taipei } from '../core/index.ts'
import { createLimiter, perHour, perMinute, type Quota, type RateState, throwWhenOver } from './gcra.ts'
import { createGuessLimiter } from './guesses.ts'
import { createKeyedSemaphore } from './semaphore.ts'

/** What an authenticated answer says about the caller's account. */
export interface QuotaStatus {
  readonly balance: Balance
  readonly rate: RateState
  /** Reads that may run at the same time; null for a caller who reads nothing. */
  readonly requestsAtOnce: number | null
}

export interface Gate {
  /** @throws Refusal missing_api_key, invalid_api_key, revoked_api_key, expired_api_key, account_closed; rate_limited after too many of them */
  authenticate(secret: string | undefined, address: string): Grant
  /** Counts the request against the account's minute. @throws Refusal rate_limited */
  limitRequest(grant: Grant): void
  /** Counts a request without an account against its address. @throws Refusal rate_limited */
  limitAddress(address: string, kind: keyof typeof ADDRESS): void
  /** Tries a credential of another kind than an API key, under the same limit on wrong ones. @throws what the attempt throws; rate_limited */
  tryCredential<T>(address: string, check: () => T): T
  /** Counts a secret shown to its owner. @throws Refusal rate_limited */
  limitReveal(accountId: string): void
  /** Counts a call of a signed-in customer. @throws Refusal rate_limited */
  limitSession(accountId: string): void
  /** @throws Refusal plan_required */
  checkPlan(grant: Grant, priced: Priced): void
  /** Sets the price of an answer aside. @throws Refusal credits_exhausted */
  holdCredits(grant: Grant, priced: Priced): Hold
  /** Waits for one of the account's concurrent reads. @throws Refusal concurrency_limited @returns a function that frees the slot */
  acquireSlot(grant: Grant): Promise<() => void>
  quotaStatus(account: Pick<Grant, 'accountId' | 'plan'>): QuotaStatus
  /** The same for a signed-in customer, whose calls have a minute of their own. */
  sessionQuotaStatus(account: Pick<Grant, 'accountId' | 'plan'>): QuotaStatus
  /** Counts a read that was refused or failed in the day's usage; nothing is charged. */
  recordFailure(grant: Grant, priced: Priced): void
}

export interface GateDeps {
  readonly keys: KeyStore
  readonly ledger: Ledger
  readonly clock: Clock
  /** Milliseconds for the limiters; the process's own steady clock when absent. */
  readonly steady?: () => number
}

const REVEALS = perHour(10)
/** Calls of one account's signed-in customers. */
const SESSION = perMinute(60)
/** Requests that need no account, by address. */
const ADDRESS = { onboarding: perHour(10), code: perHour(60), public: perMinute(600) } as const satisfies Record<string, Quota>

/** The seam between accounts and query: a secret goes in, a Grant comes out, usage goes back. */
export function createGate({ keys, ledger, clock, steady = () => performance.now() }: GateDeps): Gate {
  const credits = createCredits(ledger, clock)
  const limiter = createLimiter(steady)
  const reads = createKeyedSemaphore()
  const quotaOf = ({ plan }: Pick<Grant, 'plan'>): Quota => perMinute(PLANS[plan].requestsPerMinute)
  const tryCredential = createGuessLimiter(limiter)
  return {
    tryCredential,
    authenticate: (secret, address) => tryCredential(address, () => grantOf(holderOf(keys, secret, clock))),
    limitRequest: grant => throwWhenOver(limiter.take(grant.accountId, quotaOf(grant))),
    limitAddress: (address, kind) => throwWhenOver(limiter.take(`${kind} ${addressBucket(address)}`, ADDRESS[kind])),
    limitSession: accountId => throwWhenOver(limiter.take(`session ${accountId}`, SESSION)),
    limitReveal: accountId => throwWhenOver(limiter.take(`reveal ${accountId}`, REVEALS)),
    checkPlan: ({ plan }, { id, access }) => refuseUnlessMet(plan, access!.plan, id),
    holdCredits: (grant, { slug, access }) => credits.hold(grant, slug, access!.credits),
    acquireSlot: grant => reads.acquire(grant.accountId, PLANS[grant.plan].requestsAtOnce),
    quotaStatus: grant => ({
      balance: credits.balance(grant),
      rate: limiter.look(grant.accountId, quotaOf(grant)),
      requestsAtOnce: PLANS[grant.plan].requestsAtOnce,
    }),
    sessionQuotaStatus: account => ({
      balance: credits.balance(account),
      rate: limiter.look(`session ${account.accountId}`, SESSION),
      requestsAtOnce: null,
    }),
    recordFailure: ({ accountId, keyId }, { slug }) => ledger.recordFailure({ accountId, keyId, dataset: slug, at: taipei(clock()) }),
  }
}

function refuseUnlessMet(plan: PlanId, required: PlanId, dataset: string): void {
  if (meets(plan, required)) return
  throw new Refusal('plan_required', { dataset, required_plan: required, current_plan: plan, upgrade_url: '/v2/product/tiers' })
}

/** A secret without our shape costs no look-up. */
function holderOf(keys: KeyStore, secret: string | undefined, clock: Clock): KeyHolder {
  if (secret === undefined || secret === '') throw new Refusal('missing_api_key')
  const holder = isApiKeyShaped(secret) ? keys.find(secret, clock()) : undefined
  if (!holder) throw new Refusal('invalid_api_key')
  return holder
}

function grantOf({ accountId, keyId, plan, status, accountStatus }: KeyHolder): Grant {
  if (accountStatus === 'closed') throw new Refusal('account_closed')
  if (status === 'revoked') throw new Refusal('revoked_api_key')
  if (status === 'expired') throw new Refusal('expired_api_key')
  return { accountId, keyId, plan, rowLimit: PLANS[plan].rowLimit }
}
