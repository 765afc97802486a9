/** Client for twmd, Taiwan market data. */
export {
  type Client,
  createClient,
  type DownloadOptions,
  type Format,
  type ReadName,
  type ReadParams,
  type RowOf,
  type SqlParams,
} from './client.ts'
export { type ClientFault, TwmdError } from './error.ts'
export type { Followed, FollowOptions } from './follow.ts'
export type { Download, Facts, Page } from './page.ts'
export type { CallOptions, ClientOptions } from './request.ts'
export type * from './service.ts'
export { type VerifyOptions, verifyWebhook, type WebhookEvent, WebhookRefused } from './webhook.ts'
