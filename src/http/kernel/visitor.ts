import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Account, Control } from '../../accounts/index.ts'
import { Refusal } from '../../core/index.ts'
import { sendQuotaHeaders } from './answer.ts'
import type { Endpoint } from './endpoint.ts'
import { type QueryOf, queryOf } from './query.ts'
import { sessionOf, type TokenParts } from './tokens.ts'

export interface VisitorParts extends TokenParts {
  readonly control: Control
}

/** A call of a signed-in visitor, admitted and its parameters read. */
export interface Visit<E extends Endpoint> {
  readonly account: Account
  readonly query: QueryOf<E>
  readonly request: FastifyRequest
}

/**
 * Declares a call of a signed-in visitor: admitted by session, then rate, then parameters; its answer states the account's standing and is
 * kept by nobody.
 *
 * @param path in the router's form, for example `/v2/self-serve/api-keys/:key_id/revoke`
 */
export function visitorCall<E extends Endpoint>(
  app: FastifyInstance,
  parts: VisitorParts,
  [method, path]: readonly ['GET' | 'POST' | 'DELETE', string],
  endpoint: E,
  answer: (visit: Visit<E>) => unknown,
): void {
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const account = admitVisitor(parts, request, reply)
    const query = queryOf(endpoint, request.query)
    reply.header('cache-control', 'no-store')
    return answer({ account, query, request })
  }
  app.route({ method, url: path, config: { endpoint }, handler })
}

/** @throws Refusal invalid_self_serve_token, account_closed, rate_limited */
function admitVisitor(parts: VisitorParts, request: FastifyRequest, reply: FastifyReply): Account {
  const { gate, control, clock } = parts
  const { accountId } = sessionOf(request, parts)
  const account = control.accounts.byId(accountId, clock())
  if (account?.status !== 'active') throw new Refusal('account_closed')
  try {
    gate.limitSession(accountId)
  } finally {
    sendQuotaHeaders(reply, gate.sessionQuotaStatus({ accountId, plan: account.plan }), 0)
  }
  return account
}

/** A value of the path, by its name there. */
export const pathValue = ({ params }: FastifyRequest, name: string): string => (params as Readonly<Record<string, string>>)[name]!
