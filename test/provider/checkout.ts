import { expire } from './acts.ts'
import type { Book, Session } from './book.ts'
import { customerOf } from './customers.ts'
import type { Form } from './form.ts'
import { newId } from './ids.ts'
import { sessionObject } from './objects.ts'
import { page, within } from './pages.ts'
import { check, email, flag, listOf, metadata, moments, object, oneOf, PAGING, reference, text, url, whole } from './params.ts'
import { priceOf } from './prices.ts'
import { invalid, missing, noSuch } from './refusals.ts'
import type { Route } from './routes.ts'

const FIELDS = {
  mode: oneOf('subscription', 'payment', 'setup'),
  line_items: listOf(object({ price: text(), quantity: whole(1, 999_999) }, ['price'])),
  client_reference_id: reference,
  metadata,
  subscription_data: object({ metadata, trial_period_days: whole(1, 730), description: text(500) }),
  success_url: url,
  cancel_url: url,
  customer: text(),
  customer_email: email,
  allow_promotion_codes: flag,
  locale: text(10),
}

/** @throws Refused where there is none of that id */
export function sessionOf(book: Book, id: string): Session {
  const session = book.sessions.get(id)
  if (!session) throw noSuch('checkout.session', id)
  return session
}

interface Order {
  readonly line_items: Readonly<Record<string, { readonly price: string; readonly quantity?: string }>>
  readonly metadata?: Readonly<Record<string, string>>
  readonly subscription_data?: { readonly metadata?: Readonly<Record<string, string>> }
  readonly [name: string]: unknown
}

function addSession(book: Book, form: Form): Session {
  const order = form as unknown as Order
  const optional = (name: string): string | null => (order[name] as string | undefined) ?? null
  const [item] = Object.values(order.line_items)
  const session: Session = {
    id: newId(book.live ? 'cs_live' : 'cs_test'),
    price: priceOf(book, item!.price, 'line_items[0][price]').id,
    quantity: Number(item!.quantity ?? 1),
    reference: optional('client_reference_id'),
    metadata: { ...order.metadata },
    subscriptionMetadata: { ...order.subscription_data?.metadata },
    successUrl: order['success_url'] as string,
    cancelUrl: optional('cancel_url'),
    email: optional('customer_email'),
    created: book.now(),
    status: 'open',
    customer: optional('customer'),
    subscription: null,
  }
  if (session.customer !== null) customerOf(book, session.customer, 'customer')
  book.sessions.set(session.id, session)
  return session
}

export const checkoutRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/checkout/sessions',
    run: ({ book, form }) => {
      check(form, FIELDS, ['mode', 'success_url'])
      if (form['mode'] !== 'subscription') throw invalid('mode', 'Only subscriptions are sold here.')
      if (Object.keys((form['line_items'] as Form | undefined) ?? {}).length === 0) throw missing('line_items')
      if (form['customer'] !== undefined && form['customer_email'] !== undefined)
        throw invalid('customer', 'You may only specify one of these parameters: customer, customer_email.')
      return sessionObject(book, addSession(book, form))
    },
  },
  {
    method: 'GET',
    path: '/v1/checkout/sessions',
    run: ({ book, form }) => {
      check(form, { ...PAGING, customer: text(), subscription: text(), status: oneOf('open', 'complete', 'expired'), created: moments })
      const { customer, subscription, status, created } = form
      const found = [...book.sessions.values()].filter(
        session =>
          (customer === undefined || session.customer === customer) &&
          (subscription === undefined || session.subscription === subscription) &&
          (status === undefined || session.status === status) &&
          within(session.created, created),
      )
      return page(found.reverse(), form, '/v1/checkout/sessions', 'session', session => sessionObject(book, session))
    },
  },
  {
    method: 'GET',
    path: '/v1/checkout/sessions/:id',
    run: ({ book, form, id }) => {
      check(form, {})
      return sessionObject(book, sessionOf(book, id))
    },
  },
  {
    method: 'POST',
    path: '/v1/checkout/sessions/:id/expire',
    run: ({ book, form, id }) => {
      check(form, {})
      const session = sessionOf(book, id)
      if (session.status !== 'open')
        throw invalid('session', `Only Checkout Sessions with a status in ["open"] can be expired. This one is ${session.status}.`)
      expire(book, session)
      return sessionObject(book, session)
    },
  },
]
