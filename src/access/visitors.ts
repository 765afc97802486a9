import { PLANS, type PlanId } from '../../catalog/index.ts'
import { addressBucket, type Grant, type Words } from '../core/index.ts'
import type { Hold } from '../usage/index.ts'
import { type Limiter, perHour, perMinute, throwWhenOver } from './gcra.ts'

/** What is read on pages of the portal without an account. */
export interface VisitorTerms {
  /** Its datasets are shown. */
  readonly plan: PlanId
  /** Most rows of one answer. */
  readonly rowLimit: number
  /** Requests of one address. */
  readonly requestsPerMinute: number
  /** Rows of one address. */
  readonly rowsPerHour: number
}

/** Whoever looks at pages of the portal without an account, told apart by address (an IPv6 /64). */
export interface Visitors {
  /** Null where data needs an account. */
  readonly visitorTerms: VisitorTerms | null
  /** What a visitor may read; undefined where data needs an account. */
  visitorFrom(address: string): Grant | undefined
  /** Counts a visitor's request. @throws Refusal rate_limited */
  limitVisitor(visitor: Grant): void
  /** Lets a read in whose rows count once it is answered, so a few at a time may go beyond the hour's. @throws Refusal rate_limited */
  holdRows(visitor: Grant): Hold
}

const MOST_ROWS = 2_000
const REQUESTS = perMinute(240)
const ROWS = perHour(100_000)

/** @param plan whose datasets visitors read; null where there are no visitors */
export function createVisitors(limiter: Limiter, plan: PlanId | null): Visitors {
  const visitorTerms = plan && {
    plan,
    rowLimit: Math.min(MOST_ROWS, PLANS[plan].rowLimit),
    requestsPerMinute: REQUESTS.limit,
    rowsPerHour: ROWS.limit,
  }
  return {
    visitorTerms,
    visitorFrom(address) {
      if (!visitorTerms) return undefined
      const { plan, rowLimit } = visitorTerms
      return { accountId: `visitor ${addressBucket(address)}`, keyId: 'visitor', plan, rowLimit, isVisitor: true }
    },
    limitVisitor: ({ accountId }) => throwWhenOver(limiter.take(accountId, REQUESTS), tooMany),
    holdRows({ accountId }) {
      const bucket = `rows ${accountId}`
      throwWhenOver(limiter.peek(bucket, ROWS), usedUp)
      return {
        release() {},
        settle: async ({ rows }) => limiter.spend(bucket, ROWS, rows),
      }
    },
  }
}

const tooMany = (seconds: number): Words => ({
  en: `Too many requests without signing in; wait ${seconds} ${seconds === 1 ? 'second' : 'seconds'}, or sign in, which is free.`,
  zh: `未登入的請求過於頻繁；請等待 ${seconds} 秒，或免費登入。`,
})
const usedUp = (seconds: number): Words => ({
  en: `The ${ROWS.limit} rows that an hour allows without signing in are read; wait ${seconds} ${seconds === 1 ? 'second' : 'seconds'}, or sign in, which is free.`,
  zh: `未登入者每小時可讀取的 ${ROWS.limit} 列已用完；請等待 ${seconds} 秒，或免費登入。`,
})
