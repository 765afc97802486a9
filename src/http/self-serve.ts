import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Catalog } from '../../catalog/load.ts'
import type { Account } from '../accounts/accounts.ts'
import { hasEnded } from '../accounts/billing/subscriptions.ts'
import type { Control } from '../accounts/open.ts'
import { Refusal } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import { sessionOf, type TokenParts } from './tokens.ts'
import { usageSummary } from './usage-summary.ts'
import { accountView } from './views.ts'

export interface SelfServeParts extends TokenParts {
  readonly control: Control
  readonly catalog: Catalog
  readonly log: Log
}

/** Where a signed-in customer is sent on to the provider's portal. */
export const PORTAL_PATH = '/v2/self-serve/billing/portal-session'

/** The account behind a request's session. @throws Refusal invalid_self_serve_token, account_closed */
export function accountOf(request: FastifyRequest, parts: SelfServeParts): Account {
  const { accountId } = sessionOf(request, parts)
  parts.gate.passSession(accountId)
  const account = parts.control.accounts.byId(accountId, parts.clock())
  if (account?.status !== 'active') throw new Refusal('account_closed')
  return account
}

/** An account's own view of itself, and its end. */
export function selfServeRoutes(app: FastifyInstance, parts: SelfServeParts): void {
  const { control, gate, clock, log } = parts
  app.get('/v2/self-serve/account', (request, reply) => {
    const account = accountOf(request, parts)
    reply.header('cache-control', 'no-store')
    return accountView(account, gate.standing({ accountId: account.id, plan: account.plan }).balance, control.subscriptions.of(account.id))
  })
  app.get('/v2/self-serve/usage-summary', (request, reply) => {
    const account = accountOf(request, parts)
    reply.header('cache-control', 'no-store')
    return usageSummary(account, parts, request.query as Record<string, unknown>)
  })
  app.delete('/v2/self-serve/account', (request, reply) => {
    const account = accountOf(request, parts)
    // The provider is left alone: ending a subscription is its owner's own act.
    const live = control.subscriptions.of(account.id).some(subscription => !hasEnded(subscription))
    const { closedAt, keysRevoked } = control.closeAccount(account.id, request.id, clock())
    log('account closed', { account: account.id, keys: keysRevoked })
    reply.header('cache-control', 'no-store')
    return {
      account_id: account.id,
      account_status: 'closed',
      closed_at: closedAt,
      api_keys_revoked: keysRevoked,
      portal_access_invalidated: true,
      profile_redacted: true,
      billing_records_retained: true,
      usage_records_retained: true,
      billing: live
        ? { action_required: true, reason: 'subscription_still_live', portal_path: PORTAL_PATH }
        : { action_required: false, reason: null, portal_path: null },
    }
  })
}
