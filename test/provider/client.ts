import type { Arrived } from './api.ts'
import type { Shape, Status } from './book.ts'
import type { Delivery, Manner, Target } from './delivery.ts'
import type { NewPrice } from './prices.ts'
import type { Trouble } from './trouble.ts'

/** What a control call brought about, and what the webhook answered to the events of it. */
export interface Done {
  readonly done: Readonly<Record<string, unknown>>
  readonly deliveries: readonly Delivery[]
}

/** An object of the provider as it is listed. */
export type Listed = Readonly<Record<string, unknown>> & { readonly id: string }

/** The control calls of a provider, in this process or another. @param url of the provider */
export function controlOf(url: string) {
  const ask = async (method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`${url}/_control/${path}`, { method, ...(body ? { body: JSON.stringify(body) } : {}) })
    const answer = await response.json()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`)
    return answer
  }
  const act = (path: string, body: object = {}): Promise<Done> => ask('POST', path, body) as Promise<Done>
  const look = async <T>(path: string): Promise<readonly T[]> => ((await ask('GET', path)) as { data: readonly T[] }).data
  const onSubscription = (id: string, what: string, body?: object) => act(`subscriptions/${id}/${what}`, body)
  return {
    url,
    webhook: (target: Target) => act('webhook', target),
    delivery: (manner: Partial<Manner>) => act('delivery', manner),
    trouble: (trouble: Trouble | null) => act('trouble', { trouble }),
    shape: (shape: Shape) => act('shape', shape),
    clock: (at: Date | null) => act('clock', { at: at?.getTime() ?? null }),
    price: (price: NewPrice) => act('prices', price),
    /** Makes up an event of any type and sends it. */
    send: (event: { type: string; object: object; id?: string; livemode?: boolean }) => act('events/send', event),
    sendThin: (type: string, about: string) => act('events/thin', { type, about }),
    sendAgain: (id: string) => act('events/again', { id }),
    complete: (session: string, trialDays?: number) => act(`checkout/${session}/complete`, { trialDays }),
    expire: (session: string) => act(`checkout/${session}/expire`),
    subscribe: (customer: string, price: string) => act(`customers/${customer}/subscribe`, { price }),
    cancel: (id: string, atPeriodEnd = false) => onSubscription(id, 'cancel', { atPeriodEnd }),
    failPayment: (id: string) => onSubscription(id, 'fail-payment'),
    recover: (id: string) => onSubscription(id, 'recover'),
    trial: (id: string, days: number) => onSubscription(id, 'trial', { days }),
    changePrice: (id: string, price: string) => onSubscription(id, 'change-price', { price }),
    status: (id: string, status: Status) => onSubscription(id, 'status', { status }),
    /** What the customer portal shows to whoever has the link. */
    visit: (url: string) => act('portal/visit', { url }),
    /** Cancels everything there. */
    cancelThere: (url: string) => act('portal/cancel', { url }),
    /** As if the subscription had never been. */
    forget: (id: string) => onSubscription(id, 'forget'),
    deliveries: () => look<Delivery>('deliveries'),
    calls: () => look<Arrived>('calls'),
    events: () => look<{ id: string; type: string; body: object }>('events'),
    sessions: () => look<Listed>('sessions'),
    subscriptions: () => look<Listed>('subscriptions'),
  }
}

export type Control = ReturnType<typeof controlOf>
