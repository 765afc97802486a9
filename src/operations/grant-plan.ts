import type { PlanId } from '../../catalog/index.ts'
import { emailMistake, readEmail } from '../accounts/index.ts'
import { inputRefusal, isDay, type Refusal, taipei, taipeiDay, type Words } from '../core/index.ts'
import type { AccountDeps, AuditedCall } from './callers.ts'
import { issueKey } from './manage-keys.ts'

export interface GrantPlanInput {
  readonly email: string
  readonly plan_id: PlanId
  /** Why; kept on record, shown to nobody. */
  readonly note?: string | undefined
  /** RFC 3339 with any offset; the grant does not end when absent. */
  readonly expires_at?: string | undefined
}

/**
 * Grants a plan free of charge, in place of any granted before, and issues a key immediately; the account is made where there is none. All of
 * it and its audit entries are kept together or not at all.
 *
 * @returns a function that grants for a caller admitted as an administrator. @throws Refusal invalid_parameter for an address that is none, or an end that is past
 */
export const createGrantPlan =
  ({ control, clock, log }: AccountDeps) =>
  (actor: 'admin', input: GrantPlanInput, { requestId }: AuditedCall) => {
    const { plan_id: planId, note = null, expires_at: until } = input
    const email = readEmail(input.email)
    if (!email) throw refusedEmail(emailMistake(input.email))
    const now = clock()
    const end = until === undefined ? null : new Date(until)
    if (end !== null && end <= now) throw refusedEnd({ en: 'expires_at must lie in the future', zh: 'expires_at 必須是未來的時間' })
    if (end !== null && !isDay(taipeiDay(end)))
      throw refusedEnd({
        en: 'expires_at must lie before the year 10000 in Taipei; leave it out where the grant is not to end',
        zh: 'expires_at 必須早於臺北時間西元 10000 年；若授予不設期限，請省略',
      })
    const expiresAt = end && taipei(end)
    const { accountId, key } = control.transaction(() => {
      const { id: accountId } = control.accounts.ensure(email, now)
      control.accounts.grantPlan(accountId, planId, { note, expiresAt }, now)
      const facts = { plan_id: planId, expires_at: expiresAt, note }
      control.audit.write({ actor, action: 'plan granted', accountId, requestId, facts }, now)
      const account = control.accounts.byId(accountId, now)!
      return { accountId, key: issueKey(control, account, { name: `grant of ${planId}`, actor, requestId }, now) }
    })
    log('plan granted', { account: accountId, plan: planId })
    const granted = { plan_source: 'grant', charged: false } as const
    return { email: email.address, account_id: accountId, plan_id: planId, expires_at: expiresAt, ...granted, api_key: key }
  }

export type GrantPlan = ReturnType<typeof createGrantPlan>

const refusedEmail = ({ en, zh }: Words): Refusal =>
  inputRefusal([{ loc: ['body', 'email'], words: { en: `email must be ${en}`, zh: `email 必須是${zh}` }, type: 'email' }])
const refusedEnd = (words: Words): Refusal => inputRefusal([{ loc: ['body', 'expires_at'], words, type: 'range' }])
