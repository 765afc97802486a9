import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Priced } from '../../../catalog/index.ts'
import type { Gate } from '../../access/index.ts'
import { type Grant, Refusal } from '../../core/index.ts'
import { sendQuotaHeaders } from './standing.ts'

/** What admitted work came to. */
export interface Answered {
  readonly body: unknown
  /** Rows in the body, as usage counts them. */
  readonly rows: number
  /** The answer costs nothing, for example because what it asks for is not built. */
  readonly free?: boolean
}

/** Nobody is left to read it. */
const LEFT = 'The caller hung up while the request waited in line.'

/**
 * Runs admitted work in the account's turn, against credits set aside for it, and records the use before the answer leaves. Whatever
 * fails gives the credits back; counting the failure is the caller's, who knows what else was refused. A caller who hung up before the
 * answer began got nothing, and pays nothing; one who did so in line has nothing read for them either.
 *
 * @returns what the work came to, and the credits it cost; the reply states the account's standing after it
 * @throws Refusal credits_exhausted, concurrency_limited, also for a caller who left the line; what the work throws
 */
export async function answerCharged<A extends Answered>(
  { gate }: { readonly gate: Gate },
  grant: Grant,
  priced: Priced,
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<A>,
): Promise<A & { readonly charged: number }> {
  const { credits } = priced.access!
  const hold = gate.holdCredits(grant, priced)
  let leave = (): void => {}
  try {
    leave = await gate.acquireSlot(grant)
    if (reply.raw.destroyed) throw new Refusal('concurrency_limited', { retry_after: 1 }, LEFT)
    const answered = await work()
    const gone = reply.raw.destroyed
    if (gone) gate.recordFailure(grant, priced)
    const charged = answered.free || gone ? 0 : credits
    if (charged > 0) await hold.settle({ requestId: request.id, rows: answered.rows })
    hold.release()
    sendQuotaHeaders(reply, gate.quotaStatus(grant), charged)
    return { ...answered, charged }
  } finally {
    hold.release()
    leave()
  }
}
