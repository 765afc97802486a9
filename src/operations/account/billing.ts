import { createHash } from 'node:crypto'
import { PLANS } from '../../../catalog/index.ts'
import { type Account, MAX_KEY_NAME_LENGTH } from '../../accounts/index.ts'
import {
  type Billing,
  bringsPlan,
  type CheckoutOrder,
  hasEnded,
  isLive,
  type ProviderCheckout,
  type ProviderEvent,
  primarySubscription,
} from '../../billing/index.ts'
import type { Control } from '../../control/index.ts'
import { inputRefusal, type Log, Refusal, taipei, taipeiDay, type Words } from '../../core/index.ts'
import { keyView, PORTAL_PATH } from './account-views.ts'
import type { AccountDeps, AuditedCall, Payer, SignedInCaller } from './callers.ts'
import { issueKey, limitNewKeys, revealKey } from './manage-keys.ts'

export interface BillingDeps extends AccountDeps {
  /** Null if no payment provider is configured. */
  readonly billing: Billing | null
  /** Required origin of return URLs, for example `https://data.example`. */
  readonly origin: () => string
}

/**
 * Purchase of a plan. The default is the next higher plan. Both URLs must have the service's
 * origin.
 */
export interface CheckoutInput {
  readonly plan_id?: CheckoutOrder['planId'] | undefined
  readonly success_url?: string | undefined
  readonly cancel_url?: string | undefined
}

/** The default subscription is the current one. The return URL must have the service's origin. */
export interface PortalInput {
  readonly return_url?: string | undefined
  readonly subscription_id?: string | undefined
}

/**
 * Only the payment provider stores card data. Prices come from the configuration, never from the
 * caller.
 */
export function createBillingOperations(deps: BillingDeps) {
  const { control, clock, log } = deps
  /** @throws Refusal billing_unavailable if no provider is configured */
  const requireBilling = (): Billing => {
    if (!deps.billing) throw new Refusal('billing_unavailable')
    return deps.billing
  }
  const callProvider = <T>(billing: Billing, call: AuditedCall, work: () => Promise<T>): Promise<T> =>
    callBillingProvider(billing, log, call, work)
  /**
   * @throws Refusal conflict if the account has a live subscription, which the customer must change
   * in the portal
   */
  const refuseSubscribed = (accountId: string): void => {
    const live = control.subscriptions.byAccount(accountId).find(isLive)
    if (live) throw new Refusal('conflict', { subscription_id: live.id, portal_path: PORTAL_PATH }, SUBSCRIBED)
  }
  /**
   * Returns the account's only customer id at the provider. One portal can therefore show all
   * subscriptions.
   */
  const customerFor = async (billing: Billing, { id, email, customerId }: Account, call: AuditedCall): Promise<string> =>
    customerId ?? control.accounts.bindCustomer(id, await callProvider(billing, call, () => billing.provider.createCustomer(id, email!)))
  /**
   * Returns the refusal for a completed checkout. Stores the paid subscription, because the
   * provider's event may arrive later.
   */
  const completedRefusal = async (
    billing: Billing,
    accountId: string,
    { id, status, subscriptionId }: ProviderCheckout,
    call: AuditedCall,
  ) => {
    if (subscriptionId !== null) await callProvider(billing, call, () => billing.worker.syncSubscription(subscriptionId, accountId))
    const subscribed = subscriptionId !== null && { subscription_id: subscriptionId }
    return new Refusal('conflict', { session_id: id, session_status: status, ...subscribed, portal_path: PORTAL_PATH }, COMPLETED)
  }
  return {
    /** @throws Refusal billing_unavailable if no provider is configured */
    requireProvider: (): void => void requireBilling(),

    /**
     * Opens a checkout at the payment provider.
     * @throws Refusal billing_unavailable, conflict, invalid_parameter, account_closed
     */
    async checkout({ account }: Payer, input: CheckoutInput, call: AuditedCall) {
      const billing = requireBilling()
      const { id: accountId } = account
      refuseSubscribed(accountId)
      const planId = input.plan_id ?? planAbove(account)
      const successUrl = returnAddress(deps.origin(), 'success_url', input.success_url)
      const cancelUrl = returnAddress(deps.origin(), 'cancel_url', input.cancel_url)
      const customerId = await customerFor(billing, account, call)
      const order = { accountId, customerId, planId, successUrl, cancelUrl }
      const idempotencyKey = orderKey(order, control, clock())
      const session = await callProvider(billing, call, () => billing.provider.openCheckout({ ...order, idempotencyKey }))
      // The account may have been closed during the call.
      if (control.accounts.byId(accountId, clock())?.status !== 'active') throw new Refusal('account_closed')
      if (session.status === 'complete') throw await completedRefusal(billing, accountId, session, call)
      // Another checkout may have been paid during the call.
      refuseSubscribed(accountId)
      return { session_id: session.id, url: session.url!, expires_at: taipei(session.expiresAt), plan_id: planId }
    },

    /**
     * Checks that a stored checkout is still open, and that the account has no live subscription.
     * @throws Refusal billing_unavailable, conflict
     */
    async requireOpen({ accountId }: Payer, { session_id: id }: { readonly session_id: string }, call: AuditedCall) {
      const billing = requireBilling()
      const session = await callProvider(billing, call, () => billing.provider.getCheckout(id))
      if (session.status === 'complete') throw await completedRefusal(billing, accountId, session, call)
      if (session.status === 'expired') throw new Refusal('conflict', { session_id: id, session_status: session.status }, EXPIRED)
      refuseSubscribed(accountId)
    },

    /**
     * Opens the payment provider's portal.
     * @throws Refusal billing_unavailable, no_customer, unknown_id, invalid_parameter
     */
    async portal(
      { account }: SignedInCaller,
      { return_url: returnUrlInput, subscription_id: subscriptionId }: PortalInput,
      call: AuditedCall,
    ) {
      const billing = requireBilling()
      const subscription = control.subscriptions.byAccount(account.id).find(({ id }) => id === subscriptionId)
      if (subscriptionId !== undefined && !subscription) throw new Refusal('unknown_id')
      const customerId = subscription?.customerId ?? customerOf(control, account)
      if (customerId === null) throw new Refusal('no_customer')
      const returnUrl = returnAddress(deps.origin(), 'return_url', returnUrlInput)
      return { url: await callProvider(billing, call, () => billing.provider.portal(customerId, returnUrl)) }
    },

    /**
     * Returns the key of a live subscription. Creates a new key if there is no valid key.
     * @throws Refusal billing_unavailable, unknown_id, subscription_not_active, account_closed;
     * errors of `limitNewKeys` and `revealKey`
     */
    async subscriptionKey(caller: SignedInCaller, { subscription_id: id }: { readonly subscription_id: string }, call: AuditedCall) {
      const billing = requireBilling()
      const { id: accountId } = caller.account
      if (control.subscriptions.get(id)?.accountId !== accountId) throw new Refusal('unknown_id')
      if (!(await callProvider(billing, call, () => billing.worker.syncSubscription(id)))) throw new Refusal('unknown_id')
      const subscription = control.subscriptions.get(id)!
      if (!bringsPlan(subscription, clock()))
        throw new Refusal('subscription_not_active', { subscription_id: id, status: subscription.status })
      const account = control.accounts.byId(accountId, clock())
      if (account?.status !== 'active') throw new Refusal('account_closed')
      const keyId = control.subscriptions.keyOf(id)
      const key = keyId === null ? undefined : control.keys.get(accountId, keyId, clock())
      if (key?.status === 'active')
        return { subscription_id: id, ...keyView(key, account.plan), api_key: revealKey(deps, caller, key, call.requestId).api_key }
      const now = clock()
      limitNewKeys(control, accountId, now)
      const issued = control.transaction(() => {
        const name = `subscription ${id}`.slice(0, MAX_KEY_NAME_LENGTH)
        const order = { name, actor: accountId, requestId: call.requestId, facts: { subscription_id: id } }
        const created = issueKey(control, account, order, now)
        control.subscriptions.setKey(id, created.key_id)
        return created
      })
      log('key issued', { account: accountId, key: issued.key_id })
      return { subscription_id: id, ...issued }
    },

    /**
     * Stores an event with a verified signature. The billing worker applies the event later.
     * Repeated events are ignored.
     */
    takeEvent(event: ProviderEvent) {
      const { worker } = requireBilling()
      const isNew = control.paymentEvents.store(event, clock())
      if (isNew) setImmediate(() => void worker.applyDue())
      return { received: true as const, duplicate: !isNew }
    },
  }
}

/**
 * Returns the cheapest plan above the account's plan.
 * @throws Refusal invalid_parameter for the highest plan
 */
function planAbove({ plan }: Pick<Account, 'plan'>): CheckoutOrder['planId'] {
  const above = (['pro', 'max'] as const).find(id => PLANS[id].rank > PLANS[plan].rank)
  if (above) return above
  throw inputRefusal([{ loc: ['body', 'plan_id'], words: NO_PLAN_ABOVE, type: 'missing' }])
}

const NO_PLAN_ABOVE: Words = {
  en: 'plan_id is required: the account has the highest plan',
  zh: '缺少必要的 plan_id：帳戶已是最高方案',
}
const SUBSCRIBED: Words = {
  en: 'The account already has a live subscription. Change it in the portal.',
  zh: '此帳戶已有生效中的訂閱。請於訂閱管理頁面變更。',
}
const COMPLETED: Words = {
  en: 'This checkout is already completed. GET /v2/self-serve/account returns the subscription, and a POST to portal_path opens the portal to change it.',
  zh: '此結帳已完成。GET /v2/self-serve/account 可查看訂閱，POST 至 portal_path 可開啟訂閱管理頁面。',
}
const EXPIRED: Words = {
  en: 'This checkout expired without payment. Start another one with another Idempotency-Key, or without one.',
  zh: '此結帳未付款即已過期。請以另一個 Idempotency-Key，或不帶此標頭，重新開始。',
}

export type BillingOperations = ReturnType<typeof createBillingOperations>

/**
 * Logs the error's class, because the message may contain secrets.
 * @throws Refusal billing_unavailable
 */
export async function callBillingProvider<T>(
  { provider }: Billing,
  log: Log,
  { requestId }: AuditedCall,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!provider.isFault(error)) throw error
    log('failed', { request_id: requestId, during: 'calling the payment provider', error: error.constructor.name })
    throw new Refusal('billing_unavailable', { retry_after: 30 })
  }
}

/**
 * Returns the provider's customer who currently pays. An earlier account with the same mail address
 * may have created the customer. Null if the account never had a customer.
 */
export function customerOf({ subscriptions }: Pick<Control, 'subscriptions'>, { id, customerId }: Pick<Account, 'id' | 'customerId'>) {
  const all = subscriptions.byAccount(id)
  const running = all.filter(subscription => !hasEnded(subscription))
  const renewing = running.filter(({ cancelAtPeriodEnd }) => !cancelAtPeriodEnd)
  const primary = primarySubscription(renewing.length > 0 ? renewing : running)
  return primary?.customerId ?? customerId ?? all.at(-1)?.customerId ?? null
}

/** Identical orders on the same day get the same key, unless the account got a new subscription. */
function orderKey(order: Omit<CheckoutOrder, 'idempotencyKey'>, { subscriptions }: Control, now: Date): string {
  const subscriptionIds = subscriptions.byAccount(order.accountId).map(({ id }) => id)
  return `checkout-${createHash('sha256')
    .update(JSON.stringify([order, subscriptionIds, taipeiDay(now)]))
    .digest('hex')}`
}

/** Checks that a return URL has the service's origin. @throws Refusal invalid_parameter */
function returnAddress(origin: string, name: string, input: string | undefined): string {
  if (input === undefined) return `${origin}/`
  const url = URL.canParse(input) ? new URL(input) : undefined
  // A blob: URL has the origin of a page, but works only inside that page.
  const page = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (page && url.origin === origin && url.username === '' && url.password === '') return url.href
  throw inputRefusal([
    { loc: ['body', name], words: { en: `${name} must be under ${origin}`, zh: `${name} 必須位於 ${origin}` }, type: 'url' },
  ])
}
