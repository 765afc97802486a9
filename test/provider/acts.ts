import type { Book, Session, Status, Subscription } from './book.ts'
import { addCustomer } from './customers.ts'
import { happen } from './events.ts'
import { newId } from './ids.ts'
import { invoiceObject, payerOf, sessionObject, subscriptionObject } from './objects.ts'

const DAY = 86_400
const MONTH = 30 * DAY

/** Card data as the provider puts it into events that are about cards. */
export const CARD = { brand: 'visa', country: 'TW', exp_month: 11, exp_year: 2031, fingerprint: 'PlantedFinger123', last4: '4242' }

/** Takes over new values and tells of them. */
export function changed(book: Book, subscription: Subscription, values: Partial<Subscription>): void {
  const before = Object.fromEntries(Object.keys(values).map(name => [name, subscription[name as keyof Subscription]]))
  Object.assign(subscription, values)
  happen(book, 'customer.subscription.updated', subscriptionObject(book, subscription), { previous: before })
}

/** A customer who subscribes. @param metadata what the subscription carries, nothing where the seller made it by hand */
export function subscribe(
  book: Book,
  customer: string,
  price: string,
  metadata: Readonly<Record<string, string>> = {},
  trialDays = 0,
): Subscription {
  const now = book.now()
  const periodEnd = now + (trialDays > 0 ? trialDays * DAY : MONTH)
  const subscription: Subscription = {
    ...{ id: newId('sub'), item: newId('si'), customer, created: now, metadata, price, periodStart: now, periodEnd },
    status: trialDays > 0 ? 'trialing' : 'active',
    trialEnd: trialDays > 0 ? periodEnd : null,
    cancelAtPeriodEnd: false,
    endedAt: null,
  }
  book.subscriptions.set(subscription.id, subscription)
  happen(book, 'customer.subscription.created', subscriptionObject(book, subscription))
  return subscription
}

/** What a customer does on the checkout page: pays by card and is sent back. */
export function complete(book: Book, session: Session, trialDays = 0): void {
  if (session.status !== 'open') throw new Error(`The session is ${session.status}.`)
  session.customer ??= addCustomer(book, session.email).id
  const method = { id: newId('pm'), object: 'payment_method', type: 'card', card: CARD, billing_details: payerOf(book, session.customer) }
  happen(book, 'payment_method.attached', method)
  const subscription = subscribe(book, session.customer, session.price, session.subscriptionMetadata, trialDays)
  session.status = 'complete'
  session.subscription = subscription.id
  bill(book, subscription, true)
  happen(book, 'checkout.session.completed', sessionObject(book, session))
}

/** Bills the running period; a bill that was paid is also a charge on the card. */
function bill(book: Book, subscription: Subscription, paid: boolean): void {
  const invoice = invoiceObject(book, newId('in'), subscription, paid)
  if (!paid) return void happen(book, 'invoice.payment_failed', invoice)
  happen(book, 'charge.succeeded', { id: newId('ch'), object: 'charge', amount: invoice.total, payment_method_details: { card: CARD } })
  happen(book, 'invoice.payment_succeeded', invoice)
  happen(book, 'invoice.paid', invoice)
}

export function failPayment(book: Book, subscription: Subscription): void {
  bill(book, subscription, false)
  changed(book, subscription, { status: 'past_due' })
}

export function recover(book: Book, subscription: Subscription): void {
  bill(book, subscription, true)
  changed(book, subscription, { status: 'active', periodStart: book.now(), periodEnd: book.now() + MONTH })
}

export function cancel(book: Book, subscription: Subscription, atPeriodEnd = false): void {
  if (atPeriodEnd) return changed(book, subscription, { cancelAtPeriodEnd: true })
  Object.assign(subscription, { status: 'canceled', endedAt: book.now(), cancelAtPeriodEnd: false })
  happen(book, 'customer.subscription.deleted', subscriptionObject(book, subscription))
}

export function trial(book: Book, subscription: Subscription, days: number): void {
  const end = book.now() + days * DAY
  changed(book, subscription, { status: 'trialing', trialEnd: end, periodEnd: end })
}

export const setStatus = (book: Book, subscription: Subscription, status: Status): void => changed(book, subscription, { status })

export function expire(book: Book, session: Session): void {
  session.status = 'expired'
  happen(book, 'checkout.session.expired', sessionObject(book, session))
}
