import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Catalog } from '../../../../catalog/index.ts'
import { hasEnded, type Account as StoredAccount } from '../../../accounts/index.ts'
import type { Log } from '../../../core/index.ts'
import { type Endpoint, readInput, type VisitorParts, visitorCall } from '../../kernel/index.ts'
import { Account, ClosedAccount } from './schemas.ts'
import { usageDeclared, usageSummary } from './usage.ts'
import { accountView } from './views.ts'

export interface SelfServeParts extends VisitorParts {
  readonly catalog: Catalog
  readonly log: Log
}

/** Where a signed-in customer is sent on to the provider's portal. */
export const PORTAL_PATH = '/v2/self-serve/billing/portal-session'

const ACCOUNT = {
  summary: 'The account, its plan, limits and credits',
  summaryZh: '帳戶資料、方案、限制與點數',
  group: 'self_serve',
  caller: 'self_serve_token',
  answer: Account,
  example: {},
} satisfies Endpoint

const CLOSE = {
  summary: 'Close the account',
  summaryZh: '關閉帳戶',
  description:
    'Revokes every key and ends every session at once, erases the profile and ends a granted plan; records of billing and usage stay. A subscription at the payment provider goes on until it is cancelled in the portal: `billing.action_required` says so. An account cannot be opened again; the same address may begin a new one.',
  group: 'self_serve',
  caller: 'self_serve_token',
  body: z.looseObject({}).optional().meta({ description: 'Not needed; what it holds is not read.' }),
  answer: ClosedAccount,
} satisfies Endpoint

/** An account's own view of itself, and its end. */
export function selfServeRoutes(app: FastifyInstance, parts: SelfServeParts): void {
  const { control, gate } = parts
  const usage = { ...usageDeclared(parts.catalog), group: 'self_serve', caller: 'self_serve_token' } satisfies Endpoint
  visitorCall(app, parts, ['GET', '/v2/self-serve/account'], ACCOUNT, ({ account }) =>
    accountView(
      account,
      gate.quotaStatus({ accountId: account.id, plan: account.plan }).balance,
      control.subscriptions.byAccount(account.id),
    ),
  )
  visitorCall(app, parts, ['GET', '/v2/self-serve/usage-summary'], usage, ({ account, query }) => usageSummary(account, parts, query))
  visitorCall(app, parts, ['DELETE', '/v2/self-serve/account'], CLOSE, ({ account, request }) => {
    readInput(CLOSE.body, request.body, 'body')
    return close(account, parts, request.id)
  })
}

function close(account: StoredAccount, { control, clock, log }: SelfServeParts, requestId: string) {
  // The provider is left alone: ending a subscription is its owner's own act.
  const live = control.subscriptions.byAccount(account.id).some(subscription => !hasEnded(subscription))
  const { closedAt, keysRevoked } = control.closeAccount(account.id, requestId, clock())
  log('account closed', { account: account.id, keys: keysRevoked })
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
}
