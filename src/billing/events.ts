import { HOUR_MS, taipei } from '../core/index.ts'
import type { Database } from '../state/index.ts'
import type { ProviderEvent } from './shapes.ts'

/** A stored event that waits to be applied. */
export interface StoredEvent {
  readonly id: string
  readonly type: string
  readonly livemode: number
  /** A `Subject` or null, as JSON. */
  readonly payload: string
  readonly attempts: number
  /** RFC 3339 in Taipei. */
  readonly received_at: string
}

/** Events that are looked at in one statement. */
const PAGE = 50

/** Minutes until the next attempt to apply an event, by attempts made; after the last it is tried once an hour. */
const RETRY_MINUTES = [0.1, 0.5, 1, 5, 15, 60]

/** Longer than any wait: what is due later than this was put off by a clock that has been put back since, and is due now. */
const BEYOND_MS = 2 * HOUR_MS

/** Events of the provider. Each is stored once, by its id, before it is acknowledged: none is lost and none is applied twice. */
export function createPaymentEventStore(db: Database) {
  const insert = db.prepare(
    "INSERT INTO payment_event (id, type, created, livemode, payload, received_at, state, next_at) VALUES (?, ?, ?, ?, ?, ?, 'new', ?) ON CONFLICT DO NOTHING",
  )
  const due = db.prepare<[now: string, beyond: string, receivedAt: string, id: string], StoredEvent>(
    `SELECT id, type, livemode, payload, attempts, received_at FROM payment_event WHERE state = 'new' AND (next_at <= ? OR next_at > ?) AND (received_at, id) > (?, ?) ORDER BY received_at, id LIMIT ${PAGE}`,
  )
  const end = db.prepare('UPDATE payment_event SET state = ?, attempts = attempts + 1, error = NULL WHERE id = ?')
  const again = db.prepare('UPDATE payment_event SET attempts = attempts + 1, next_at = ?, error = ? WHERE id = ?')
  const redo = db.prepare("UPDATE payment_event SET state = 'new', next_at = ? WHERE received_at >= ?")
  const waiting = db.prepare<[], { count: number }>("SELECT count(*) AS count FROM payment_event WHERE state = 'new'")
  const caughtUpAt = db.prepare<[], { at: number }>('SELECT at FROM payment_catch_up')
  const caughtUp = db.prepare('INSERT INTO payment_catch_up (id, at) VALUES (1, ?) ON CONFLICT DO UPDATE SET at = excluded.at')
  return {
    /** False when the event is stored already. */
    store: ({ id, type, created, livemode, payload }: ProviderEvent, now: Date): boolean =>
      insert.run(id, type, created, livemode ? 1 : 0, payload, taipei(now), taipei(now)).changes === 1,
    /** A page of what is due, in the order it was received. @param after the last event of the page before; the first page without one */
    due: (now: Date, after?: StoredEvent): readonly StoredEvent[] =>
      due.all(taipei(now), taipei(new Date(now.getTime() + BEYOND_MS)), after?.received_at ?? '', after?.id ?? ''),
    done: (id: string, state: 'done' | 'ignored'): void => void end.run(state, id),
    failed({ id, attempts }: StoredEvent, error: string, now: Date): void {
      const minutes = RETRY_MINUTES[attempts] ?? 60
      again.run(taipei(new Date(now.getTime() + minutes * 60_000)), error.slice(0, 200), id)
    },
    /** Makes every event received since a moment due again, which is harmless. @param since RFC 3339 in Taipei @returns how many */
    replay: (since: string, now: Date): number => redo.run(taipei(now), since).changes,
    /** How many are not applied yet. */
    waiting: (): number => waiting.get()!.count,
    /** When the provider was last asked for everything missed, in seconds since 1970; null when it never was. */
    caughtUpAt: (): number | null => caughtUpAt.get()?.at ?? null,
    caughtUp: (at: number): void => void caughtUp.run(at),
  }
}

export type PaymentEventStore = ReturnType<typeof createPaymentEventStore>
