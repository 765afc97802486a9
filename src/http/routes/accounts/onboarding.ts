import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Gate } from '../../../access/index.ts'
import { type Control, readEmail } from '../../../accounts/index.ts'
import { addressBucket, type Clock, type Log, Refusal } from '../../../core/index.ts'
import { type Endpoint, queryOf, readInput } from '../../kernel/index.ts'
import { CodeSent, SignedIn } from './schemas.ts'
import { accountView, keyView } from './views.ts'

export interface OnboardingParts {
  readonly control: Control
  readonly gate: Gate
  readonly clock: Clock
  readonly log: Log
}

/** Mails the whole service sends in an hour before it stops to ask a person. */
const MOST_MAILS_AN_HOUR = 300

const ONE_ADDRESS = 'must be one plain address, for example analyst@example.com'
const Address = z.string({ error: ONE_ADDRESS }).transform((text, context) => {
  const email = readEmail(text)
  if (email) return email
  context.addIssue({ code: 'custom', message: ONE_ADDRESS })
  return z.NEVER
})

const COMMON = { group: 'self_serve', caller: 'public' } as const

const START = {
  ...COMMON,
  summary: 'Sign in or sign up: have a code mailed',
  summaryZh: '登入或註冊：寄送驗證碼',
  description:
    'The answer is the same whether the address has an account or not. A code works for ten minutes; within a minute of one no other is mailed, and five an hour at most.',
  body: z.object({
    email: Address.meta({ description: 'One plain address.', example: 'analyst@example.com' }),
    locale: z.enum(['en', 'zh-TW']).catch('en').default('en').meta({ description: 'Language of the mail; English for any other.' }),
  }),
  answer: CodeSent,
  refusals: ['overloaded'],
  example: { body: { email: 'analyst@example.com' } },
} satisfies Endpoint

const COMPLETE = {
  ...COMMON,
  summary: 'Sign in with the mailed code',
  summaryZh: '以驗證碼完成登入',
  description:
    'Answers a token for the self-serve paths, and the first key where the account has none. Five tries a start, fifty a code; a code works once.',
  body: z.object({
    flow_id: z.string().max(64).meta({ description: 'As the start answered it.', example: 'flow_0123456789abcdefghjkmnpqrs' }),
    code: z
      .string()
      .trim()
      .regex(/^\d{8}$/, 'must be the 8 digits of the mail')
      .meta({ description: 'The eight digits of the mail.', example: '01234567' }),
  }),
  answer: SignedIn,
  refusals: ['invalid_or_expired_code'],
} satisfies Endpoint

/** Sign-in by mail: the same answer for every address, then a token for whoever has the code. */
export function onboardingRoutes(app: FastifyInstance, parts: OnboardingParts): void {
  const { control, gate, clock } = parts
  app.post('/v2/self-serve/onboarding/start', { config: { endpoint: START } }, (request, reply) => {
    gate.limitAddress(request.ip, 'onboarding')
    queryOf(START, request.query)
    const { email, locale } = readInput(START.body, request.body, 'body')
    if (control.outbox.lastHour(clock()) >= MOST_MAILS_AN_HOUR) throw new Refusal('overloaded', { retry_after: 600 })
    const { flowId, expiresIn, resendAfter } = control.onboarding.start(email, locale, addressBucket(request.ip), clock())
    reply.header('cache-control', 'no-store')
    return { flow_id: flowId, status: 'code_sent', expires_in: expiresIn, resend_after: resendAfter }
  })
  app.post('/v2/self-serve/onboarding/complete', { config: { endpoint: COMPLETE } }, (request, reply) => {
    gate.limitAddress(request.ip, 'code')
    queryOf(COMPLETE, request.query)
    const { flow_id, code } = readInput(COMPLETE.body, request.body, 'body')
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
  const { balance } = gate.quotaStatus({ accountId: account.id, plan: account.plan })
  const answer = {
    self_serve_token: token,
    expires_at: expiresAt,
    account: accountView(account, balance, control.subscriptions.byAccount(account.id)),
  }
  if (control.keys.list(account.id, now).length > 0) return answer
  const { keyId, secret } = control.keys.issue(account.id, 'first key', now)
  control.audit.write({ actor: account.id, action: 'key issued', accountId: account.id, target: keyId, requestId }, now)
  log('key issued', { account: account.id, key: keyId })
  return { ...answer, api_key: { ...keyView(control.keys.get(account.id, keyId, now)!, account), api_key: secret } }
}
