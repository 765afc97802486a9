import type { Book, Happening } from './book.ts'
import type { Form } from './form.ts'
import { newId } from './ids.ts'
import { listed, page, within } from './pages.ts'
import { check, listOf, moments, PAGING, text } from './params.ts'
import { noSuch } from './refusals.ts'
import type { Route } from './routes.ts'

const API_VERSION = '2026-10-28.endive'

/** What may be said of an event beside its type and object. */
export interface Told {
  readonly id?: string
  readonly livemode?: boolean
  readonly previous?: Readonly<Record<string, unknown>>
}

/** Puts an event on record and hands it over for delivery; its object is kept as it is now. */
export function happen(
  book: Book,
  type: string,
  object: object,
  { id = newId('evt'), livemode = book.live, previous }: Told = {},
): Happening {
  const data = { object: structuredClone(object), ...(previous ? { previous_attributes: previous } : {}) }
  const created = book.now()
  const request = { id: newId('req'), idempotency_key: null }
  const body = { id, object: 'event', api_version: API_VERSION, created, data, livemode, pending_webhooks: 1, request, type }
  return put(book, { id, type, created, body })
}

/** An event of the newer kind, which names the object it is about and does not carry it. */
export function happenThin(book: Book, type: string, about: string): Happening {
  const id = newId('evt_test')
  const created = book.now()
  const related_object = { id: about, type: 'billing.meter', url: `/v1/billing/meters/${about}` }
  const stamp = new Date(created * 1_000).toISOString()
  const body = { id, object: 'v2.core.event', type, livemode: book.live, created: stamp, context: null, related_object, reason: null }
  return put(book, { id, type, created, body })
}

function put(book: Book, event: Happening): Happening {
  book.events.push(event)
  book.deliver(event)
  return event
}

function asked(form: Form): (event: Happening) => boolean {
  const types = listed(form['types'])
  return ({ type, created, body }) =>
    body['object'] === 'event' &&
    within(created, form['created']) &&
    (types === undefined || types.includes(type)) &&
    (form['type'] === undefined || form['type'] === type)
}

export const eventRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/events',
    run: ({ book, form }) => {
      check(form, { ...PAGING, created: moments, type: text(), types: listOf(text()) })
      return page(book.events.filter(asked(form)).reverse(), form, '/v1/events', 'event', ({ body }) => body)
    },
  },
  {
    method: 'GET',
    path: '/v1/events/:id',
    run: ({ book, form, id }) => {
      check(form, {})
      const event = book.events.find(found => found.id === id)
      if (!event) throw noSuch('event', id)
      return event.body
    },
  },
]
