import type { Database } from '../state/index.ts'

export interface Queue {
  readonly waiting: number
  /** Time of the oldest entry, RFC 3339 in Taipei. Null if the queue is empty. */
  readonly oldestAt: string | null
  /** Time of the next attempt. Null if the queue is empty. */
  readonly nextAt: string | null
  readonly attempts: number
  /** Error of the entry with the most attempts, without addresses and secrets. */
  readonly lastError: string | null
}

export interface MailQueue extends Queue {
  readonly codes: number
  readonly notices: number
  readonly sent: number
  readonly givenUp: number
}

export interface WebhookQueue extends Omit<Queue, 'lastError'> {
  readonly endpoints: number
  readonly failing: number
  readonly disabled: number
}

/** Errors of mail servers and of the payment provider can contain private data. */
const PRIVATE_DATA = /[^\s<>"']+@[^\s<>"',;]+|\b(?:sk|rk|pk|whsec|cus|sub|sst)_[\w-]+/g

const redact = (error: string | null): string | null => error?.replaceAll(PRIVATE_DATA, '…') ?? null

export function createQueues(db: Database) {
  const queueStatement = (table: string, waiting: string, createdColumn: string, error: string) =>
    db.prepare<[], Queue>(
      `SELECT count(*) AS waiting, min(${createdColumn}) AS oldestAt, min(next_at) AS nextAt, coalesce(max(attempts), 0) AS attempts,
         (SELECT ${error} FROM ${table} WHERE state = '${waiting}' AND ${error} IS NOT NULL ORDER BY attempts DESC LIMIT 1) AS lastError
       FROM ${table} WHERE state = '${waiting}'`,
    )
  const mail = queueStatement('mail_outbox', 'waiting', 'created_at', 'last_error')
  const events = queueStatement('payment_event', 'new', 'received_at', 'error')
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
      const countOf = (state: string, kind?: string): number =>
        counts.reduce((sum, one) => sum + (one.state === state && (kind ?? one.kind) === one.kind ? one.count : 0), 0)
      const queue = mail.get()!
      return {
        ...queue,
        lastError: redact(queue.lastError ?? lastGivenUp.get() ?? null),
        codes: countOf('waiting', 'code'),
        notices: countOf('waiting', 'notice'),
        sent: countOf('sent'),
        givenUp: countOf('given_up'),
      }
    },
    paymentEvents(): Queue {
      const queue = events.get()!
      return { ...queue, lastError: redact(queue.lastError) }
    },
  }
}
