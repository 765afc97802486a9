import { PLAN_IDS, PLANS } from '../../catalog/index.ts'
import type { Grant } from '../core/index.ts'
import type { Metering, QuotaStatus } from './gate.ts'

const PLAN = PLAN_IDS.at(-1)!

/**
 * Commands on the data folder: the caller owns all files, so nothing is limited, charged or
 * recorded.
 */
const READER: Grant = { accountId: 'local', keyId: 'local', plan: PLAN, limits: PLANS[PLAN], isVisitor: true }

const QUOTA: QuotaStatus = {
  balance: { period: '', limit: 0, used: 0, remaining: 0, resetsAt: '' },
  rate: { allowed: true, limit: 0, remaining: 0, resetSeconds: 0, retryAfter: 0 },
  requestsAtOnce: null,
}

/** Creates a grant without an account, and a gate that admits it. */
export function createLocalReader(): { readonly reader: Grant; readonly gate: Metering } {
  const reservation = {
    release() {},
    settle: async () => {},
  }
  return {
    reader: READER,
    gate: {
      checkPlan() {},
      reserveCredits: () => reservation,
      acquireSlot: () => ({ resize() {}, end() {} }),
      recordFailure() {},
      quotaStatus: () => QUOTA,
    },
  }
}
