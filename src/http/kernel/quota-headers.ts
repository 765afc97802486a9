import type { QuotaStatus } from '../../access/index.ts'

/** The price of an answer, the credits left and the requests left in the minute, as names of headers, each with its value behind it. */
export function quotaHeaders({ balance, rate, requestsAtOnce }: QuotaStatus, charged: number): readonly (string | number)[] {
  const atOnce = requestsAtOnce === null ? '' : `, "concurrent";q=${requestsAtOnce};qu="concurrent-requests"`
  // Where nothing is left, the same moment as Retry-After, as the draft of these headers recommends.
  const seconds = rate.allowed ? rate.resetSeconds : rate.retryAfter
  // biome-ignore format: a header a line
  return [
    'x-credits-charged', charged,
    'x-credits-limit', balance.limit,
    'x-credits-remaining', balance.remaining,
    'x-credits-reset', balance.resetsAt,
    'ratelimit-policy', `"minute";q=${rate.limit};w=60${atOnce}`,
    'ratelimit', `"minute";r=${rate.remaining};t=${seconds}`,
    'x-ratelimit-limit', rate.limit,
    'x-ratelimit-remaining', rate.remaining,
    'x-ratelimit-reset', seconds,
  ]
}
