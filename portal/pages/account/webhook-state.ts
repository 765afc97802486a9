/** An endpoint of the account, without its secret. */
export interface Webhook {
  readonly webhook_id: string
  readonly url: string
  readonly description: string
  readonly events: readonly string[]
  readonly datasets: readonly string[]
  readonly symbols: readonly string[]
  readonly status: 'enabled' | 'disabled'
  readonly disabled_reason: 'owner' | 'gone' | 'failing' | 'operator' | null
  readonly over_limit: boolean
  readonly failing_since: string | null
  readonly held_until: string | null
  readonly waiting: number
}

/** What messages to an endpoint are signed with. */
export interface WebhookSecret {
  readonly webhook_id: string
  readonly secret: string
}

/** One try to send a message: the status of the answer, or why none came. */
export interface Attempt {
  readonly at: string
  readonly status: number | null
  readonly error: string | null
  readonly ms: number
}

/** A message to an endpoint, with what became of it. */
export interface Delivery {
  readonly message_id: string
  readonly type: string
  readonly status: 'waiting' | 'delivered' | 'failed'
  readonly created_at: string
  readonly next_at: string | null
  readonly attempts: readonly Attempt[]
}

/** Where the endpoints of the account are listed and made. */
export const WEBHOOKS_PATH = '/v2/self-serve/webhooks'
