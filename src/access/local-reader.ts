import { PLAN_IDS, PLANS } from '../../catalog/index.ts'
import type { Grant } from '../core/index.ts'
import { type Metering, NO_BALANCE, type QuotaStatus } from './gate.ts'

const PLAN = PLAN_IDS.at(-1)!

const QUOTA: QuotaStatus = {
  balance: NO_BALANCE,
  rate: { allowed: true, limit: 0, remaining: 0, resetSeconds: 0, retryAfter: 0 },
  requestsAtOnce: null,
}

/** Creates a grant for local commands. Reads are neither limited nor charged. */
export function createLocalReader(): { readonly reader: Grant; readonly gate: Metering } {
  const reservation = {
    release() {},
    settle: async () => {},
  }
  return {
    reader: { accountId: 'local', keyId: 'local', plan: PLAN, limits: PLANS[PLAN], isVisitor: true },
    gate: {
      checkPlan() {},
      reserveCredits: () => reservation,
      acquireSlot: () => ({ resize() {}, end() {} }),
      recordFailure() {},
      quotaStatus: () => QUOTA,
    },
  }
}
