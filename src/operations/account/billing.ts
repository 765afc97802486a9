import { createHash } from 'node:crypto'
import { PLANS } from '../../../catalog/index.ts'
import { type Account, LONGEST_KEY_NAME } from '../../accounts/index.ts'
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
  /** The way to the payment provider; null where none is configured. */
  readonly billing: Billing | null
  /** Origin that customers may be sent back to, for example `https://data.example`. */
  readonly origin: () => string
}

/** A plan to pay for, the one above the caller's when absent. Both addresses must be on our own origin; the default is its first page. */
export interface CheckoutInput {
  readonly plan_id?: CheckoutOrder['planId'] | undefined
  readonly success_url?: string | undefined
  readonly cancel_url?: string | undefined
}

/** The portal of the customer who pays for a subscription, or for what the account pays now. The address must be on our own origin. */
export interface PortalInput {
  readonly return_url?: string | undefined
  readonly subscription_id?: string | undefined
}

/** Checkout, the customer portal, events of the payment provider, and a key for what was paid. The provider holds the card; the price is chosen here, not by the caller. */
export function createBillingOperations(deps: BillingDeps) {
  const { control, clock, log } = deps
  /** @throws Refusal billing_unavailable where no provider is configured */
  const available = (): Billing => {
    if (!deps.billing) throw new Refusal('billing_unavailable')
    return deps.billing
  }
  const ask = <T>(billing: Billing, call: AuditedCall, work: () => Promise<T>): Promise<T> => askProvider(billing, log, call, work)
  /** @throws Refusal conflict for an account whose subscription is changed in the portal instead */
  const refuseSubscribed = (accountId: string): void => {
    const live = control.subscriptions.byAccount(accountId).find(isLive)
    if (live) throw new Refusal('conflict', { subscription_id: live.id, portal_path: PORTAL_PATH }, SUBSCRIBED)
  }
  /** The account's customer at the provider, made where it has none: all of its pages are for one, so that one portal shows all it pays for. */
  const customerFor = async (billing: Billing, { id, email, customerId }: Account, call: AuditedCall): Promise<string> =>
    customerId ?? control.accounts.bindCustomer(id, await ask(billing, call, () => billing.provider.customer(id, email!)))
  /** The refusal of a checkout that was completed, which the account then has the subscription of, whether or not its event has come. */
  const completed = async (billing: Billing, accountId: string, { id, status, subscriptionId }: ProviderCheckout, call: AuditedCall) => {
    if (subscriptionId !== null) await ask(billing, call, () => billing.worker.syncSubscription(subscriptionId, accountId))
    const subscribed = subscriptionId !== null && { subscription_id: subscriptionId }
    return new Refusal('conflict', { session_id: id, session_status: status, ...subscribed, portal_path: PORTAL_PATH }, COMPLETED)
  }
  return {
    /** @throws Refusal billing_unavailable where no provider is configured */
    requireProvider: (): void => void available(),

    /** Opens the provider's page where the caller pays for a plan. @throws Refusal billing_unavailable, conflict, invalid_parameter, account_closed */
    async checkout({ account }: Payer, input: CheckoutInput, call: AuditedCall) {
      const billing = available()
      const { id: accountId } = account
      refuseSubscribed(accountId)
      const planId = input.plan_id ?? planAbove(account)
      const successUrl = returnAddress(deps.origin(), 'success_url', input.success_url)
      const cancelUrl = returnAddress(deps.origin(), 'cancel_url', input.cancel_url)
      const customerId = await customerFor(billing, account, call)
      const order = { accountId, customerId, planId, successUrl, cancelUrl }
      const idempotencyKey = orderKey(order, control, clock())
      const session = await ask(billing, call, () => billing.provider.checkout({ ...order, idempotencyKey }))
      // The account may have been closed while the provider was asked; nobody may pay for it then.
      if (control.accounts.byId(accountId, clock())?.status !== 'active') throw new Refusal('account_closed')
      if (session.status === 'complete') throw await completed(billing, accountId, session, call)
      // Another page may have been paid meanwhile: this one is not told to anybody then.
      refuseSubscribed(accountId)
      return { session_id: session.id, url: session.url!, expires_at: taipei(session.expiresAt), plan_id: planId }
    },

    /** Refuses to answer with a checkout again whose page is over, or that would be a second subscription. @throws Refusal billing_unavailable, conflict */
    async requireOpen({ accountId }: Payer, { session_id: id }: { readonly session_id: string }, call: AuditedCall) {
      const billing = available()
      const session = await ask(billing, call, () => billing.provider.checkoutNow(id))
      if (session.status === 'complete') throw await completed(billing, accountId, session, call)
      if (session.status === 'expired') throw new Refusal('conflict', { session_id: id, session_status: session.status }, EXPIRED)
      refuseSubscribed(accountId)
    },

    /** Opens the provider's page where subscriptions are changed. @throws Refusal billing_unavailable, no_customer, unknown_id, invalid_parameter */
    async portal({ account }: SignedInCaller, { return_url: wanted, subscription_id: named }: PortalInput, call: AuditedCall) {
      const billing = available()
      const known = control.subscriptions.byAccount(account.id).find(({ id }) => id === named)
      if (named !== undefined && !known) throw new Refusal('unknown_id')
      const customerId = known?.customerId ?? customerOf(control, account)
      if (customerId === null) throw new Refusal('no_customer')
      const returnUrl = returnAddress(deps.origin(), 'return_url', wanted)
      return { url: await ask(billing, call, () => billing.provider.portal(customerId, returnUrl)) }
    },

    /**
     * The key of a live subscription: issued by the first call, shown by later ones under the rules of `revealKey`, replaced once it is
     * revoked or expired.
     *
     * @throws Refusal billing_unavailable, unknown_id, subscription_not_active, account_closed; what `limitNewKeys` and `revealKey` throw
     */
    async subscriptionKey(caller: SignedInCaller, { subscription_id: id }: { readonly subscription_id: string }, call: AuditedCall) {
      const billing = available()
      const { id: accountId } = caller.account
      if (control.subscriptions.get(id)?.accountId !== accountId) throw new Refusal('unknown_id')
      if (!(await ask(billing, call, () => billing.worker.syncSubscription(id)))) throw new Refusal('unknown_id')
      const fresh = control.subscriptions.get(id)!
      if (!bringsPlan(fresh, clock())) throw new Refusal('subscription_not_active', { subscription_id: id, status: fresh.status })
      const account = control.accounts.byId(accountId, clock())
      // It may have been closed while the provider was asked.
      if (account?.status !== 'active') throw new Refusal('account_closed')
      const keyId = control.subscriptions.keyOf(id)
      const key = keyId === null ? undefined : control.keys.get(accountId, keyId, clock())
      if (key?.status === 'active')
        return { subscription_id: id, ...keyView(key, account.plan), api_key: revealKey(deps, caller, key, call.requestId).api_key }
      const now = clock()
      limitNewKeys(control, accountId, now)
      const issued = control.transaction(() => {
        const name = `subscription ${id}`.slice(0, LONGEST_KEY_NAME)
        const order = { name, actor: accountId, requestId: call.requestId, facts: { subscription_id: id } }
        const made = issueKey(control, account, order, now)
        control.subscriptions.setKey(id, made.key_id)
        return made
      })
      log('key issued', { account: accountId, key: issued.key_id })
      return { subscription_id: id, ...issued }
    },

    /** Stores an event of the payment provider, whose signature was verified, once by its id. It is applied from the store, in a later turn of the event loop. */
    takeEvent(event: ProviderEvent) {
      const { worker } = available()
      const isNew = control.paymentEvents.store(event, clock())
      if (isNew) setImmediate(() => void worker.applyDue())
      return { received: true as const, duplicate: !isNew }
    },
  }
}

/** The cheapest plan above that of an account. @throws Refusal invalid_parameter for the highest plan */
function planAbove({ plan }: Pick<Account, 'plan'>): CheckoutOrder['planId'] {
  const above = (['pro', 'max'] as const).find(id => PLANS[id].rank > PLANS[plan].rank)
  if (above) return above
  throw inputRefusal([{ loc: ['body', 'plan_id'], words: NO_PLAN_ABOVE, type: 'missing' }])
}

const NO_PLAN_ABOVE: Words = {
  en: 'plan_id is required: no plan is above that of the account',
  zh: '缺少必要的 plan_id：帳戶的方案已是最高',
}
const SUBSCRIBED: Words = {
  en: 'This account has a live subscription; change it in the portal.',
  zh: '此帳戶已有生效中的訂閱；請於訂閱管理頁面變更。',
}
const COMPLETED: Words = {
  en: 'This checkout was completed, so its page is over: GET /v2/self-serve/account shows the subscription, and a POST to portal_path opens the portal where it is changed.',
  zh: '此結帳已完成，頁面不再有效：GET /v2/self-serve/account 可查看訂閱，POST 至 portal_path 可開啟訂閱管理頁面。',
}
const EXPIRED: Words = {
  en: 'This checkout expired without being paid, so its page is over: begin another under another Idempotency-Key, or without one.',
  zh: '此結帳未付款即已過期，頁面不再有效：請以另一個 Idempotency-Key，或不帶此標頭，重新開始。',
}

export type BillingOperations = ReturnType<typeof createBillingOperations>

/**
 * Runs a call to the provider. A fault of the provider's is logged by its name and refused, without its message.
 *
 * @throws Refusal billing_unavailable
 */
export async function askProvider<T>({ provider }: Billing, log: Log, { requestId }: AuditedCall, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!provider.isFault(error)) throw error
    log('failed', { request_id: requestId, during: 'asking the payment provider', error: error.constructor.name })
    throw new Refusal('billing_unavailable', { retry_after: 30 })
  }
}

/** Whose portal an account opens: that of the customer who pays now, which may be a former one of the address; null for one who never paid. */
export function customerOf({ subscriptions }: Pick<Control, 'subscriptions'>, { id, customerId }: Pick<Account, 'id' | 'customerId'>) {
  const known = subscriptions.byAccount(id)
  const going = known.filter(subscription => !hasEnded(subscription))
  const billed = going.filter(({ cancelAtPeriodEnd }) => !cancelAtPeriodEnd)
  const paying = primarySubscription(billed.length > 0 ? billed : going)
  return paying?.customerId ?? customerId ?? known.at(-1)?.customerId ?? null
}

/** Idempotency key of an order: the same for one that is repeated on the same day, another once the account has subscribed in between. */
function orderKey(order: Omit<CheckoutOrder, 'idempotencyKey'>, { subscriptions }: Control, now: Date): string {
  const before = subscriptions.byAccount(order.accountId).map(({ id }) => id)
  return `checkout-${createHash('sha256')
    .update(JSON.stringify([order, before, taipeiDay(now)]))
    .digest('hex')}`
}

/** Where the provider sends the customer back to: only to our own site. @throws Refusal invalid_parameter */
function returnAddress(origin: string, name: string, wanted: string | undefined): string {
  if (wanted === undefined) return `${origin}/`
  const url = URL.canParse(wanted) ? new URL(wanted) : undefined
  // A blob: address has the origin of the page that made it, and leads nowhere from another one.
  const page = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (page && url.origin === origin && url.username === '' && url.password === '') return url.href
  throw inputRefusal([
    { loc: ['body', name], words: { en: `${name} must lie on ${origin}`, zh: `${name} 必須位於 ${origin}` }, type: 'url' },
  ])
}
