import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type Catalog, FORMATS, meets, PLANS, served } from '../../../../catalog/index.ts'
import { type Account, type Control, readEmail } from '../../../accounts/index.ts'
import { Refusal } from '../../../core/index.ts'
import { admitRequest, type Endpoint, type QueryOf, queryOf, readInput, requireService, type TokenParts } from '../../kernel/index.ts'
import { AccountSummary, Entitlements } from './schemas.ts'
import { preview, previewDeclared, usageDeclared, usageSummary } from './usage.ts'
import { creditsView, limitsView } from './views.ts'

export interface AccountParts extends TokenParts {
  readonly control: Control
  readonly catalog: Catalog
}

const ENTITLEMENTS = {
  summary: 'What the key may read, its limits and its credits',
  summaryZh: '金鑰的權限、限制與點數',
  description: 'Every dataset with the plan it needs and what a read costs, and whether the plan of the key includes it. Costs no credit.',
  group: 'account',
  caller: 'api_key',
  answer: Entitlements,
  example: {},
} satisfies Endpoint

const SUMMARY = {
  summary: 'The plan behind an e-mail address',
  summaryZh: '以電子郵件查詢方案',
  description: 'For the website’s own backend. An address without an account has the free plan, in the same shape; this is never an error.',
  group: 'account',
  caller: 'service_token',
  headers: z.object({
    'x-account-email': z
      .string({ error: 'send the address in the x-account-email header' })
      .meta({ description: 'The address to look up, in any case.', example: 'analyst@example.com' }),
  }),
  answer: AccountSummary,
  example: { headers: { 'x-account-email': 'analyst@example.com' } },
} satisfies Endpoint

/** What a caller's key may do, has used and will be billed; and a plan by address, for the website's backend. None costs a credit. */
export function accountRoutes(app: FastifyInstance, parts: AccountParts): void {
  const usage = { ...usageDeclared(parts.catalog), group: 'account', caller: 'api_key' } satisfies Endpoint
  const bill = { ...previewDeclared(parts.catalog), group: 'account', caller: 'api_key' } satisfies Endpoint
  keyCall(app, parts, '/v2/account/entitlements', ENTITLEMENTS, account => entitlements(account, parts))
  keyCall(app, parts, '/v2/account/usage-summary', usage, (account, query) => usageSummary(account, parts, query))
  keyCall(app, parts, '/v2/account/billing-preview', bill, (account, query) => preview(account, parts, query))
  app.get('/v2/account/summary', { config: { endpoint: SUMMARY } }, (request, reply) => {
    requireService(request, parts)
    queryOf(SUMMARY, request.query)
    reply.header('cache-control', 'no-store')
    return summary(request, parts)
  })
}

/** Declares a GET about the account of an API key: credential, rate, parameters. */
function keyCall<E extends Endpoint>(
  app: FastifyInstance,
  parts: AccountParts,
  path: string,
  endpoint: E,
  answer: (account: Account, query: QueryOf<E>) => unknown,
): void {
  app.get(path, { config: { endpoint } }, (request, reply) => {
    const account = accountOfKey(parts, request, reply)
    return answer(account, queryOf(endpoint, request.query))
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
    credits: creditsView(gate.quotaStatus({ accountId: account.id, plan: account.plan }).balance),
    formats: FORMATS,
    features: PLANS[account.plan].features,
    datasets,
  }
}

/** The plan behind an address; the free default for an address without an account, in the same shape and never an error. */
function summary(request: FastifyRequest, { control, gate, clock }: AccountParts) {
  const { 'x-account-email': text } = readInput(SUMMARY.headers, request.headers, 'header')
  const email = readEmail(text)
  const account = email && control.accounts.byEmail(email, clock())
  const plan = account?.plan ?? 'free'
  const { balance } = gate.quotaStatus({ accountId: account?.id ?? '', plan })
  return {
    email: email?.address ?? text,
    plan_id: plan,
    account_status: account?.status ?? 'active',
    source: account ? 'account' : 'default',
    row_limit: PLANS[plan].rowLimit,
    credits: creditsView(balance),
  }
}
