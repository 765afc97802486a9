import { hasEnded, type Subscription } from '../accounts/index.ts'
import { Refusal, type Words } from '../core/index.ts'
import { PORTAL_PATH, SIGN_IN_PATH } from './account-views.ts'
import { askProvider, type BillingDeps, customerOf } from './billing.ts'
import type { SignedInCaller, WordedCall } from './callers.ts'

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
  async ({ accountId, account }: SignedInCaller, call: WordedCall) => {
    const goingOn = () => control.subscriptions.byAccount(accountId).filter(subscription => !hasEnded(subscription))
    const customer = billing && goingOn().length > 0 ? customerOf(control, account) : null
    const link = (): Promise<string> => billing!.provider.portal(customer!, `${origin()}/`)
    const portalUrl = customer === null ? null : await askProvider(billing!, log, call, link).catch(nullWhenUnavailable)
    if (control.accounts.byId(accountId, clock())?.status !== 'active') throw new Refusal('account_closed')
    const left = goingOn()
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
      billing: left.length > 0 ? stillLive(left, portalUrl, call.language) : NOTHING_LEFT,
    }
  }

const NOTHING_LEFT = { action_required: false, reason: null, portal_path: null, portal_url: null, sign_in_path: null, next_step: null }

/** What is left to the owner of subscriptions that go on, with the ways there that work without the token that just ended. */
function stillLive(left: readonly Subscription[], portalUrl: string | null, language: keyof Words) {
  const step = left.every(({ cancelAtPeriodEnd }) => cancelAtPeriodEnd) ? ENDING : portalUrl === null ? SIGN_IN : OPEN
  const paths = { portal_path: PORTAL_PATH, portal_url: portalUrl, sign_in_path: SIGN_IN_PATH }
  return { action_required: true, reason: 'subscription_still_live' as const, ...paths, next_step: step[language] }
}

const LATER: Words = {
  en: 'sign in with the same address (sign_in_path, with POST), then send POST to portal_path with the new token: it answers a fresh link into the portal.',
  zh: '請以同一電子郵件地址登入（以 POST 呼叫 sign_in_path），再以新權杖 POST 至 portal_path，即可取得新的訂閱管理頁面連結。',
}
const OPEN: Words = {
  en: `The subscription goes on and is billed until it is cancelled. Open portal_url in a browser now and cancel there: it needs no sign-in and works for some minutes. Later, ${LATER.en}`,
  zh: `訂閱仍會持續扣款，直到取消為止。請立即以瀏覽器開啟 portal_url 並取消：無須登入，數分鐘內有效。之後${LATER.zh}`,
}
const SIGN_IN: Words = {
  en: `The subscription goes on and is billed until it is cancelled, and the payment provider gave no link at the moment. To cancel, ${LATER.en}`,
  zh: `訂閱仍會持續扣款，直到取消為止；金流服務目前未提供連結。若要取消，${LATER.zh}`,
}
const ENDING: Words = {
  en: `The subscription is cancelled already: it ends with the period paid for and is not billed again, so there is nothing to cancel. For its invoices, ${LATER.en}`,
  zh: `訂閱已取消：將於已付款期間結束時終止，不再扣款，無須再取消。若要查看發票，${LATER.zh}`,
}

function nullWhenUnavailable(error: unknown): null {
  if (error instanceof Refusal && error.code === 'billing_unavailable') return null
  throw error
}
