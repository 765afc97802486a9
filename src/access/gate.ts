import type { PlanId } from '../../catalog/index.ts'
import type { KeyStore } from '../accounts/index.ts'
import type { Clock, Grant } from '../core/index.ts'
import type { Balance, CreditEntries, Ledger } from '../usage/index.ts'
import { type Authentication, createAuthentication } from './auth.ts'
import { type Charging, createCharging } from './charging.ts'
import { createFloods, type Floods } from './floods.ts'
import { createLimiter, type RateState } from './gcra.ts'
import { createRateLimits, type RateLimits } from './rate.ts'
import { createSignedFiles, type SignedFiles } from './signed-files.ts'
import { createVisitors, type Visitors } from './visitors.ts'

export interface QuotaStatus {
  readonly balance: Balance
  readonly rate: RateState
  /** Null for sessions and local commands, which have no limit. */
  readonly requestsAtOnce: number | null
}

export interface Gate
  extends Authentication,
    SignedFiles,
    Omit<Visitors, 'reserveRows'>,
    Omit<RateLimits, 'requestState' | 'sessionState'>,
    Omit<Charging, 'balance'> {
  readonly floods: Floods
  quotaStatus(account: Pick<Grant, 'accountId' | 'limits' | 'isVisitor'>): QuotaStatus
  sessionQuotaStatus(account: Pick<Grant, 'accountId' | 'limits'>): QuotaStatus
}

export type Metering = Pick<Gate, 'checkPlan' | 'reserveCredits' | 'acquireSlot' | 'recordFailure' | 'quotaStatus'>

/** Balance of visitors and local commands, which have no credits. */
export const NO_BALANCE: Balance = { period: '', included: 0, granted: 0, refunded: 0, limit: 0, used: 0, remaining: 0, resetsAt: '' }

export interface GateDeps {
  readonly keys: KeyStore
  readonly ledger: Ledger
  readonly creditEntries: Pick<CreditEntries, 'ofPeriod'>
  readonly clock: Clock
  /** Secrets that sign download URLs. The current secret is first. */
  readonly fileSecrets: readonly string[]
  /** Plan of callers without an account. Null if every caller needs an account. */
  readonly visitors?: PlanId | null
  /** True on a replica, which does not know the API keys of the primary. */
  readonly isReplica?: () => boolean
  readonly monotonicNow?: () => number
}

export function createGate({
  keys,
  ledger,
  creditEntries,
  clock,
  fileSecrets,
  visitors: plan = null,
  isReplica = () => false,
  monotonicNow = () => performance.now(),
}: GateDeps): Gate {
  const limiter = createLimiter(monotonicNow)
  const { requestState, sessionState, ...rate } = createRateLimits(limiter)
  const { reserveRows, ...visitors } = createVisitors(limiter, plan)
  const { balance, ...charging } = createCharging(ledger, creditEntries, { reserveRows }, clock)
  return {
    ...createAuthentication(keys, limiter, clock, isReplica),
    ...createSignedFiles(keys, fileSecrets, clock),
    ...visitors,
    ...rate,
    ...charging,
    floods: createFloods(limiter, monotonicNow),
    quotaStatus: account => ({
      balance: account.isVisitor ? NO_BALANCE : balance(account),
      rate: requestState(account),
      requestsAtOnce: account.limits.requestsAtOnce,
    }),
    sessionQuotaStatus: account => ({ balance: balance(account), rate: sessionState(account.accountId), requestsAtOnce: null }),
  }
}
