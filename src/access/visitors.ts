import { PLANS, type PlanId } from '../../catalog/index.ts'
import { addressBucket, type Grant, type Words } from '../core/index.ts'
import type { CreditReservation } from '../usage/index.ts'
import { type Limiter, perHour, perMinute, throwIfLimited } from './gcra.ts'

export interface VisitorTerms {
  readonly plan: PlanId
  readonly rowLimit: number
  readonly requestsPerMinute: number
  readonly rowsPerHour: number
}

/**
 * Admits callers without an account. An IPv4 address or an IPv6 /64 network counts as one visitor.
 */
export interface Visitors {
  readonly visitorTerms: VisitorTerms | null
  /** Undefined if reading requires an account. */
  visitorFrom(address: string): Grant | undefined
  /** @throws Refusal rate_limited */
  limitVisitor(visitor: Grant): void
  /**
   * Counts rows at the end of a read, so concurrent reads can exceed the limit.
   *
   * @throws Refusal rate_limited
   */
  reserveRows(visitor: Grant): CreditReservation
}

const MAX_ROWS = 2_000
const REQUESTS = perMinute(240)
const ROWS = perHour(100_000)

/** @param plan the plan of visitors. Null admits no visitors */
export function createVisitors(limiter: Limiter, plan: PlanId | null): Visitors {
  const visitorTerms = plan && {
    plan,
    get rowLimit() {
      return Math.min(MAX_ROWS, PLANS[plan].rowLimit)
    },
    requestsPerMinute: REQUESTS.limit,
    rowsPerHour: ROWS.limit,
  }
  return {
    visitorTerms,
    visitorFrom(address) {
      if (!visitorTerms) return undefined
      const { plan, rowLimit } = visitorTerms
      const limits = { ...PLANS[plan], rowLimit }
      return { accountId: `visitor ${addressBucket(address)}`, keyId: 'visitor', plan, limits, isVisitor: true }
    },
    limitVisitor: ({ accountId }) => throwIfLimited(limiter.take(accountId, REQUESTS), tooMany),
    reserveRows({ accountId }) {
      const bucket = `rows ${accountId}`
      throwIfLimited(limiter.peek(bucket, ROWS), usedUp)
      return {
        release() {},
        settle: async ({ rows }) => limiter.spend(bucket, ROWS, rows),
      }
    },
  }
}

const tooMany = (seconds: number): Words => ({
  en: `Too many requests without an account. Wait ${seconds} ${seconds === 1 ? 'second' : 'seconds'}, or sign in for free.`,
  zh: `未登入的請求過於頻繁。請等待 ${seconds} 秒，或免費登入。`,
})
const usedUp = (seconds: number): Words => ({
  en: `Hourly limit of ${ROWS.limit} rows without an account reached. Wait ${seconds} ${seconds === 1 ? 'second' : 'seconds'}, or sign in for free.`,
  zh: `未登入者每小時可讀取的 ${ROWS.limit} 列已用完。請等待 ${seconds} 秒，或免費登入。`,
})
