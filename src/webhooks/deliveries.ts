import { DAY_MS, HOUR_MS, taipei } from '../core/index.ts'
import type { Database } from '../state/index.ts'
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
  /** When it was due, RFC 3339 in Taipei. */
  readonly nextAt: string
}

/** An endpoint that a message is due for. */
export interface DueEndpoint {
  readonly endpointId: string
  readonly accountId: string
}

/** What is sent now, and what is left out while it is. */
export interface Occupied {
  readonly endpoints: readonly string[]
  readonly accounts: readonly string[]
}

/** A message as it was when it was taken to be sent. */
type Sent = Pick<DueDelivery, 'id' | 'attempts' | 'nextAt'>

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

/** Longer than any wait: what is due later than this was put off by a clock that has been put back since, and is due now. */
const BEYOND_MS = 27 * HOUR_MS
/** How long messages and attempts are kept. */
const KEPT_MS = 30 * DAY_MS
/** Rows of each kind that are deleted at a time, so that nobody waits long for the state file. */
const MOST_FORGOTTEN = 1_000

const LIST = `SELECT d.id, d.event_id AS messageId, e.type, d.state, d.created_at AS createdAt,
  CASE d.state WHEN 'waiting' THEN max(d.next_at, coalesce(w.held_until, '')) END AS nextAt
  FROM webhook_delivery d JOIN webhook_endpoint w ON w.id = d.endpoint_id JOIN webhook_event e ON e.id = d.event_id
  WHERE d.endpoint_id = @endpointId AND d.id < @before AND (@state IS NULL OR d.state = @state) ORDER BY d.id DESC LIMIT @most`

/** Goes from endpoint to endpoint by the index of what waits, so that it costs as much as there are endpoints with messages, not messages. */
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

/** What was given up, and what waits for an attempt after this moment. */
const NOT_ARRIVED = `SELECT id FROM webhook_delivery
  WHERE endpoint_id = ? AND created_at >= ? AND (state = 'failed' OR (state = 'waiting' AND next_at > ?)) ORDER BY id LIMIT ?`

const momentsOf = (now: Date) => ({ now: taipei(now), beyond: taipei(new Date(now.getTime() + BEYOND_MS)) })

/** Messages on their way to endpoints, and every attempt to send them. */
export function createDeliveryStore(db: Database) {
  const dueEndpoints = db.prepare<object, DueEndpoint>(DUE_ENDPOINTS)
  const next = db.prepare<object, DueDelivery>(NEXT)
  const attempt = db.prepare(
    'INSERT INTO webhook_attempt (delivery_id, at, status, error, ms) SELECT id, ?, ?, ?, ? FROM webhook_delivery WHERE id = ?',
  )
  const end = db.prepare(
    "UPDATE webhook_delivery SET state = ?, attempts = attempts + 1 WHERE id = ? AND attempts = ? AND next_at = ? AND state = 'waiting'",
  )
  const later = db.prepare(
    "UPDATE webhook_delivery SET attempts = attempts + 1, next_at = ? WHERE id = ? AND attempts = ? AND next_at = ? AND state = 'waiting'",
  )
  const again = db.prepare(
    "UPDATE webhook_delivery SET state = 'waiting', attempts = 0, next_at = ? WHERE endpoint_id = ? AND event_id = ?",
  )
  const release = db.prepare('UPDATE webhook_endpoint SET held_until = NULL WHERE id = ?')
  const notArrived = db.prepare<[string, string, string, number], number>(NOT_ARRIVED).pluck()
  const againNow = db.prepare(
    "UPDATE webhook_delivery SET state = 'waiting', attempts = 0, next_at = ? WHERE id IN (SELECT value FROM json_each(?))",
  )
  const list = db.prepare<object, Omit<DeliveryRecord, 'attempts'>>(LIST)
  const attempts = db.prepare<[number], Attempt>('SELECT at, status, error, ms FROM webhook_attempt WHERE delivery_id = ? ORDER BY id')
  const forgetAttempts = db.prepare('DELETE FROM webhook_attempt WHERE id IN (SELECT id FROM webhook_attempt WHERE at < ? LIMIT ?)')
  const forget = db.prepare(
    "DELETE FROM webhook_delivery WHERE id IN (SELECT id FROM webhook_delivery WHERE created_at < ? AND state <> 'waiting' LIMIT ?)",
  )
  return {
    /** Endpoints that messages are due for, the one that has waited longest first, without those that are occupied and those of such accounts. */
    dueEndpoints: (now: Date, { endpoints, accounts }: Occupied): readonly DueEndpoint[] =>
      dueEndpoints.all({ ...momentsOf(now), endpoints: JSON.stringify(endpoints), accounts: JSON.stringify(accounts) }),
    /** The message that is due to an endpoint first; undefined where none is. */
    next: (endpointId: string, now: Date): DueDelivery | undefined => next.get({ endpointId, ...momentsOf(now) }),
    /** Writes an attempt down; does nothing for a message that was deleted meanwhile. */
    record: (id: number, { at, status, error, ms }: Attempt): void => void attempt.run(at, status, error, ms, id),
    /** Nothing more is sent of it, until its owner asks for it again; does nothing where its owner did while it was sent. */
    end: ({ id, attempts, nextAt }: Sent, state: 'delivered' | 'failed'): void => void end.run(state, id, attempts, nextAt),
    /** Sends it again at a time; does nothing where its owner asked for it meanwhile. */
    later: ({ id, attempts, nextAt }: Sent, at: Date): void => void later.run(taipei(at), id, attempts, nextAt),
    /**
     * Sends a message again, now, whatever became of it and whatever its receiver asked for. Belongs in a transaction. True where there is
     * one.
     */
    resend(endpointId: string, messageId: string, now: Date): boolean {
      const found = again.run(taipei(now), endpointId, messageId).changes === 1
      if (found) release.run(endpointId)
      return found
    },
    /**
     * Sends again what was written since and did not arrive, the oldest first, now, whatever its receiver asked for; what is due anyway is
     * none of it. Belongs in a transaction.
     *
     * @param since RFC 3339 in Taipei
     * @returns how many messages, and whether there are more than were asked for
     */
    resendSince(endpointId: string, since: string, most: number, now: Date): { readonly resent: number; readonly hasMore: boolean } {
      const found = notArrived.all(endpointId, since, taipei(now), most + 1)
      const ids = found.slice(0, most)
      againNow.run(taipei(now), JSON.stringify(ids))
      release.run(endpointId)
      return { resent: ids.length, hasMore: found.length > most }
    },
    /** Newest first. @param before the last of the page before; null for the first page */
    list(
      endpointId: string,
      { state, before, most }: { readonly state: DeliveryState | null; readonly before: number | null; readonly most: number },
    ): readonly DeliveryRecord[] {
      const rows = list.all({ endpointId, state, before: before ?? Number.MAX_SAFE_INTEGER, most })
      return rows.map(row => ({ ...row, attempts: attempts.all(row.id) }))
    },
    /** Deletes what is older than thirty days, an event with the last message of it; messages that wait stay. @returns whether more is left than one call deletes */
    forget(now: Date): boolean {
      const before = taipei(new Date(now.getTime() - KEPT_MS))
      const deleted = [forgetAttempts, forget].map(statement => statement.run(before, MOST_FORGOTTEN).changes)
      return deleted.includes(MOST_FORGOTTEN)
    },
  }
}

export type DeliveryStore = ReturnType<typeof createDeliveryStore>
