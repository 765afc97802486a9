import { DAY_MS, HOUR_MS, taipei } from '../core/index.ts'
import type { Database } from '../state/index.ts'
import type { SendError } from './sender.ts'

export interface Attempt {
  /** RFC 3339 in Taipei. */
  readonly at: string
  /** Null if there was no response. */
  readonly status: number | null
  /** Null if there was a response. */
  readonly error: SendError | null
  readonly ms: number
}

export interface DueDelivery {
  readonly id: number
  readonly endpointId: string
  readonly accountId: string
  readonly url: string
  readonly messageId: string
  readonly body: string
  /** Number of failed attempts since the last resend. */
  readonly attempts: number
  /** RFC 3339 in Taipei. */
  readonly nextAt: string
}

export interface DueEndpoint {
  readonly endpointId: string
  readonly accountId: string
}

export interface Exclusions {
  readonly endpoints: readonly string[]
  readonly accounts: readonly string[]
}

type ClaimedDelivery = Pick<DueDelivery, 'id' | 'attempts' | 'nextAt'>

export const DELIVERY_STATES = ['waiting', 'delivered', 'failed'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

export interface DeliveryRecord {
  readonly id: number
  readonly messageId: string
  readonly type: string
  /** Dataset of the event. Null for other events. */
  readonly slug: string | null
  readonly state: DeliveryState
  readonly createdAt: string
  /** Time of the next attempt. Null if the message is not waiting. */
  readonly nextAt: string | null
  readonly attempts: readonly Attempt[]
}

/** Longest possible delay. If the next attempt is later, the clock was set back. */
const MAX_DELAY_MS = 27 * HOUR_MS
/** Messages and attempts are deleted after 30 days. */
const RETENTION_MS = 30 * DAY_MS
/** Maximum number of rows per statement, so that transactions are short. */
const MAX_DELETED = 1_000

const LIST = `SELECT d.id, d.event_id AS messageId, e.type, json_extract(e.body, '$.data.slug') AS slug, d.state, d.created_at AS createdAt,
  CASE d.state WHEN 'waiting' THEN max(d.next_at, coalesce(w.held_until, '')) END AS nextAt
  FROM webhook_delivery d JOIN webhook_endpoint w ON w.id = d.endpoint_id JOIN webhook_event e ON e.id = d.event_id
  WHERE d.endpoint_id = @endpointId AND d.id < @before AND (@state IS NULL OR d.state = @state) ORDER BY d.id DESC LIMIT @most`

/** Reads one index entry per endpoint, not one per message. */
const DUE_ENDPOINTS = `WITH RECURSIVE waiting (id) AS (
    SELECT min(endpoint_id) FROM webhook_delivery WHERE state = 'waiting'
    UNION ALL
    SELECT (SELECT min(endpoint_id) FROM webhook_delivery WHERE state = 'waiting' AND endpoint_id > waiting.id) FROM waiting
    WHERE waiting.id IS NOT NULL
  )
  SELECT w.id AS endpointId, w.account_id AS accountId,
    (SELECT min(next_at) FROM webhook_delivery WHERE state = 'waiting' AND endpoint_id = w.id) AS dueAt,
    (SELECT max(next_at) FROM webhook_delivery WHERE state = 'waiting' AND endpoint_id = w.id) AS lastAt
  FROM waiting CROSS JOIN webhook_endpoint w ON w.id = waiting.id
  WHERE (dueAt <= @now OR lastAt > @beyond) AND (coalesce(w.held_until, '') <= @now OR w.held_until > @beyond) AND w.id NOT IN (SELECT value FROM json_each(@endpoints))
    AND w.account_id NOT IN (SELECT value FROM json_each(@accounts))
  ORDER BY dueAt`

const NEXT = `SELECT d.id, d.endpoint_id AS endpointId, w.account_id AS accountId, w.url, d.event_id AS messageId, e.body, d.attempts, d.next_at AS nextAt
  FROM webhook_delivery d JOIN webhook_endpoint w ON w.id = d.endpoint_id JOIN webhook_event e ON e.id = d.event_id
  WHERE d.state = 'waiting' AND d.endpoint_id = @endpointId AND (d.next_at <= @now OR d.next_at > @beyond)
    AND (coalesce(w.held_until, '') <= @now OR w.held_until > @beyond) ORDER BY d.next_at, d.id LIMIT 1`

const UNDELIVERED = `SELECT id FROM webhook_delivery
  WHERE endpoint_id = ? AND created_at >= ? AND (state = 'failed' OR (state = 'waiting' AND next_at > ?)) ORDER BY id LIMIT ?`

const timesOf = (now: Date) => ({ now: taipei(now), beyond: taipei(new Date(now.getTime() + MAX_DELAY_MS)) })

export function createDeliveryStore(db: Database) {
  const dueEndpoints = db.prepare<object, DueEndpoint>(DUE_ENDPOINTS)
  const next = db.prepare<object, DueDelivery>(NEXT)
  const insertAttempt = db.prepare(
    'INSERT INTO webhook_attempt (delivery_id, at, status, error, ms) SELECT id, ?, ?, ?, ? FROM webhook_delivery WHERE id = ?',
  )
  const end = db.prepare(
    "UPDATE webhook_delivery SET state = ?, attempts = attempts + 1 WHERE id = ? AND attempts = ? AND next_at = ? AND state = 'waiting'",
  )
  const reschedule = db.prepare(
    "UPDATE webhook_delivery SET attempts = attempts + 1, next_at = ? WHERE id = ? AND attempts = ? AND next_at = ? AND state = 'waiting'",
  )
  const resend = db.prepare(
    "UPDATE webhook_delivery SET state = 'waiting', attempts = 0, next_at = ? WHERE endpoint_id = ? AND event_id = ?",
  )
  const release = db.prepare('UPDATE webhook_endpoint SET held_until = NULL WHERE id = ?')
  const undelivered = db.prepare<[string, string, string, number], number>(UNDELIVERED).pluck()
  const resendAll = db.prepare(
    "UPDATE webhook_delivery SET state = 'waiting', attempts = 0, next_at = ? WHERE id IN (SELECT value FROM json_each(?))",
  )
  const list = db.prepare<object, Omit<DeliveryRecord, 'attempts'>>(LIST)
  const attemptsOf = db.prepare<[number], Attempt>('SELECT at, status, error, ms FROM webhook_attempt WHERE delivery_id = ? ORDER BY id')
  const deleteOldAttempts = db.prepare('DELETE FROM webhook_attempt WHERE id IN (SELECT id FROM webhook_attempt WHERE at < ? LIMIT ?)')
  const deleteOldDeliveries = db.prepare(
    "DELETE FROM webhook_delivery WHERE id IN (SELECT id FROM webhook_delivery WHERE created_at < ? AND state <> 'waiting' LIMIT ?)",
  )
  return {
    /** The endpoint that has waited longest is first. */
    dueEndpoints: (now: Date, { endpoints, accounts }: Exclusions): readonly DueEndpoint[] =>
      dueEndpoints.all({ ...timesOf(now), endpoints: JSON.stringify(endpoints), accounts: JSON.stringify(accounts) }),
    /** Undefined if no message is due. */
    next: (endpointId: string, now: Date): DueDelivery | undefined => next.get({ endpointId, ...timesOf(now) }),
    /** Has no effect if the message was deleted. */
    record: (id: number, { at, status, error, ms }: Attempt): void => void insertAttempt.run(at, status, error, ms, id),
    /** Has no effect if a resend was requested during the attempt. */
    end: ({ id, attempts, nextAt }: ClaimedDelivery, state: 'delivered' | 'failed'): void => void end.run(state, id, attempts, nextAt),
    /** Has no effect if a resend was requested during the attempt. */
    reschedule: ({ id, attempts, nextAt }: ClaimedDelivery, at: Date): void => void reschedule.run(taipei(at), id, attempts, nextAt),
    /**
     * Makes a message due immediately, in any state. Call in a transaction.
     *
     * @returns false if the message does not exist
     */
    resend(endpointId: string, messageId: string, now: Date): boolean {
      const exists = resend.run(taipei(now), endpointId, messageId).changes === 1
      if (exists) release.run(endpointId)
      return exists
    },
    /**
     * Makes undelivered messages due immediately, oldest first. Call in a transaction.
     *
     * @param since start time, RFC 3339 in Taipei
     * @returns number of messages, and whether there are more than `limit`
     */
    resendSince(endpointId: string, since: string, limit: number, now: Date): { readonly resent: number; readonly hasMore: boolean } {
      const candidates = undelivered.all(endpointId, since, taipei(now), limit + 1)
      const ids = candidates.slice(0, limit)
      resendAll.run(taipei(now), JSON.stringify(ids))
      release.run(endpointId)
      return { resent: ids.length, hasMore: candidates.length > limit }
    },
    /**
     * Newest first.
     * @param before the last message of the previous page. Null for the first page
     */
    list(
      endpointId: string,
      { state, before, most }: { readonly state: DeliveryState | null; readonly before: number | null; readonly most: number },
    ): readonly DeliveryRecord[] {
      const rows = list.all({ endpointId, state, before: before ?? Number.MAX_SAFE_INTEGER, most })
      return rows.map(row => ({ ...row, attempts: attemptsOf.all(row.id) }))
    },
    /**
     * Deletes messages older than 30 days, except waiting messages.
     *
     * @returns true if there may be more to delete
     */
    deleteOld(now: Date): boolean {
      const cutoff = taipei(new Date(now.getTime() - RETENTION_MS))
      const deleted = [deleteOldAttempts, deleteOldDeliveries].map(statement => statement.run(cutoff, MAX_DELETED).changes)
      return deleted.includes(MAX_DELETED)
    },
  }
}

export type DeliveryStore = ReturnType<typeof createDeliveryStore>
