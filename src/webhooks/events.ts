import { PLANS } from '../../catalog/index.ts'
import { newId, taipei } from '../core/index.ts'
import type { Database } from '../state/index.ts'
import { effectivePlan, type PlanSources, planColumns } from '../state/index.ts'

export const WEBHOOK_EVENTS = {
  'dataset.published': 'New rows were published. The field data has the entry of the updates feed.',
  'dataset.revised': 'Published rows were changed or removed. The field data has the entry of the updates feed.',
  'dataset.withdrawn': 'An earlier release is served again. The field data has the entry of the updates feed.',
  'dataset.late': 'A dataset is overdue beyond the tolerance of its cadence. The field data has the freshness of the dataset.',
  'credits.low':
    'At most a fifth of the credits of the period remain. The event is sent once per period, and again after a move to a higher plan.',
  'key.created': 'An API key of the account was created. The field data does not contain the secret of the key.',
} as const

export type WebhookEvent = keyof typeof WEBHOOK_EVENTS

/** Sent on request only. */
export const TEST_EVENT = 'webhook.test'

export interface Subscriber {
  readonly endpointId: string
  readonly accountId: string
  /** Slugs of datasets. Empty for all datasets. */
  readonly datasets: readonly string[]
  /** Empty for all symbols. */
  readonly symbols: readonly string[]
}

export interface NewEvent {
  readonly type: WebhookEvent | typeof TEST_EVENT
  /** RFC 3339 in Taipei. */
  readonly at: string
  /** Less than 20 kB as JSON. */
  readonly data: unknown
}

/**
 * Writes events in the transaction of the caller, so that an event and the cause of the event are
 * committed together. Events without subscribers are not written.
 */
export function createEventWriter(db: Database) {
  /** Oldest endpoints first, because the plan's limit excludes the newest endpoints. */
  const subscribers = db.prepare<[string], { endpointId: string; accountId: string; datasets: string; symbols: string; place: number }>(
    `SELECT id AS endpointId, account_id AS accountId, datasets, symbols, place FROM (
       SELECT *, row_number() OVER (PARTITION BY account_id ORDER BY created_at, id) AS place FROM webhook_endpoint
       WHERE state = 'enabled' AND account_id NOT IN (SELECT account_id FROM account_suspension)
     ) WHERE EXISTS (SELECT 1 FROM json_each(events) WHERE value = ?) ORDER BY created_at, id`,
  )
  const subscribedAccounts = db
    .prepare<[string], string>(
      `SELECT DISTINCT account_id FROM webhook_endpoint
       WHERE state = 'enabled' AND EXISTS (SELECT 1 FROM json_each(events) WHERE value = ?)`,
    )
    .pluck()
  const planOf = db.prepare<[string], PlanSources>(`SELECT ${planColumns('a.id')} FROM account a WHERE a.id = ?`)
  const endpointLimitOf = (accountId: string, at: string): number => PLANS[effectivePlan(planOf.get(accountId)!, at).plan].webhookEndpoints
  const insertEvent = db.prepare('INSERT INTO webhook_event (id, type, at, body) VALUES (?, ?, ?, ?)')
  const insertDelivery = db.prepare(
    "INSERT INTO webhook_delivery (endpoint_id, event_id, state, next_at, created_at) VALUES (?, ?, 'waiting', ?, ?)",
  )
  return {
    /**
     * Returns accounts with a subscribed endpoint. Includes endpoints above the limits of plans.
     */
    subscribedAccounts: (type: WebhookEvent): readonly string[] => subscribedAccounts.all(type),
    /**
     * Returns endpoints up to the limit of each plan. Excludes suspended accounts.
     *
     * @param now RFC 3339 in Taipei
     */
    subscribers: (type: WebhookEvent, now: string): readonly Subscriber[] =>
      subscribers
        .all(type)
        .filter(({ accountId, place }) => place === 1 || place <= endpointLimitOf(accountId, now))
        .map(({ place: _, ...row }) => ({
          ...row,
          datasets: JSON.parse(row.datasets) as readonly string[],
          symbols: JSON.parse(row.symbols) as readonly string[],
        })),
    /**
     * Writes one message per endpoint.
     *
     * @returns the id that all messages share. Null if there are no endpoints
     */
    write({ type, at, data }: NewEvent, endpointIds: readonly string[], now: Date): string | null {
      if (endpointIds.length === 0) return null
      const id = newId('msg')
      insertEvent.run(id, type, at, JSON.stringify({ type, timestamp: at, data }))
      for (const endpointId of endpointIds) insertDelivery.run(endpointId, id, taipei(now), taipei(now))
      return id
    },
  }
}

export type EventWriter = ReturnType<typeof createEventWriter>
