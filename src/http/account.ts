import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type Catalog, served } from '../../catalog/load.ts'
import { meets, PLANS } from '../../catalog/plans.ts'
import type { Account } from '../accounts/accounts.ts'
import { billingPreview } from '../accounts/billing-preview.ts'
import { readEmail } from '../accounts/email.ts'
import type { Control } from '../accounts/open.ts'
import { Refusal } from '../core/errors.ts'
import { admitRequest } from './admit.ts'
import { readInput } from './input.ts'
import { requireService, type TokenParts } from './tokens.ts'
import { readUsageQuery, usageSummary } from './usage-summary.ts'
import { creditsView, limitsView } from './views.ts'

export interface AccountParts extends TokenParts {
  readonly control: Control
  readonly catalog: Catalog
}

/** What a caller's key may do, has used and will be billed; and a plan by address, for the website's backend. None costs a credit. */
export function accountRoutes(app: FastifyInstance, parts: AccountParts): void {
  app.get('/v2/account/entitlements', (request, reply) => entitlements(accountOfKey(parts, request, reply), parts))
  app.get('/v2/account/usage-summary', (request, reply) =>
    usageSummary(accountOfKey(parts, request, reply), parts, request.query as Record<string, unknown>),
  )
  app.get('/v2/account/billing-preview', (request, reply) => {
    const account = accountOfKey(parts, request, reply)
    const { window, dataset } = readUsageQuery(request.query as Record<string, unknown>, parts)
    const { balance } = parts.gate.standing({ accountId: account.id, plan: account.plan })
    return billingPreview(
      account,
      window,
      parts.control.usage.report(account.id, window, dataset),
      balance,
      parts.control.subscriptions.of(account.id),
    )
  })
  app.get('/v2/account/summary', (request, reply) => {
    requireService(request, parts)
    reply.header('cache-control', 'no-store')
    return summary(request, parts)
  })
}

function accountOfKey({ gate, control, clock }: AccountParts, request: FastifyRequest, reply: FastifyReply): Account {
  const { accountId } = admitRequest(gate, request, reply)
  reply.header('cache-control', 'no-store')
  const account = control.accounts.byId(accountId, clock())
  if (!account) throw new Refusal('invalid_api_key')
  return account
}

function entitlements(account: Account, { catalog, gate }: AccountParts) {
  const datasets = served(catalog).map(({ id, access }) => {
    const allowed = meets(account.plan, access!.plan)
    const reason = allowed ? null : `needs plan ${access!.plan}`
    return { dataset: id, minimum_plan: access!.plan, credits_per_call: access!.credits, allowed, reason }
  })
  return {
    account_id: account.id,
    plan_id: account.plan,
    ...limitsView(account),
    credits: creditsView(gate.standing({ accountId: account.id, plan: account.plan }).balance),
    formats: ['json'],
    features: PLANS[account.plan].features,
    datasets,
  }
}

const Headers = z.object({ 'x-account-email': z.string({ error: 'send the address in the x-account-email header' }) })

/** The plan behind an address; the free default for an address without an account, in the same shape and never an error. */
function summary(request: FastifyRequest, { control, gate, clock }: AccountParts) {
  const { 'x-account-email': text } = readInput(Headers, request.headers, 'header')
  const email = readEmail(text)
  const account = email && control.accounts.byEmail(email, clock())
  const plan = account?.plan ?? 'free'
  const { balance } = gate.standing({ accountId: account?.id ?? '', plan })
  return {
    email: email?.address ?? text,
    plan_id: plan,
    account_status: account?.status ?? 'active',
    source: account ? 'account' : 'default',
    row_limit: PLANS[plan].rowLimit,
    credits: creditsView(balance),
  }
}
