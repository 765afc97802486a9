import { taipei } from '../core/index.ts'
import type { Vault } from '../state/index.ts'
import { createDatasetCursors } from './dataset-cursors.ts'
import { createDeliveryStore } from './deliveries.ts'
import { createEndpointStore } from './endpoints.ts'
import { createEventWriter, type Subscriber, TEST_EVENT, type WebhookEvent } from './events.ts'
import { createFailureTracker, type FailureTrackerDeps } from './failure-tracker.ts'
import { createWebhookOversight } from './oversight.ts'
import { type AttemptListener, createSettling } from './settling.ts'

export interface WebhookDeps extends Omit<FailureTrackerDeps, 'endpoints'> {
  readonly vault: Vault
  readonly onAttempt?: AttemptListener
}

export interface DatasetEvent {
  readonly type: Extract<WebhookEvent, `dataset.${string}`>
  readonly at: string
  readonly data: unknown
  readonly slug: string
  concerns(symbols: readonly string[]): boolean
}

/** All writes are in the transaction of the caller. */
export function createWebhooks(deps: WebhookDeps) {
  const { db, vault, onAttempt } = deps
  const endpoints = createEndpointStore(db, vault)
  const events = createEventWriter(db)
  const deliveries = createDeliveryStore(db)
  const settle = createSettling({
    db,
    deliveries,
    endpoints,
    failures: createFailureTracker({ ...deps, endpoints }),
    ...(onAttempt && { onAttempt }),
  })
  const symbolFilter = db.prepare<[], 1>("SELECT 1 FROM webhook_endpoint WHERE state = 'enabled' AND symbols <> '[]'").pluck()
  return {
    endpoints,
    deliveries,
    settle,
    oversight: createWebhookOversight({ ...deps, endpoints, deliveries }),
    datasetCursors: createDatasetCursors(db),
    notifyAccount(accountId: string, type: 'key.created', data: unknown, now: Date): void {
      const subscribers = events.subscribers(type, taipei(now)).filter(one => one.accountId === accountId)
      events.write({ type, at: taipei(now), data }, subscribers.map(idOf), now)
    },
    hasSymbolFilters: (): boolean => symbolFilter.get() !== undefined,
    announce({ type, at, data, slug, concerns }: DatasetEvent, now: Date): void {
      const isSubscribed = ({ datasets, symbols }: Subscriber): boolean =>
        (datasets.length === 0 || datasets.includes(slug)) && (symbols.length === 0 || concerns(symbols))
      events.write({ type, at, data }, events.subscribers(type, taipei(now)).filter(isSubscribed).map(idOf), now)
    },
    test: (endpointId: string, now: Date): string =>
      events.write({ type: TEST_EVENT, at: taipei(now), data: { webhook_id: endpointId } }, [endpointId], now)!,
  }
}

const idOf = ({ endpointId }: Subscriber): string => endpointId

export type Webhooks = ReturnType<typeof createWebhooks>
