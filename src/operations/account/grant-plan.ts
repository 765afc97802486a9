import type { PlanId } from '../../../catalog/index.ts'
import type { Email } from '../../accounts/index.ts'
import { inputRefusal, taipei, type Words } from '../../core/index.ts'
import type { AccountDeps, AuditedCall } from './callers.ts'
import { issueKey } from './manage-keys.ts'

export interface GrantPlanInput {
  readonly email: Email
  readonly plan_id: PlanId
  /** Reason for the grant. Never shown to the customer. */
  readonly note?: string | undefined
  /** RFC 3339. Absent for a grant without an end. */
  readonly expires_at?: string | undefined
}

/**
 * Grants a plan free of charge and issues a key. Opens an account if necessary. Replaces an earlier
 * grant.
 * @throws Refusal invalid_parameter if the end is in the past
 */
export const createGrantPlan =
  ({ control, clock, log }: AccountDeps) =>
  (actor: 'admin', input: GrantPlanInput, { requestId }: AuditedCall) => {
    const { email, plan_id: planId, note = null, expires_at: expiry } = input
    const now = clock()
    const end = expiry === undefined ? null : new Date(expiry)
    if (end !== null && end <= now)
      throw inputRefusal([{ loc: ['body', 'expires_at'], words: withName('expires_at', END_IN_FUTURE), type: 'range' }])
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

/** Follows the parameter's name in messages. */
export const END_IN_FUTURE: Words = { en: 'must be in the future', zh: '必須是未來的時間' }

const withName = (name: string, { en, zh }: Words): Words => ({ en: `${name} ${en}`, zh: `${name} ${zh}` })
