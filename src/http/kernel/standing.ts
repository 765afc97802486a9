import type { FastifyReply } from 'fastify'
import type { QuotaStatus } from '../../access/index.ts'

/** States on an authenticated answer what it cost, what is left, and how many more requests the minute has. */
export function sendQuotaHeaders(reply: FastifyReply, { balance, rate, requestsAtOnce }: QuotaStatus, charged: number): void {
  reply.header('x-credits-charged', charged)
  reply.header('x-credits-limit', balance.limit)
  reply.header('x-credits-remaining', balance.remaining)
  reply.header('x-credits-reset', balance.resetsAt)
  const atOnce = requestsAtOnce === null ? '' : `, "concurrent";q=${requestsAtOnce};qu="concurrent-requests"`
  reply.header('ratelimit-policy', `"minute";q=${rate.limit};w=60${atOnce}`)
  reply.header('ratelimit', `"minute";r=${rate.remaining};t=${rate.resetSeconds}`)
  reply.header('x-ratelimit-limit', rate.limit)
  reply.header('x-ratelimit-remaining', rate.remaining)
  reply.header('x-ratelimit-reset', rate.resetSeconds)
}
