import { addressBucket, type Grant } from '../core/index.ts'
import { type Limiter, perHour, perMinute, type Quota, type RateState, throwIfLimited } from './gcra.ts'

export interface RateLimits {
  /**
   * Counts a request of an account.
   * @throws Refusal rate_limited
   */
  limitRequest(grant: Grant): void
  /**
   * Counts a request without an account.
   * @throws Refusal rate_limited
   */
  limitAddress(address: string, kind: keyof typeof ADDRESS): void
  /**
   * Counts a call that shows a stored secret to the owner.
   * @throws Refusal rate_limited
   */
  limitReveal(accountId: string): void
  limitSession(accountId: string): void
  requestState(account: Pick<Grant, 'accountId' | 'limits'>): RateState
  sessionState(accountId: string): RateState
}

const REVEALS = perHour(10)
const SESSION = perMinute(60)
const ADDRESS = { onboarding: perHour(10), code: perHour(60), public: perMinute(600) } as const satisfies Record<string, Quota>

export function createRateLimits(limiter: Limiter): RateLimits {
  const quotaOf = ({ limits }: Pick<Grant, 'limits'>): Quota => perMinute(limits.requestsPerMinute)
  const sessionBucket = (accountId: string): string => `session ${accountId}`
  return {
    limitRequest: grant => throwIfLimited(limiter.take(grant.accountId, quotaOf(grant))),
    limitAddress: (address, kind) => throwIfLimited(limiter.take(`${kind} ${addressBucket(address)}`, ADDRESS[kind])),
    limitReveal: accountId => throwIfLimited(limiter.take(`reveal ${accountId}`, REVEALS)),
    limitSession: accountId => throwIfLimited(limiter.take(sessionBucket(accountId), SESSION)),
    requestState: account => limiter.peek(account.accountId, quotaOf(account)),
    sessionState: accountId => limiter.peek(sessionBucket(accountId), SESSION),
  }
}
