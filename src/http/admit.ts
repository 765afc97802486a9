import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Dataset } from '../../catalog/dataset.ts'
import type { Grant } from '../core/grant.ts'
import type { Gate } from '../gate.ts'
import { apiKeyOf } from './credentials.ts'
import { sendStanding } from './standing.ts'

/**
 * The gates before any dataset is looked at: credential, then rate. Every answer from here on states the account's standing.
 *
 * @param dataset what is read, if anything is: a read refused for its rate counts among the errors of that day
 */
export function admitRequest(gate: Gate, request: FastifyRequest, reply: FastifyReply, dataset?: Dataset): Grant {
  const grant = gate.admit(apiKeyOf(request), request.ip)
  try {
    gate.pass(grant)
  } catch (error) {
    if (dataset) gate.miss(grant, dataset)
    throw error
  } finally {
    sendStanding(reply, gate.standing(grant), 0)
  }
  return grant
}
