import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { PLAN_IDS } from '../../catalog/plans.ts'
import { readEmail } from '../accounts/email.ts'
import type { Control } from '../accounts/open.ts'
import { taipei } from '../core/clock.ts'
import { inputRefusal } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import { readInput } from './input.ts'
import { requireAdmin, type TokenParts } from './tokens.ts'
import { keyView } from './views.ts'

export interface AdminParts extends TokenParts {
  readonly control: Control
  readonly log: Log
}

const Grant = z.strictObject({
  email: z.string(),
  plan_id: z.enum(PLAN_IDS as [(typeof PLAN_IDS)[number], ...(typeof PLAN_IDS)[number][]]),
  note: z.string().max(500).optional(),
  expires_at: z.iso.datetime({ offset: true }).optional(),
})

/** The owner's grant of a plan: no charge, an active key at once, on record. */
export function adminRoutes(app: FastifyInstance, parts: AdminParts): void {
  const { control, clock, log } = parts
  app.post('/v2/admin/grant-plan', (request, reply) => {
    requireAdmin(request, parts)
    const { email: text, plan_id: planId, note = null, expires_at: until } = readInput(Grant, request.body, 'body')
    const email = readEmail(text)
    if (!email) throw inputRefusal([{ loc: ['body', 'email'], msg: 'email must be one plain address', type: 'email' }])
    const now = clock()
    const expiresAt = until === undefined ? null : taipei(new Date(until))
    if (expiresAt !== null && expiresAt <= taipei(now))
      throw inputRefusal([{ loc: ['body', 'expires_at'], msg: 'expires_at must lie in the future', type: 'range' }])
    const { account, keyId, secret } = control.together(() => {
      const { id } = control.accounts.ensure(email, now)
      control.accounts.grantPlan(id, planId, { note, expiresAt }, now)
      control.audit.write(
        {
          actor: 'admin',
          action: 'plan granted',
          accountId: id,
          requestId: request.id,
          facts: { plan_id: planId, expires_at: expiresAt, note },
        },
        now,
      )
      const issued = control.keys.issue(id, `grant of ${planId}`, now)
      control.audit.write({ actor: 'admin', action: 'key issued', accountId: id, target: issued.keyId, requestId: request.id }, now)
      return { account: control.accounts.byId(id, now)!, ...issued }
    })
    log('plan granted', { account: account.id, plan: planId })
    reply.header('cache-control', 'no-store')
    const apiKey = { ...keyView(control.keys.get(account.id, keyId, now)!, account), api_key: secret }
    return { email: email.address, account_id: account.id, plan_id: planId, plan_source: 'grant', charged: false, api_key: apiKey }
  })
}
