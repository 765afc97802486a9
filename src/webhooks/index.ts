/** Webhook endpoints, deliveries and their signatures. */
export { type CreditWatch, createCreditWatch } from './credit-watch.ts'
export { DELIVERY_STATES, type DeliveryRecord, type DeliveryState } from './deliveries.ts'
export { openDispatcher } from './dispatcher.ts'
export {
  DISABLED_REASONS,
  type Endpoint as WebhookEndpoint,
  type EndpointSettings,
  findBlockedByOperator,
  idsBeyondLimit,
} from './endpoints.ts'
export { WEBHOOK_EVENTS, type WebhookEvent } from './events.ts'
export type { EndpointOverview } from './oversight.ts'
export { SEND_ERRORS } from './sender.ts'
export { type AttemptListener, OUTCOMES } from './settling.ts'
export { endpointOwnerOf } from './signing.ts'
export { targetMistake } from './target.ts'
export { createWebhooks, type DatasetEvent, type Webhooks } from './webhooks.ts'
