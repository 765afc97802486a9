import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type Control, readEmail } from '../../../accounts/index.ts'
import { inputRefusal, type Log, taipei } from '../../../core/index.ts'
import { type Endpoint, PlanName, queryOf, readInput, requireAdmin, type TokenParts } from '../../kernel/index.ts'
import { keyView } from '../accounts/views.ts'
import { PlanGrant } from './schemas.ts'

export interface AdminParts extends TokenParts {
  readonly control: Control
  readonly log: Log
}

const GRANT = {
  summary: 'Grant a plan to an e-mail address',
  summaryZh: '授予方案',
  description:
    'Sets the plan in place of any granted before, free of charge, and issues a key at once; the account is made where there is none. A higher plan that is paid for stays in force. On record.',
  group: 'administration',
  caller: 'admin_token',
  body: z.strictObject({
    email: z.string().meta({ description: 'One plain address.', example: 'analyst@example.com' }),
    plan_id: PlanName,
    note: z.string().max(500).optional().meta({ description: 'Why; kept on record, shown to nobody.', example: 'conference' }),
    expires_at: z.iso
      .datetime({ offset: true })
      .optional()
      .meta({ description: 'When the grant ends, with an offset; never when left out.', example: '2099-12-31T23:59:59+08:00' }),
  }),
  answer: PlanGrant,
  example: { body: { email: 'analyst@example.com', plan_id: 'pro', note: 'conference' } },
} satisfies Endpoint

/** The owner's grant of a plan: no charge, an active key at once, on record. */
export function adminRoutes(app: FastifyInstance, parts: AdminParts): void {
  app.post('/v2/admin/grant-plan', { config: { endpoint: GRANT } }, (request, reply) => {
    requireAdmin(request, parts)
    queryOf(GRANT, request.query)
    reply.header('cache-control', 'no-store')
    return grant(parts, request)
  })
}

function grant({ control, clock, log }: AdminParts, request: FastifyRequest) {
  const { email: text, plan_id: planId, note = null, expires_at: until } = readInput(GRANT.body, request.body, 'body')
  const email = readEmail(text)
  if (!email) throw inputRefusal([{ loc: ['body', 'email'], msg: 'email must be one plain address', type: 'email' }])
  const now = clock()
  const expiresAt = until === undefined ? null : taipei(new Date(until))
  if (expiresAt !== null && expiresAt <= taipei(now))
    throw inputRefusal([{ loc: ['body', 'expires_at'], msg: 'expires_at must lie in the future', type: 'range' }])
  const { account, keyId, secret } = control.transaction(() => {
    const { id } = control.accounts.ensure(email, now)
    control.accounts.grantPlan(id, planId, { note, expiresAt }, now)
    const entry = { actor: 'admin', accountId: id, requestId: request.id }
    control.audit.write({ ...entry, action: 'plan granted', facts: { plan_id: planId, expires_at: expiresAt, note } }, now)
    const issued = control.keys.issue(id, `grant of ${planId}`, now)
    control.audit.write({ ...entry, action: 'key issued', target: issued.keyId }, now)
    return { account: control.accounts.byId(id, now)!, ...issued }
  })
  log('plan granted', { account: account.id, plan: planId })
  const apiKey = { ...keyView(control.keys.get(account.id, keyId, now)!, account), api_key: secret }
  return { email: email.address, account_id: account.id, plan_id: planId, plan_source: 'grant', charged: false, api_key: apiKey }
}
