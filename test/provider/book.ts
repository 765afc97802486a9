export interface Customer {
  readonly id: string
  readonly email: string | null
  readonly created: number
  readonly metadata: Readonly<Record<string, string>>
}

export interface Price {
  readonly id: string
  readonly amount: number
  readonly currency: string
  readonly interval: 'day' | 'week' | 'month' | 'year'
  readonly product: string
  readonly created: number
}

export interface Session {
  readonly id: string
  readonly price: string
  readonly quantity: number
  readonly reference: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly subscriptionMetadata: Readonly<Record<string, string>>
  readonly successUrl: string
  readonly cancelUrl: string | null
  readonly email: string | null
  readonly created: number
  status: 'open' | 'complete' | 'expired'
  customer: string | null
  subscription: string | null
}

export type Status = 'active' | 'trialing' | 'past_due' | 'unpaid' | 'canceled' | 'incomplete' | 'incomplete_expired' | 'paused'

export interface Subscription {
  readonly id: string
  readonly item: string
  readonly customer: string
  readonly created: number
  metadata: Readonly<Record<string, string>>
  price: string
  status: Status
  periodStart: number
  periodEnd: number
  trialEnd: number | null
  cancelAtPeriodEnd: boolean
  endedAt: number | null
}

/** An event as it is listed and sent; `body` is the whole of it. */
export interface Happening {
  readonly id: string
  readonly type: string
  readonly created: number
  readonly body: Readonly<Record<string, unknown>>
}

/** Where the provider's API puts what it has moved: on the item or the subscription, under the invoice's parent or on the invoice. */
export interface Shape {
  readonly period: 'item' | 'subscription'
  readonly invoice: 'parent' | 'subscription'
}

/** Everything the provider knows. */
export interface Book {
  /** Seconds since 1970. */
  readonly now: () => number
  readonly live: boolean
  /** Where it is reached. */
  url: string
  shape: Shape
  readonly customers: Map<string, Customer>
  readonly prices: Map<string, Price>
  readonly sessions: Map<string, Session>
  readonly subscriptions: Map<string, Subscription>
  /** Link into the customer portal → whose it is. */
  readonly portals: Map<string, string>
  /** Oldest first. */
  readonly events: Happening[]
  /** Hands an event over for delivery. */
  deliver: (event: Happening) => void
}

/** A book with nothing in it. */
export const openBook = (now: () => number, live: boolean): Book => ({
  now,
  live,
  url: '',
  shape: { period: 'item', invoice: 'parent' },
  customers: new Map(),
  prices: new Map(),
  sessions: new Map(),
  subscriptions: new Map(),
  portals: new Map(),
  events: [],
  deliver: () => {},
})
