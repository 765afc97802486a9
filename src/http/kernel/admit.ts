import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Priced } from '../../../catalog/index.ts'
import type { Gate } from '../../access/index.ts'
import type { Grant } from '../../core/index.ts'
import { sendQuotaHeaders } from './answer.ts'
import { apiKeyOf } from './credentials.ts'

/**
 * The gates before anything else is looked at: credential, then rate. Every answer from here on states the account's standing.
 *
 * @param priced what is asked for, if it is sold: a call refused for its rate counts among the errors of that day
 */
export function admitRequest(gate: Gate, request: FastifyRequest, reply: FastifyReply, priced?: Priced): Grant {
  const grant = gate.authenticate(apiKeyOf(request), request.ip)
  try {
    gate.limitRequest(grant)
  } catch (error) {
    if (priced) gate.recordFailure(grant, priced)
    throw error
  } finally {
    sendQuotaHeaders(reply, gate.quotaStatus(grant), 0)
  }
  return grant
}
