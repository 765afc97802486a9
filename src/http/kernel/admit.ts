import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Priced } from '../../../catalog/index.ts'
import type { Gate } from '../../access/index.ts'
import type { Grant } from '../../core/index.ts'
import { apiKeyOf } from './credentials.ts'
import { sendStanding } from './standing.ts'

/**
 * The gates before anything else is looked at: credential, then rate. Every answer from here on states the account's standing.
 *
 * @param priced what is asked for, if it is sold: a call refused for its rate counts among the errors of that day
 */
export function admitRequest(gate: Gate, request: FastifyRequest, reply: FastifyReply, priced?: Priced): Grant {
  const grant = gate.admit(apiKeyOf(request), request.ip)
  try {
    gate.pass(grant)
  } catch (error) {
    if (priced) gate.miss(grant, priced)
    throw error
  } finally {
    sendStanding(reply, gate.standing(grant), 0)
  }
  return grant
}

/** The same for a read of a dataset, whose answer states the standing once it is known; refused for its rate it does here, and counts as an error of that day. */
export function admitRead(gate: Gate, request: FastifyRequest, reply: FastifyReply, priced: Priced): Grant {
  const grant = gate.admit(apiKeyOf(request), request.ip)
  try {
    gate.pass(grant)
  } catch (error) {
    gate.miss(grant, priced)
    sendStanding(reply, gate.standing(grant), 0)
    throw error
  }
  return grant
}
