import { PLANS, type PlanId } from '../../catalog/index.ts'
import type { KeyStore } from '../accounts/index.ts'
import type { Clock, Grant } from '../core/index.ts'
import type { Balance, Ledger } from '../usage/index.ts'
import { type Authentication, createAuthentication } from './auth.ts'
import { type Charging, createCharging } from './charging.ts'
import { createFloods, type Floods } from './floods.ts'
import { createLimiter, type RateState } from './gcra.ts'
import { createRateLimits, type RateLimits } from './rate.ts'
import { createSignedFiles, type SignedFiles } from './signed-files.ts'
import { createVisitors, type Visitors } from './visitors.ts'

/** What an authenticated answer says about the caller's account. */
export interface QuotaStatus {
  readonly balance: Balance
  readonly rate: RateState
  /** Reads that may run at the same time; null for a caller who reads nothing. */
  readonly requestsAtOnce: number | null
}

/** Everything between a caller and a read: a secret goes in, a Grant comes out, usage goes back. */
export interface Gate
  extends Authentication,
    SignedFiles,
    Omit<Visitors, 'holdRows'>,
    Omit<RateLimits, 'requestState' | 'sessionState'>,
    Omit<Charging, 'balance'> {
  /** Callers that are refused again and again. */
  readonly floods: Floods
  quotaStatus(account: Pick<Grant, 'accountId' | 'plan' | 'isVisitor'>): QuotaStatus
  /** The same for a signed-in customer, whose calls have a minute of their own. */
  sessionQuotaStatus(account: Pick<Grant, 'accountId' | 'plan'>): QuotaStatus
}

/** What reads are admitted, measured and charged by. */
export type Metering = Pick<Gate, 'checkPlan' | 'holdCredits' | 'takeTurn' | 'recordFailure' | 'quotaStatus'>

/** Of a visitor, who has no credits. */
const NO_BALANCE: Balance = { period: '', limit: 0, used: 0, remaining: 0, resetsAt: '' }

/** What the seam stands on: keys and ledger of the account plane, and clocks. */
export interface GateDeps {
  readonly keys: KeyStore
  readonly ledger: Ledger
  readonly clock: Clock
  /** What signs URLs of files, then what it replaces. */
  readonly fileSecrets: readonly string[]
  /** The plan whose data is read without an account on pages of the portal; null, or absent, where data needs one. */
  readonly visitors?: PlanId | null
  /** Milliseconds for the rate limits; the process's monotonic clock when absent. */
  readonly monotonicNow?: () => number
}

/** The seam between accounts and data, in parts: who it is, how often they call, what they pay, and what is read without an account. */
export function createGate({
  keys,
  ledger,
  clock,
  fileSecrets,
  visitors: plan = null,
  monotonicNow = () => performance.now(),
}: GateDeps): Gate {
  const limiter = createLimiter(monotonicNow)
  const { requestState, sessionState, ...rate } = createRateLimits(limiter)
  const { holdRows, ...visitors } = createVisitors(limiter, plan)
  const { balance, ...charging } = createCharging(ledger, { holdRows }, clock)
  return {
    ...createAuthentication(keys, limiter, clock),
    ...createSignedFiles(keys, fileSecrets, clock),
    ...visitors,
    ...rate,
    ...charging,
    floods: createFloods(limiter, monotonicNow),
    quotaStatus: account => ({
      balance: account.isVisitor ? NO_BALANCE : balance(account),
      rate: requestState(account),
      requestsAtOnce: PLANS[account.plan].requestsAtOnce,
    }),
    sessionQuotaStatus: account => ({ balance: balance(account), rate: sessionState(account.accountId), requestsAtOnce: null }),
  }
}
