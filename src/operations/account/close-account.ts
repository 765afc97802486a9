import { hasEnded, type Subscription } from '../../billing/index.ts'
import { Refusal, type Words } from '../../core/index.ts'
import { PORTAL_PATH, SIGN_IN_PATH, subscriptionView } from './account-views.ts'
import { type BillingDeps, callBillingProvider, customerOf } from './billing.ts'
import type { SignedInCaller, WordedCall } from './callers.ts'

/**
 * Closes an account in one transaction: revokes keys and sessions, erases the profile and ends a
 * granted plan. The answer contains links to cancel subscriptions, which continue. If the payment
 * provider does not respond, the account is closed without these links. Open checkouts are
 * cancelled after the closure, because a closed account cannot open further checkouts.
 *
 * @returns a function whose argument `actor` is for the audit log
 * @throws Refusal account_closed if another call closed the account first
 */
export const createCloseAccount =
  ({ control, billing, origin, clock, log }: Pick<BillingDeps, 'control' | 'billing' | 'origin' | 'clock' | 'log'>) =>
  async ({ accountId, account }: Pick<SignedInCaller, 'accountId' | 'account'>, call: WordedCall, actor = accountId) => {
    const unendedSubscriptions = () => control.subscriptions.byAccount(accountId).filter(subscription => !hasEnded(subscription))
    const customer = billing && unendedSubscriptions().length > 0 ? customerOf(control, account) : null
    const links = new Map<string, string>()
    // A portal shows one customer, but the subscriptions may belong to several customers.
    for (const id of customer === null ? [] : new Set([customer, ...unendedSubscriptions().map(({ customerId }) => customerId)])) {
      const url = await callBillingProvider(billing!, log, call, () => billing!.provider.portal(id, `${origin()}/`)).catch(
        nullWhenUnavailable,
      )
      if (url === null) break
      links.set(id, url)
    }
    const portalUrl = links.get(customer!) ?? null
    const closed = control.accounts.byId(accountId, clock())
    if (closed?.status !== 'active') throw new Refusal('account_closed')
    const unended = unendedSubscriptions()
    const { closedAt, keysRevoked } = control.closeAccount(accountId, call.requestId, clock(), actor)
    log('account closed', { account: accountId, keys: keysRevoked })
    if (billing && !(customer !== null && portalUrl === null)) {
      const expire = (): Promise<void> => billing.provider.expireCheckouts({ accountId, customerId: closed.customerId }, clock())
      await callBillingProvider(billing, log, call, expire).catch(nullWhenUnavailable)
    }
    const confirmed = true as const
    return {
      account_id: accountId,
      account_status: 'closed' as const,
      closed_at: closedAt,
      api_keys_revoked: keysRevoked,
      portal_access_invalidated: confirmed,
      profile_redacted: confirmed,
      billing_records_retained: confirmed,
      usage_records_retained: confirmed,
      billing: unended.length > 0 ? subscriptionsView(unended, links, portalUrl, call.language) : NOTHING_LEFT,
    }
  }

const NOTHING_LEFT = {
  action_required: false,
  reason: null,
  portal_path: null,
  portal_url: null,
  sign_in_path: null,
  next_step: null,
  subscriptions: [],
}

/** Describes how to cancel subscriptions without a session. */
function subscriptionsView(
  unended: readonly Subscription[],
  links: ReadonlyMap<string, string>,
  portalUrl: string | null,
  language: keyof Words,
) {
  const allCancelled = unended.every(({ cancelAtPeriodEnd }) => cancelAtPeriodEnd)
  const several = new Set(unended.map(({ customerId }) => customerId)).size > 1
  const step = allCancelled ? ENDING : portalUrl === null ? SIGN_IN : several ? OPEN_EACH : OPEN
  const paths = { portal_path: PORTAL_PATH, portal_url: portalUrl, sign_in_path: SIGN_IN_PATH }
  const subscriptions = unended.map(one => ({ ...subscriptionView(one), portal_url: links.get(one.customerId) ?? null }))
  return { action_required: true, reason: 'subscription_still_live' as const, ...paths, subscriptions, next_step: step[language] }
}

const LATER: Words = {
  en: 'sign in with the same address (POST to sign_in_path), then send POST to portal_path with the new token for a new link to the portal.',
  zh: '請以同一電子郵件地址登入（以 POST 呼叫 sign_in_path），再以新權杖 POST 至 portal_path，即可取得新的訂閱管理頁面連結。',
}
const OPEN: Words = {
  en: `The subscription stays live and is billed until it is cancelled. Open portal_url in a browser now and cancel there; no sign-in is needed, and the link works for some minutes. Later, ${LATER.en}`,
  zh: `訂閱仍會持續扣款，直到取消為止。請立即以瀏覽器開啟 portal_url 並取消；無須登入，連結於數分鐘內有效。之後${LATER.zh}`,
}
const OPEN_EACH: Words = {
  en: `Several subscriptions stay live, and each is billed until it is cancelled. Open the portal_url of each one in subscriptions now and cancel there; no sign-in is needed, and the links work for some minutes. Later, ${LATER.en} Send subscription_id in the body to select the subscription.`,
  zh: `有多筆訂閱仍會持續扣款，直到各自取消為止。請立即以瀏覽器開啟 subscriptions 中每一筆的 portal_url 並取消；無須登入，連結於數分鐘內有效。之後${LATER.zh}若要指定其中一筆，請於請求內容帶入 subscription_id。`,
}
const SIGN_IN: Words = {
  en: `The subscription stays live and is billed until it is cancelled. The payment provider currently returns no link. To cancel, ${LATER.en}`,
  zh: `訂閱仍會持續扣款，直到取消為止；金流服務目前未提供連結。若要取消，${LATER.zh}`,
}
const ENDING: Words = {
  en: `The subscription stays live until the end of the paid period and is not billed again unless it is resumed. Open portal_url in a browser now to check this and save the invoices; no sign-in is needed, and the link works for some minutes. Later, ${LATER.en}`,
  zh: `訂閱在已付款期間內仍有效，期滿即終止；除非恢復訂閱，否則不再扣款。請立即以瀏覽器開啟 portal_url 確認並保存帳單；無須登入，連結於數分鐘內有效。之後${LATER.zh}`,
}

function nullWhenUnavailable(error: unknown): null {
  if (error instanceof Refusal && error.code === 'billing_unavailable') return null
  throw error
}
