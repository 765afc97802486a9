import { PLAN_IDS, PLANS } from '../../catalog/index.ts'
import type { Grant } from '../core/index.ts'
import type { Metering, QuotaStatus } from './gate.ts'

const PLAN = PLAN_IDS.at(-1)!

/** Whoever runs a command on the data folder: they have all of it, so nothing is limited, charged or recorded. */
const READER: Grant = { accountId: 'local', keyId: 'local', plan: PLAN, rowLimit: PLANS[PLAN].rowLimit, isVisitor: true }

const QUOTA: QuotaStatus = {
  balance: { period: '', limit: 0, used: 0, remaining: 0, resetsAt: '' },
  rate: { allowed: true, limit: 0, remaining: 0, resetSeconds: 0, retryAfter: 0 },
  requestsAtOnce: null,
}

/** A reader without an account, and a gate that lets them through. */
export function createLocalReader(): { readonly reader: Grant; readonly gate: Metering } {
  const hold = {
    release() {},
    settle: async () => {},
  }
  return {
    reader: READER,
    gate: {
      checkPlan() {},
      holdCredits: () => hold,
      takeTurn: () => ({ resize() {}, end() {} }),
      recordFailure() {},
      quotaStatus: () => QUOTA,
    },
  }
}
