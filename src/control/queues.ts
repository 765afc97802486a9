import type { Database } from '../state/index.ts'

/** What waits in a queue of the state file. */
export interface Queue {
  readonly waiting: number
  /** When the oldest that waits came, RFC 3339 in Taipei; null where none waits. */
  readonly oldestAt: string | null
  /** When the next is tried. */
  readonly nextAt: string | null
  /** Most attempts that any of them has behind it. */
  readonly attempts: number
  /** Why the one that was tried most often has not left, without addresses and secrets; null where nothing failed. */
  readonly lastError: string | null
}

/** Mail that waits, and how many left or were given up within the day their rows are kept. */
export interface MailQueue extends Queue {
  readonly codes: number
  readonly notices: number
  readonly sent: number
  readonly givenUp: number
}

/** Messages that wait for endpoints, and how the endpoints fare. */
export interface WebhookQueue extends Omit<Queue, 'lastError'> {
  readonly endpoints: number
  readonly failing: number
  readonly disabled: number
}

/** Whoever reads a mail server's or provider's words reads addresses, keys and ids of customers in them. */
const PRIVATE = /[^\s<>"']+@[^\s<>"',;]+|\b(?:sk|rk|pk|whsec|cus|sub|sst)_[\w-]+/g

const words = (error: string | null): string | null => error?.replaceAll(PRIVATE, '…') ?? null

/** Looks into the queues of the state file. */
export function createQueues(db: Database) {
  const stateOf = (table: string, waiting: string, came: string, error: string) =>
    db.prepare<[], Queue>(
      `SELECT count(*) AS waiting, min(${came}) AS oldestAt, min(next_at) AS nextAt, coalesce(max(attempts), 0) AS attempts,
         (SELECT ${error} FROM ${table} WHERE state = '${waiting}' AND ${error} IS NOT NULL ORDER BY attempts DESC LIMIT 1) AS lastError
       FROM ${table} WHERE state = '${waiting}'`,
    )
  const mail = stateOf('mail_outbox', 'waiting', 'created_at', 'last_error')
  const events = stateOf('payment_event', 'new', 'received_at', 'error')
  const kinds = db.prepare<[], { readonly state: string; readonly kind: string; readonly count: number }>(
    'SELECT state, kind, count(*) AS count FROM mail_outbox GROUP BY state, kind',
  )
  const lastGivenUp = db
    .prepare<[], string | null>("SELECT last_error FROM mail_outbox WHERE state = 'given_up' ORDER BY id DESC LIMIT 1")
    .pluck()
  const webhooks = db.prepare<[], WebhookQueue>(
    `SELECT count(*) AS waiting, min(created_at) AS oldestAt, min(next_at) AS nextAt, coalesce(max(attempts), 0) AS attempts,
       (SELECT count(*) FROM webhook_endpoint) AS endpoints,
       (SELECT count(*) FROM webhook_endpoint WHERE state = 'enabled' AND failing_since IS NOT NULL) AS failing,
       (SELECT count(*) FROM webhook_endpoint WHERE state = 'disabled') AS disabled
     FROM webhook_delivery WHERE state = 'waiting'`,
  )
  return {
    webhooks: (): WebhookQueue => webhooks.get()!,
    mail(): MailQueue {
      const counts = kinds.all()
      const of = (state: string, kind?: string): number =>
        counts.reduce((sum, one) => sum + (one.state === state && (kind ?? one.kind) === one.kind ? one.count : 0), 0)
      const queue = mail.get()!
      return {
        ...queue,
        lastError: words(queue.lastError ?? lastGivenUp.get() ?? null),
        codes: of('waiting', 'code'),
        notices: of('waiting', 'notice'),
        sent: of('sent'),
        givenUp: of('given_up'),
      }
    },
    paymentEvents(): Queue {
      const queue = events.get()!
      return { ...queue, lastError: words(queue.lastError) }
    },
  }
}
