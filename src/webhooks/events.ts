import { PLANS } from '../../catalog/index.ts'
import { newId, taipei } from '../core/index.ts'
import type { Database } from '../state/index.ts'
import { effectivePlan, type PlanSources, planColumns } from '../state/index.ts'

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
  // The oldest of an account come first: what a plan does not reach are the newest.
  const wanting = db.prepare<[string], { endpointId: string; accountId: string; datasets: string; symbols: string; place: number }>(
    `SELECT id AS endpointId, account_id AS accountId, datasets, symbols, place FROM (
       SELECT *, row_number() OVER (PARTITION BY account_id ORDER BY created_at, id) AS place FROM webhook_endpoint WHERE state = 'enabled'
     ) WHERE EXISTS (SELECT 1 FROM json_each(events) WHERE value = ?) ORDER BY created_at, id`,
  )
  const accountsWanting = db
    .prepare<[string], string>(
      `SELECT DISTINCT account_id FROM webhook_endpoint
       WHERE state = 'enabled' AND EXISTS (SELECT 1 FROM json_each(events) WHERE value = ?)`,
    )
    .pluck()
  const planOf = db.prepare<[string], PlanSources>(`SELECT ${planColumns('a.id')} FROM account a WHERE a.id = ?`)
  const allowedOf = (accountId: string, at: string): number => PLANS[effectivePlan(planOf.get(accountId)!, at).plan].webhookEndpoints
  const insertEvent = db.prepare('INSERT INTO webhook_event (id, type, at, body) VALUES (?, ?, ?, ?)')
  const insertDelivery = db.prepare(
    "INSERT INTO webhook_delivery (endpoint_id, event_id, state, next_at, created_at) VALUES (?, ?, 'waiting', ?, ?)",
  )
  return {
    /** Accounts with an endpoint that takes events of a type, whatever their plans allow. */
    accountsWanting: (type: WebhookEvent): readonly string[] => accountsWanting.all(type),
    /** Endpoints that take events of a type, of each account as many as its plan allows to be enabled. @param now RFC 3339 in Taipei */
    wanting: (type: WebhookEvent, now: string): readonly Subscriber[] =>
      wanting
        .all(type)
        .filter(({ accountId, place }) => place === 1 || place <= allowedOf(accountId, now))
        .map(({ place: _, ...row }) => ({
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
