import { DAY_MS, taipei } from '../../core/index.ts'
import type { Database } from '../state/db.ts'
import type { SendError } from './sender.ts'

/** What one attempt came to. */
export interface Attempt {
  /** When it began, RFC 3339 in Taipei. */
  readonly at: string
  /** Of the answer; null where none came. */
  readonly status: number | null
  /** Why no answer came; null where one did. */
  readonly error: SendError | null
  readonly ms: number
}

/** A message that is to be sent now. */
export interface DueDelivery {
  readonly id: number
  readonly endpointId: string
  readonly accountId: string
  readonly url: string
  readonly messageId: string
  readonly body: string
  /** Attempts that failed since it was written, or since its owner asked for it again. */
  readonly attempts: number
}

export const DELIVERY_STATES = ['waiting', 'delivered', 'failed'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** A message to an endpoint as its owner sees it. */
export interface DeliveryRecord {
  readonly id: number
  readonly messageId: string
  readonly type: string
  readonly state: DeliveryState
  readonly createdAt: string
  /** When it is tried next; null unless it waits. */
  readonly nextAt: string | null
  readonly attempts: readonly Attempt[]
}

/** How long messages and attempts are kept. */
const KEPT_MS = 30 * DAY_MS

const LIST = `SELECT d.id, d.event_id AS messageId, e.type, d.state, d.created_at AS createdAt,
  CASE d.state WHEN 'waiting' THEN d.next_at END AS nextAt
  FROM webhook_delivery d JOIN webhook_event e ON e.id = d.event_id
  WHERE d.endpoint_id = @endpointId AND d.id < @before AND (@state IS NULL OR d.state = @state) ORDER BY d.id DESC LIMIT @most`

/** Messages on their way to endpoints, and every attempt to send them. */
export function createDeliveryStore(db: Database) {
  const due = db.prepare<[string, string], DueDelivery>(
    `SELECT d.id, d.endpoint_id AS endpointId, w.account_id AS accountId, w.url, d.event_id AS messageId, e.body, d.attempts
     FROM webhook_delivery d JOIN webhook_endpoint w ON w.id = d.endpoint_id JOIN webhook_event e ON e.id = d.event_id
     WHERE d.state = 'waiting' AND d.next_at <= ? AND d.endpoint_id NOT IN (SELECT value FROM json_each(?))
     ORDER BY d.next_at, d.id LIMIT 1`,
  )
  const attempt = db.prepare(
    'INSERT INTO webhook_attempt (delivery_id, at, status, error, ms) SELECT id, ?, ?, ?, ? FROM webhook_delivery WHERE id = ?',
  )
  const end = db.prepare("UPDATE webhook_delivery SET state = ?, attempts = attempts + 1 WHERE id = ? AND state = 'waiting'")
  const later = db.prepare("UPDATE webhook_delivery SET attempts = attempts + 1, next_at = ? WHERE id = ? AND state = 'waiting'")
  const again = db.prepare(
    "UPDATE webhook_delivery SET state = 'waiting', attempts = 0, next_at = ? WHERE endpoint_id = ? AND event_id = ?",
  )
  const againSince = db.prepare(
    "UPDATE webhook_delivery SET state = 'waiting', attempts = 0, next_at = ? WHERE endpoint_id = ? AND created_at >= ? AND state <> 'delivered'",
  )
  const list = db.prepare<object, Omit<DeliveryRecord, 'attempts'>>(LIST)
  const attempts = db.prepare<[number], Attempt>('SELECT at, status, error, ms FROM webhook_attempt WHERE delivery_id = ? ORDER BY id')
  const forgetAttempts = db.prepare('DELETE FROM webhook_attempt WHERE at < ?')
  const forget = db.prepare("DELETE FROM webhook_delivery WHERE created_at < ? AND state <> 'waiting'")
  const forgetEvents = db.prepare(
    'DELETE FROM webhook_event WHERE at < ? AND NOT EXISTS (SELECT 1 FROM webhook_delivery WHERE event_id = webhook_event.id)',
  )
  return {
    /** The message that has waited longest, to another endpoint than those named; undefined where none is due. */
    due: (now: Date, except: readonly string[]): DueDelivery | undefined => due.get(taipei(now), JSON.stringify(except)),
    /** Writes an attempt down; does nothing for a message that was deleted meanwhile. */
    record: (id: number, { at, status, error, ms }: Attempt): void => void attempt.run(at, status, error, ms, id),
    /** Nothing more is sent of it, until its owner asks for it again. */
    end: (id: number, state: 'delivered' | 'failed'): void => void end.run(state, id),
    /** Sends it again at a time. */
    later: (id: number, at: Date): void => void later.run(taipei(at), id),
    /** Sends a message again, now, whatever became of it. True where there is one. */
    resend: (endpointId: string, messageId: string, now: Date): boolean => again.run(taipei(now), endpointId, messageId).changes === 1,
    /** Sends again what was written since and did not arrive, now. @param since RFC 3339 in Taipei @returns how many messages */
    resendSince: (endpointId: string, since: string, now: Date): number => againSince.run(taipei(now), endpointId, since).changes,
    /** Newest first. @param before the last of the page before; null for the first page */
    list(
      endpointId: string,
      { state, before, most }: { readonly state: DeliveryState | null; readonly before: number | null; readonly most: number },
    ): readonly DeliveryRecord[] {
      const rows = list.all({ endpointId, state, before: before ?? Number.MAX_SAFE_INTEGER, most })
      return rows.map(row => ({ ...row, attempts: attempts.all(row.id) }))
    },
    /** Deletes what is older than thirty days; messages that wait stay. */
    forget(now: Date): void {
      const before = taipei(new Date(now.getTime() - KEPT_MS))
      forgetAttempts.run(before)
      forget.run(before)
      forgetEvents.run(before)
    },
  }
}

export type DeliveryStore = ReturnType<typeof createDeliveryStore>
