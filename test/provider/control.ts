import { cancel, changed, complete, expire, failPayment, recover, setStatus, subscribe, trial } from './acts.ts'
import type { Api } from './api.ts'
import type { Book, Shape, Status } from './book.ts'
import { sessionOf } from './checkout.ts'
import { customerOf } from './customers.ts'
import type { Deliveries, Manner, Target } from './delivery.ts'
import { happen, happenThin } from './events.ts'
import { sessionObject, subscriptionObject } from './objects.ts'
import { addPrice, type NewPrice, priceOf } from './prices.ts'
import { subscriptionOf } from './subscriptions.ts'
import type { Trouble, Troubles } from './trouble.ts'

export interface ControlParts {
  readonly book: Book
  readonly api: Api
  readonly deliveries: Deliveries
  readonly troubles: Troubles
  /** Stops the clock at a moment, in milliseconds; null lets it run again. */
  readonly setClock: (at: number | null) => void
}

// biome-ignore lint/suspicious/noExplicitAny: bodies come from the tests' own client, which has their types
type Act = (parts: ControlParts, body: any, id: string) => unknown

const onSubscription =
  (act: (book: Book, subscription: ReturnType<typeof subscriptionOf>, body: Readonly<Record<string, unknown>>) => void): Act =>
  ({ book }, body, id) => {
    const subscription = subscriptionOf(book, id)
    act(book, subscription, body)
    return subscriptionObject(book, subscription)
  }

/** What people and time do to the provider, and how it is told to misbehave. */
const ACTS: Readonly<Record<string, Act>> = {
  webhook: ({ deliveries }, target: Target) => deliveries.aim(target),
  delivery: ({ deliveries }, manner: Partial<Manner>) => deliveries.set(manner),
  trouble: ({ troubles }, { trouble }: { trouble: Trouble | null }) => troubles.set(trouble),
  shape: ({ book }, shape: Shape) => void Object.assign(book, { shape }),
  clock: ({ setClock }, { at }: { at: number | null }) => setClock(at),
  prices: ({ book }, price: NewPrice) => addPrice(book, price),
  'events/send': ({ book }, { type, object, ...told }) => happen(book, type, object, told),
  'events/thin': ({ book }, { type, about }) => happenThin(book, type, about),
  'events/again': ({ book, deliveries }, { id }) => deliveries.put(book.events.find(event => event.id === id)!),
  'checkout/:id/complete': ({ book }, { trialDays }: { trialDays?: number }, id) => {
    complete(book, sessionOf(book, id), trialDays)
    return sessionObject(book, sessionOf(book, id))
  },
  'checkout/:id/expire': ({ book }, _, id) => expire(book, sessionOf(book, id)),
  'customers/:id/subscribe': ({ book }, { price }, id) =>
    subscriptionObject(book, subscribe(book, customerOf(book, id).id, priceOf(book, price).id)),
  'subscriptions/:id/cancel': onSubscription((book, subscription, { atPeriodEnd }) => cancel(book, subscription, atPeriodEnd === true)),
  'subscriptions/:id/fail-payment': onSubscription(failPayment),
  'subscriptions/:id/recover': onSubscription(recover),
  'subscriptions/:id/trial': onSubscription((book, subscription, { days }) => trial(book, subscription, days as number)),
  'subscriptions/:id/change-price': onSubscription((book, subscription, { price }) =>
    changed(book, subscription, { price: priceOf(book, price as string).id }),
  ),
  'subscriptions/:id/status': onSubscription((book, subscription, { status }) => setStatus(book, subscription, status as Status)),
  'portal/visit': ({ book }, { url }) => throughPortal(book, url).map(subscription => subscriptionObject(book, subscription)),
  'portal/cancel': ({ book }, { url }) => {
    for (const subscription of throughPortal(book, url)) if (subscription.status !== 'canceled') cancel(book, subscription)
  },
  'subscriptions/:id/forget': ({ book }, _, id) => void book.subscriptions.delete(id),
}

/** Whoever has the link is the customer. @throws Error for a link that is none */
function throughPortal(book: Book, url: string): readonly ReturnType<typeof subscriptionOf>[] {
  const customer = book.portals.get(url)
  if (customer === undefined) throw new Error('The link leads nowhere.')
  return [...book.subscriptions.values()].filter(subscription => subscription.customer === customer)
}

const LOOKS: Readonly<Record<string, (parts: ControlParts) => unknown>> = {
  deliveries: ({ deliveries }) => deliveries.attempts,
  calls: ({ api }) => api.arrived,
  events: ({ book }) => book.events,
  sessions: ({ book }) => [...book.sessions.values()].map(session => sessionObject(book, session)),
  subscriptions: ({ book }) => [...book.subscriptions.values()].map(subscription => subscriptionObject(book, subscription)),
}

/** Does what `/_control/<path>` asks for and sends the events that follow. @returns undefined for a path that is none */
export async function control(parts: ControlParts, method: string, path: string, body: string): Promise<object | undefined> {
  if (method === 'GET') return LOOKS[path] && { data: LOOKS[path](parts) }
  const steps = path.split('/')
  const act = ACTS[path] ?? ACTS[[steps[0], ':id', steps[2]].join('/')]
  if (!act) return undefined
  const done = act(parts, JSON.parse(body || '{}'), decodeURIComponent(steps[1] ?? ''))
  return { done: done ?? null, deliveries: await parts.deliveries.flush() }
}
