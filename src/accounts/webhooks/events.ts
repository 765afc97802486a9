import { newId, taipei } from '../../core/index.ts'
import type { Database } from '../state/db.ts'

/** Events that an endpoint may ask for, and what each says. */
export const WEBHOOK_EVENTS = {
  'dataset.published': 'Rows were published; the data is the entry of the updates feed.',
  'dataset.revised': 'Rows that were there were changed or removed; the data is the entry of the updates feed.',
  'dataset.withdrawn': 'A former release is served again; the data is the entry of the updates feed.',
  'dataset.late': 'Data that was due has not come within the tolerance of its cadence; the data is what the dataset’s freshness says.',
  'credits.low': 'A fifth of the credits of the period is left, or less; once a period, and again of a higher plan’s.',
  'key.created': 'A key of the account was made; its secret is not in the data.',
} as const

export type WebhookEvent = keyof typeof WEBHOOK_EVENTS

/** Sent to an endpoint that asks for it by name, whatever events it takes. */
export const TEST_EVENT = 'webhook.test'

/** Whom an event is sent to, as far as its endpoint chose. */
export interface Subscriber {
  readonly endpointId: string
  readonly accountId: string
  /** Slugs; every dataset where it is empty. */
  readonly datasets: readonly string[]
  /** Every symbol where it is empty. */
  readonly symbols: readonly string[]
}

/** An event before it is written. */
export interface EventOrder {
  readonly type: WebhookEvent | typeof TEST_EVENT
  /** When it happened, RFC 3339 in Taipei. */
  readonly at: string
  /** As JSON it stays under 20 kB. */
  readonly data: unknown
}

/**
 * Writes events and their deliveries, in the transaction of the caller: what made an event and the event itself are kept together or not at
 * all. An event that no endpoint wants is not written.
 */
export function createEventWriter(db: Database) {
  const wanting = db.prepare<[string], { endpointId: string; accountId: string; datasets: string; symbols: string }>(
    `SELECT id AS endpointId, account_id AS accountId, datasets, symbols FROM webhook_endpoint
     WHERE state = 'enabled' AND EXISTS (SELECT 1 FROM json_each(events) WHERE value = ?) ORDER BY created_at, id`,
  )
  const insertEvent = db.prepare('INSERT INTO webhook_event (id, type, at, body) VALUES (?, ?, ?, ?)')
  const insertDelivery = db.prepare(
    "INSERT INTO webhook_delivery (endpoint_id, event_id, state, next_at, created_at) VALUES (?, ?, 'waiting', ?, ?)",
  )
  return {
    /** Endpoints that take an event of a type. */
    wanting: (type: WebhookEvent): readonly Subscriber[] =>
      wanting.all(type).map(row => ({
        ...row,
        datasets: JSON.parse(row.datasets) as readonly string[],
        symbols: JSON.parse(row.symbols) as readonly string[],
      })),
    /** @returns the id of the message, the same for every endpoint; null where there is none to send it to */
    write({ type, at, data }: EventOrder, endpointIds: readonly string[], now: Date): string | null {
      if (endpointIds.length === 0) return null
      const id = newId('msg')
      insertEvent.run(id, type, at, JSON.stringify({ type, timestamp: at, data }))
      for (const endpointId of endpointIds) insertDelivery.run(endpointId, id, taipei(now), taipei(now))
      return id
    },
  }
}

export type EventWriter = ReturnType<typeof createEventWriter>
