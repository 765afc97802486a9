import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Grant } from '../core/grant.ts'
import type { Gate } from '../gate.ts'
import { apiKeyOf } from './credentials.ts'
import { sendStanding } from './standing.ts'

/** The gates before any dataset is looked at: credential, then rate. Every answer from here on states the account's standing. */
export function admitRequest(gate: Gate, request: FastifyRequest, reply: FastifyReply): Grant {
  const grant = gate.admit(apiKeyOf(request), request.ip)
  try {
    gate.pass(grant)
  } finally {
    sendStanding(reply, gate.standing(grant), 0)
  }
  return grant
}
