import { PLANS } from '../../catalog/index.ts'
import { addressBucket, type Grant } from '../core/index.ts'
import { type Limiter, perHour, perMinute, type Quota, type RateState, throwWhenOver } from './gcra.ts'

/** Requests by time: a minute of an account, an hour of an address. */
export interface RateLimits {
  /** Counts the request against the account's requests a minute. @throws Refusal rate_limited */
  limitRequest(grant: Grant): void
  /** Counts a request without an account against its address. @throws Refusal rate_limited */
  limitAddress(address: string, kind: keyof typeof ADDRESS): void
  /** Counts a secret shown to its owner. @throws Refusal rate_limited */
  limitReveal(accountId: string): void
  /** Counts a call of a signed-in customer. @throws Refusal rate_limited */
  limitSession(accountId: string): void
  /** The account's minute, with nothing counted. */
  requestState(account: Pick<Grant, 'accountId' | 'plan'>): RateState
  /** The minute of the account's signed-in customers, with nothing counted. */
  sessionState(accountId: string): RateState
}

/** Secrets shown to the owner of an account. */
const REVEALS = perHour(10)
/** Calls of one account's signed-in customers. */
const SESSION = perMinute(60)
/** Requests that need no account, by address. */
const ADDRESS = { onboarding: perHour(10), code: perHour(60), public: perMinute(600) } as const satisfies Record<string, Quota>

/** Every limit on requests by time, by account or by address. */
export function createRateLimits(limiter: Limiter): RateLimits {
  const quotaOf = ({ plan }: Pick<Grant, 'plan'>): Quota => perMinute(PLANS[plan].requestsPerMinute)
  const sessionsOf = (accountId: string): string => `session ${accountId}`
  return {
    limitRequest: grant => throwWhenOver(limiter.take(grant.accountId, quotaOf(grant))),
    limitAddress: (address, kind) => throwWhenOver(limiter.take(`${kind} ${addressBucket(address)}`, ADDRESS[kind])),
    limitReveal: accountId => throwWhenOver(limiter.take(`reveal ${accountId}`, REVEALS)),
    limitSession: accountId => throwWhenOver(limiter.take(sessionsOf(accountId), SESSION)),
    requestState: account => limiter.peek(account.accountId, quotaOf(account)),
    sessionState: accountId => limiter.peek(sessionsOf(accountId), SESSION),
  }
}
