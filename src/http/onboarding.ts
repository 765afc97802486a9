import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { readEmail } from '../accounts/email.ts'
import type { Control } from '../accounts/open.ts'
import type { Clock } from '../core/clock.ts'
import { Refusal } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import type { Gate } from '../gate.ts'
import { readInput } from './input.ts'
import { accountView, keyView } from './views.ts'

export interface OnboardingParts {
  readonly control: Control
  readonly gate: Gate
  readonly clock: Clock
  readonly log: Log
}

/** Mails the whole service sends in an hour before it stops to ask a person. */
const MOST_MAILS_AN_HOUR = 300

const Start = z.object({
  email: z.string({ error: 'must be one plain address, for example analyst@example.com' }).transform((text, context) => {
    const email = readEmail(text)
    if (email) return email
    context.addIssue({ code: 'custom', message: 'must be one plain address, for example analyst@example.com' })
    return z.NEVER
  }),
  locale: z.enum(['en', 'zh-TW']).catch('en').default('en'),
})
const Complete = z.object({
  flow_id: z.string().max(64),
  code: z
    .string()
    .trim()
    .regex(/^\d{8}$/, 'must be the 8 digits of the mail'),
})

/** Sign-in by mail: the same answer for every address, then a token for whoever has the code. */
export function onboardingRoutes(app: FastifyInstance, parts: OnboardingParts): void {
  const { control, gate, clock } = parts
  app.post('/v2/self-serve/onboarding/start', (request, reply) => {
    gate.passAddress(request.ip, 'onboarding')
    const { email, locale } = readInput(Start, request.body, 'body')
    if (control.outbox.lastHour(clock()) >= MOST_MAILS_AN_HOUR) throw new Refusal('overloaded', { retry_after: 600 })
    const { flowId, expiresIn, resendAfter } = control.onboarding.start(email, locale, clock())
    reply.header('cache-control', 'no-store')
    return { flow_id: flowId, status: 'code_sent', expires_in: expiresIn, resend_after: resendAfter }
  })
  app.post('/v2/self-serve/onboarding/complete', (request, reply) => {
    gate.passAddress(request.ip, 'code')
    const { flow_id, code } = readInput(Complete, request.body, 'body')
    const email = readEmail(control.onboarding.complete(flow_id, code, clock()))
    if (!email) throw new Refusal('invalid_or_expired_code')
    reply.header('cache-control', 'no-store')
    return signIn(parts, email, request.id)
  })
}

/** Opens a session. An account that has no key yet gets its first one with it, so that the next call can be a read. */
function signIn({ control, gate, clock, log }: OnboardingParts, email: NonNullable<ReturnType<typeof readEmail>>, requestId: string) {
  const now = clock()
  const account = control.accounts.ensure(email, now)
  const { token, expiresAt } = control.sessions.open(account.id, now)
  const { balance } = gate.standing({ accountId: account.id, plan: account.plan })
  const answer = {
    self_serve_token: token,
    expires_at: expiresAt,
    account: accountView(account, balance, control.subscriptions.of(account.id)),
  }
  if (control.keys.list(account.id, now).length > 0) return answer
  const { keyId, secret } = control.keys.issue(account.id, 'first key', now)
  control.audit.write({ actor: account.id, action: 'key issued', accountId: account.id, target: keyId, requestId }, now)
  log('key issued', { account: account.id, key: keyId })
  return { ...answer, api_key: { ...keyView(control.keys.get(account.id, keyId, now)!, account), api_key: secret } }
}
