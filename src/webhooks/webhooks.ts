import { taipei } from '../core/index.ts'
import type { Vault } from '../state/index.ts'
import { createDeliveryStore } from './deliveries.ts'
import { createEndpointStore } from './endpoints.ts'
import { createEventWriter, type Subscriber, TEST_EVENT, type WebhookEvent } from './events.ts'
import { createFailing, type FailingDeps } from './failing.ts'
import { createFollowed } from './followed.ts'
import { createWebhookOversight } from './oversight.ts'
import { type Attempted, createSettling } from './settling.ts'

export interface WebhookDeps extends Omit<FailingDeps, 'endpoints'> {
  readonly vault: Vault
  readonly attempted?: Attempted
}

/** An event of a dataset, before it is known who wants it. */
export interface DatasetEvent {
  readonly type: Extract<WebhookEvent, `dataset.${string}`>
  /** When it happened, RFC 3339 in Taipei. */
  readonly at: string
  readonly data: unknown
  readonly slug: string
  /** Whether it is about any of these symbols. */
  concerns(symbols: readonly string[]): boolean
}

/** Endpoints, the events they are sent, and what became of each. Whatever is written is written in the transaction of the caller. */
export function createWebhooks(deps: WebhookDeps) {
  const { db, vault, attempted } = deps
  const endpoints = createEndpointStore(db, vault)
  const [events, deliveries] = [createEventWriter(db), createDeliveryStore(db)]
  const settle = createSettling({
    db,
    deliveries,
    endpoints,
    failing: createFailing({ ...deps, endpoints }),
    ...(attempted && { attempted }),
  })
  const filtered = db.prepare<[], 1>("SELECT 1 FROM webhook_endpoint WHERE state = 'enabled' AND symbols <> '[]'").pluck()
  return {
    endpoints,
    deliveries,
    settle,
    oversight: createWebhookOversight({ ...deps, endpoints, deliveries }),
    followed: createFollowed(db),
    /** Writes an event of one account. */
    tell(accountId: string, type: 'key.created', data: unknown, now: Date): void {
      const own = events.wanting(type, taipei(now)).filter(one => one.accountId === accountId)
      events.write({ type, at: taipei(now), data }, own.map(idOf), now)
    },
    /** True where any endpoint names symbols. */
    anySymbols: (): boolean => filtered.get() !== undefined,
    /** Writes an event of a dataset for whoever wants it. */
    announce({ type, at, data, slug, concerns }: DatasetEvent, now: Date): void {
      const wants = ({ datasets, symbols }: Subscriber): boolean =>
        (datasets.length === 0 || datasets.includes(slug)) && (symbols.length === 0 || concerns(symbols))
      events.write({ type, at, data }, events.wanting(type, taipei(now)).filter(wants).map(idOf), now)
    },
    /** Writes a test event for one endpoint. @returns the id of the message */
    test: (endpointId: string, now: Date): string =>
      events.write({ type: TEST_EVENT, at: taipei(now), data: { webhook_id: endpointId } }, [endpointId], now)!,
  }
}

const idOf = ({ endpointId }: Subscriber): string => endpointId

export type Webhooks = ReturnType<typeof createWebhooks>
