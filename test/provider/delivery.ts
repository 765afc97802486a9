import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import Stripe from 'stripe'
import type { Happening } from './book.ts'

/** Where events go and how they are signed. */
export interface Target {
  readonly url: string
  readonly secret: string
  readonly header: 'Payment-Signature' | 'Stripe-Signature'
}

/** How events are delivered from now on. */
export interface Manner {
  /** How often each is sent. */
  readonly copies: number
  readonly order: 'sent' | 'reversed' | 'shuffled'
  /** All at once rather than one after the other. */
  readonly parallel: boolean
  /** Kept back until told otherwise. */
  readonly held: boolean
  /** How many of the next are never sent. */
  readonly drop: number | 'all'
  /** How far the signature's time lies from now. */
  readonly skewSeconds: number
  /** Signed with this secret, whatever the target's is. */
  readonly secret: string | null
}

/** One attempt: what the receiver answered; status 0 where it did not. */
export interface Delivery {
  readonly event: string
  readonly type: string
  readonly status: number
  readonly answer: string
}

const PLAINLY: Manner = { copies: 1, order: 'sent', parallel: false, held: false, drop: 0, skewSeconds: 0, secret: null }

/** The header of a body, as the SDK itself makes it. @param at seconds since 1970 */
export const signed = (body: string, secret: string, at: number): string =>
  Stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp: at })

/** Events on their way to the one webhook there is. */
export function openDeliveries(now: () => number) {
  const attempts: Delivery[] = []
  let waiting: Happening[] = []
  let target: Target | null = null
  let manner = PLAINLY
  let walking: Promise<unknown> = Promise.resolve()

  const send = async ({ id, type, body }: Happening): Promise<Delivery> => {
    const payload = JSON.stringify(body, null, 2)
    const signature = signed(payload, manner.secret ?? target!.secret, now() + manner.skewSeconds)
    const delivery = { event: id, type, ...(await post(target!.url, { [target!.header]: signature }, payload)) }
    attempts.push(delivery)
    return delivery
  }
  const walk = async (): Promise<readonly Delivery[]> => {
    if (!target || manner.held) return []
    const batch = ordered(waiting, manner.order).flatMap(event => Array.from({ length: manner.copies }, () => event))
    waiting = []
    if (manner.parallel) return Promise.all(batch.map(send))
    const done: Delivery[] = []
    for (const event of batch) done.push(await send(event))
    return done
  }
  return {
    attempts,
    put(event: Happening): void {
      if (manner.drop === 'all') return
      if (manner.drop > 0) manner = { ...manner, drop: manner.drop - 1 }
      else waiting.push(event)
    },
    aim(next: Target): void {
      target = next
    },
    /** Everything left out is as at the start. */
    set(next: Partial<Manner>): void {
      manner = { ...PLAINLY, ...next }
    },
    /** Sends what waits. @returns the attempts this call made */
    flush(): Promise<readonly Delivery[]> {
      const round = walking.then(walk, walk)
      walking = round
      return round
    },
  }
}

export type Deliveries = ReturnType<typeof openDeliveries>

/** Shuffled always in the same way: every second one first, backwards. */
function ordered(events: readonly Happening[], order: Manner['order']): readonly Happening[] {
  if (order === 'sent') return events
  const backwards = events.toReversed()
  return order === 'reversed' ? backwards : [...backwards.filter((_, index) => index % 2), ...backwards.filter((_, index) => !(index % 2))]
}

/** Posts as the provider does. A receiver that is away is status 0. */
async function post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<{ status: number; answer: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; answer: string }>()
  const sent = request(url, {
    method: 'POST',
    agent: false,
    timeout: 20_000,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
      ...headers,
    },
  })
  sent.on('response', response => text(response).then(answer => resolve({ status: response.statusCode!, answer }), reject))
  sent.on('timeout', () => sent.destroy(new Error('timeout')))
  sent.on('error', reject)
  sent.end(body)
  return promise.catch((error: Error) => ({ status: 0, answer: error.message }))
}
