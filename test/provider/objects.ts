import type Stripe from 'stripe'
import type { Book, Customer, Price, Session, Subscription } from './book.ts'

/** Any part of the SDK's own type, so that a name it does not know, or a value of another kind, does not compile. */
type Part<T> = T extends object ? { [K in keyof T]?: Part<T[K]> } : T

const CURRENCY = 'twd'

export const customerObject = (book: Book, { id, email, created, metadata }: Customer) =>
  ({ id, object: 'customer', email, created, livemode: book.live, metadata, balance: 0, name: null }) satisfies Part<Stripe.Customer>

export const priceObject = (book: Book, { id, amount, currency, interval, product, created }: Price) =>
  ({
    ...{ id, object: 'price' as const, active: true, billing_scheme: 'per_unit' as const, created, currency, livemode: book.live },
    ...{ metadata: {}, product, type: 'recurring' as const, unit_amount: amount },
    recurring: { interval, interval_count: 1, usage_type: 'licensed' as const },
  }) satisfies Part<Stripe.Price>

export function sessionObject(book: Book, session: Session) {
  const { id, created, metadata, status, customer, subscription, email, reference, successUrl, cancelUrl, quantity } = session
  const total = (book.prices.get(session.price)?.amount ?? 0) * quantity
  return {
    ...{ id, object: 'checkout.session' as const, created, livemode: book.live, metadata, status, customer, subscription },
    mode: 'subscription',
    amount_subtotal: total,
    amount_total: total,
    currency: CURRENCY,
    client_reference_id: reference,
    customer_email: email,
    customer_details: status === 'complete' ? { ...payerOf(book, customer), phone: null } : null,
    expires_at: created + 86_400,
    payment_method_types: ['card'],
    payment_status: status === 'complete' ? 'paid' : 'unpaid',
    success_url: successUrl,
    cancel_url: cancelUrl,
    url: status === 'open' ? `${book.url}/c/pay/${id}` : null,
  } satisfies Part<Stripe.Checkout.Session>
}

/** Who paid, as the provider's own page asked for it. */
export const payerOf = (book: Book, customer: string | null) => ({
  email: customer === null ? null : (book.customers.get(customer)?.email ?? null),
  name: 'Paying Person',
  address: { city: 'Taipei', country: 'TW', line1: 'Planted Street 1', line2: null, postal_code: '100', state: null },
})

export function subscriptionObject(book: Book, subscription: Subscription) {
  const { id, customer, created, metadata, status, cancelAtPeriodEnd, endedAt, trialEnd } = subscription
  const period = { current_period_start: subscription.periodStart, current_period_end: subscription.periodEnd }
  return {
    ...{ id, object: 'subscription' as const, created, customer, metadata, status, currency: CURRENCY, livemode: book.live },
    cancel_at_period_end: cancelAtPeriodEnd,
    canceled_at: endedAt,
    collection_method: 'charge_automatically',
    default_payment_method: 'pm_planted',
    ended_at: endedAt,
    items: {
      object: 'list',
      data: [itemObject(book, subscription, period)],
      has_more: false,
      url: `/v1/subscription_items?subscription=${id}`,
    },
    start_date: created,
    trial_end: trialEnd,
    ...(book.shape.period === 'subscription' ? period : {}),
  } satisfies Part<Stripe.Subscription>
}

const itemObject = (book: Book, { id, item, price, created }: Subscription, period: object) =>
  ({
    ...{ id: item, object: 'subscription_item' as const, created, metadata: {}, quantity: 1, subscription: id },
    price: priceObject(book, book.prices.get(price)!),
    ...(book.shape.period === 'item' ? period : {}),
  }) satisfies Part<Stripe.SubscriptionItem>

/** The bill of the running period. */
export function invoiceObject(book: Book, id: string, subscription: Subscription, paid: boolean) {
  const { amount } = book.prices.get(subscription.price)!
  const { email, name, address } = payerOf(book, subscription.customer)
  const about =
    book.shape.invoice === 'parent'
      ? { parent: { type: 'subscription_details' as const, subscription_details: { subscription: subscription.id, metadata: {} } } }
      : { subscription: subscription.id }
  return {
    ...{ id, object: 'invoice' as const, created: book.now(), currency: CURRENCY, customer: subscription.customer, livemode: book.live },
    ...{ customer_email: email, customer_name: name, customer_address: address, metadata: {} },
    amount_due: amount,
    amount_paid: paid ? amount : 0,
    attempt_count: 1,
    billing_reason: 'subscription_cycle',
    hosted_invoice_url: `${book.url}/i/planted-link`,
    status: paid ? 'paid' : 'open',
    total: amount,
    ...about,
  } satisfies Part<Stripe.Invoice>
}

export const portalObject = (book: Book, id: string, customer: string, returnUrl: string | null) =>
  ({
    ...{ id, object: 'billing_portal.session' as const, configuration: 'bpc_planted', created: book.now(), customer, livemode: book.live },
    return_url: returnUrl,
    url: `${book.url}/p/session/${id}`,
  }) satisfies Part<Stripe.BillingPortal.Session>
