import { HOUR_MS, taipei } from '../core/index.ts'
import type { Database } from '../state/index.ts'
import type { ProviderEvent } from './provider-data.ts'

export interface StoredEvent {
  readonly id: string
  readonly type: string
  readonly livemode: number
  /** A `Subject` as JSON, or null. */
  readonly payload: string
  readonly attempts: number
  /** Time of arrival, RFC 3339 in Taipei. */
  readonly received_at: string
}

const PAGE_ROWS = 50

/** Minutes until the next attempt. Later attempts follow every hour. */
const RETRY_MINUTES = [0.1, 0.5, 1, 5, 15, 60]

/** Longest possible delay. If the next attempt is later, the clock was set back. */
const MAX_DELAY_MS = 2 * HOUR_MS

/** Stores each event once, before the event is acknowledged. No event is lost. */
export function createPaymentEventStore(db: Database) {
  const insert = db.prepare(
    "INSERT INTO payment_event (id, type, created, livemode, payload, received_at, state, next_at) VALUES (?, ?, ?, ?, ?, ?, 'new', ?) ON CONFLICT DO NOTHING",
  )
  const due = db.prepare<[now: string, beyond: string, receivedAt: string, id: string], StoredEvent>(
    `SELECT id, type, livemode, payload, attempts, received_at FROM payment_event WHERE state = 'new' AND (next_at <= ? OR next_at > ?) AND (received_at, id) > (?, ?) ORDER BY received_at, id LIMIT ${PAGE_ROWS}`,
  )
  const end = db.prepare('UPDATE payment_event SET state = ?, attempts = attempts + 1, error = NULL WHERE id = ?')
  const retryLater = db.prepare('UPDATE payment_event SET attempts = attempts + 1, next_at = ?, error = ? WHERE id = ?')
  const resetSince = db.prepare("UPDATE payment_event SET state = 'new', next_at = ? WHERE received_at >= ?")
  const waiting = db.prepare<[], { count: number }>("SELECT count(*) AS count FROM payment_event WHERE state = 'new'")
  const lastCatchUp = db.prepare<[], { at: number }>('SELECT at FROM payment_catch_up')
  const setCatchUp = db.prepare('INSERT INTO payment_catch_up (id, at) VALUES (1, ?) ON CONFLICT DO UPDATE SET at = excluded.at')
  return {
    /** @returns false if the event was already stored */
    store: ({ id, type, created, livemode, payload }: ProviderEvent, now: Date): boolean =>
      insert.run(id, type, created, livemode ? 1 : 0, payload, taipei(now), taipei(now)).changes === 1,
    /**
     * Returns a page of due events, in order of arrival.
     *
     * @param after the last event of the previous page
     */
    due: (now: Date, after?: StoredEvent): readonly StoredEvent[] =>
      due.all(taipei(now), taipei(new Date(now.getTime() + MAX_DELAY_MS)), after?.received_at ?? '', after?.id ?? ''),
    markDone: (id: string, outcome: 'done' | 'ignored'): void => void end.run(outcome, id),
    markFailed({ id, attempts }: StoredEvent, error: string, now: Date): void {
      const minutes = RETRY_MINUTES[attempts] ?? 60
      retryLater.run(taipei(new Date(now.getTime() + minutes * 60_000)), error.slice(0, 200), id)
    },
    /**
     * Makes events due again. Repeating an event is harmless.
     *
     * @param since start time, RFC 3339 in Taipei
     * @returns the number of events
     */
    replay: (since: string, now: Date): number => resetSince.run(taipei(now), since).changes,
    waiting: (): number => waiting.get()!.count,
    /** Time of the last request, in seconds since 1970. Null if there was none. */
    lastCatchUpAt: (): number | null => lastCatchUp.get()?.at ?? null,
    recordCatchUp: (seconds: number): void => void setCatchUp.run(seconds),
  }
}

export type PaymentEventStore = ReturnType<typeof createPaymentEventStore>
