import { hasEnded } from '../accounts/index.ts'
import { Refusal } from '../core/index.ts'
import { PORTAL_PATH } from './account-views.ts'
import { askProvider, type BillingDeps, customerOf } from './billing.ts'
import type { AuditedCall, SignedInCaller } from './callers.ts'

/**
 * Closes an account: revokes every key and session, erases the profile and ends a granted plan, all or nothing. Subscriptions go on: only
 * their owner ends them. The token dies with the account, so a link into the provider's portal is made first and answered; where the
 * provider does not answer the account is closed all the same, and the owner reaches the portal by signing in again with the same address.
 * Checkouts that are still open are expired once it is closed, when no further one can be opened; those of a provider that does not answer
 * stay until it ends them, within a day.
 *
 * @returns a function that closes the caller's account. @throws Refusal account_closed when another call closed it meanwhile
 */
export const createCloseAccount =
  ({ control, billing, origin, clock, log }: BillingDeps) =>
  async ({ accountId, account }: SignedInCaller, call: AuditedCall) => {
    const isLive = (): boolean => control.subscriptions.byAccount(accountId).some(subscription => !hasEnded(subscription))
    const customer = billing && isLive() ? customerOf(control, account) : null
    const link = (): Promise<string> => billing!.provider.portal(customer!, `${origin()}/`)
    const portalUrl = customer === null ? null : await askProvider(billing!, log, call, link).catch(nullWhenUnavailable)
    if (control.accounts.byId(accountId, clock())?.status !== 'active') throw new Refusal('account_closed')
    const live = isLive()
    const { closedAt, keysRevoked } = control.closeAccount(accountId, call.requestId, clock())
    log('account closed', { account: accountId, keys: keysRevoked })
    if (billing && !(customer !== null && portalUrl === null)) {
      const expire = (): Promise<void> => billing.provider.expireCheckouts(accountId, clock())
      await askProvider(billing, log, call, expire).catch(nullWhenUnavailable)
    }
    const done = true as const
    return {
      account_id: accountId,
      account_status: 'closed' as const,
      closed_at: closedAt,
      api_keys_revoked: keysRevoked,
      portal_access_invalidated: done,
      profile_redacted: done,
      billing_records_retained: done,
      usage_records_retained: done,
      billing: live
        ? { action_required: true, reason: 'subscription_still_live' as const, portal_path: PORTAL_PATH, portal_url: portalUrl }
        : { action_required: false, reason: null, portal_path: null, portal_url: null },
    }
  }

function nullWhenUnavailable(error: unknown): null {
  if (error instanceof Refusal && error.code === 'billing_unavailable') return null
  throw error
}
