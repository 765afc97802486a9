import { cancel, changed } from './acts.ts'
import type { Book, Subscription } from './book.ts'
import type { Form } from './form.ts'
import { subscriptionObject } from './objects.ts'
import { page, within } from './pages.ts'
import { check, flag, listOf, metadata, moments, object, oneOf, PAGING, text } from './params.ts'
import { priceOf } from './prices.ts'
import { invalid, noSuch } from './refusals.ts'
import type { Call, Route } from './routes.ts'

const STATUSES = ['active', 'trialing', 'past_due', 'unpaid', 'canceled', 'incomplete', 'incomplete_expired', 'paused', 'all', 'ended']
const ENDED = ['canceled', 'incomplete_expired']

/** @throws Refused where there is none of that id */
export function subscriptionOf(book: Book, id: string): Subscription {
  const subscription = book.subscriptions.get(id)
  if (!subscription) throw noSuch('subscription', id)
  return subscription
}

function asked(form: Form): (subscription: Subscription) => boolean {
  const { customer, price, status } = form
  return subscription =>
    (customer === undefined || subscription.customer === customer) &&
    (price === undefined || subscription.price === price) &&
    within(subscription.created, form['created']) &&
    (status === 'all' ||
      (status === undefined && subscription.status !== 'canceled') ||
      (status === 'ended' && ENDED.includes(subscription.status)) ||
      status === subscription.status)
}

function update({ book, form, id }: Call): object {
  const items = listOf(object({ id: text(), price: text() }, ['id', 'price']))
  check(form, { cancel_at_period_end: flag, metadata, items, proration_behavior: oneOf('create_prorations', 'always_invoice', 'none') })
  const subscription = subscriptionOf(book, id)
  if (ENDED.includes(subscription.status))
    throw invalid('id', 'A canceled subscription can only update its cancellation_details and metadata.')
  const [item] = Object.values((form['items'] as Form | undefined) ?? {}) as unknown as readonly { id: string; price: string }[]
  if (item && item.id !== subscription.item) throw noSuch('subscription_item', item.id, 'items[0][id]')
  changed(book, subscription, {
    ...(item ? { price: priceOf(book, item.price, 'items[0][price]').id } : {}),
    ...(form['cancel_at_period_end'] === undefined ? {} : { cancelAtPeriodEnd: form['cancel_at_period_end'] === 'true' }),
    ...(form['metadata'] === undefined ? {} : { metadata: { ...subscription.metadata, ...(form['metadata'] as Record<string, string>) } }),
  })
  return subscriptionObject(book, subscription)
}

export const subscriptionRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/subscriptions',
    run: ({ book, form }) => {
      check(form, { ...PAGING, customer: text(), price: text(), status: oneOf(...STATUSES), created: moments })
      const found = [...book.subscriptions.values()].filter(asked(form)).reverse()
      return page(found, form, '/v1/subscriptions', 'subscription', subscription => subscriptionObject(book, subscription))
    },
  },
  {
    method: 'GET',
    path: '/v1/subscriptions/:id',
    run: ({ book, form, id }) => {
      check(form, {})
      return subscriptionObject(book, subscriptionOf(book, id))
    },
  },
  { method: 'POST', path: '/v1/subscriptions/:id', run: update },
  {
    method: 'DELETE',
    path: '/v1/subscriptions/:id',
    run: ({ book, form, id }) => {
      check(form, { invoice_now: flag, prorate: flag })
      const subscription = subscriptionOf(book, id)
      if (ENDED.includes(subscription.status)) throw noSuch('subscription', id)
      cancel(book, subscription)
      return subscriptionObject(book, subscription)
    },
  },
]
