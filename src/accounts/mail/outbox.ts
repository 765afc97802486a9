import { taipei } from '../../core/clock.ts'
import type { Database } from '../db.ts'
import type { Message } from './code-mail.ts'

/** A mail that waits to be sent. */
export interface Waiting extends Message {
  readonly id: number
  readonly to: string
  readonly attempts: number
}

/** Minutes until the next try, by how many failed; then the mail is given up. */
const RETRY_MINUTES = [0.5, 1, 2, 5, 15, 60]

/**
 * Mails on their way. They are put down in the transaction that brings them about and sent later, so an answer never waits for a mail
 * server, and a crash neither loses nor repeats one that was accepted. The text is erased once it is sent or given up: it holds a code.
 */
export function openOutbox(db: Database) {
  const insert = db.prepare(
    "INSERT INTO mail_outbox (to_address, subject, body, state, next_at, created_at) VALUES (?, ?, ?, 'waiting', ?, ?)",
  )
  const due = db.prepare<[string], Waiting>(
    "SELECT id, to_address AS 'to', subject, body, attempts FROM mail_outbox WHERE state = 'waiting' AND next_at <= ? ORDER BY id LIMIT 20",
  )
  const recent = db.prepare<[string], { count: number }>('SELECT count(*) AS count FROM mail_outbox WHERE created_at > ?')
  const sent = db.prepare("UPDATE mail_outbox SET state = 'sent', body = NULL, attempts = attempts + 1 WHERE id = ?")
  const again = db.prepare('UPDATE mail_outbox SET attempts = attempts + 1, next_at = ?, last_error = ? WHERE id = ?')
  const giveUp = db.prepare("UPDATE mail_outbox SET state = 'given_up', body = NULL, attempts = attempts + 1, last_error = ? WHERE id = ?")
  return {
    put({ to, subject, body }: Message & { readonly to: string }, now: Date): void {
      insert.run(to, subject, body, taipei(now), taipei(now))
    },
    due: (now: Date): readonly Waiting[] => due.all(taipei(now)),
    /** Mails put down within the last hour. */
    lastHour: (now: Date): number => recent.get(taipei(new Date(now.getTime() - 3_600_000)))!.count,
    sent: (id: number): void => void sent.run(id),
    failed({ id, attempts }: Waiting, error: string, now: Date): void {
      const minutes = RETRY_MINUTES[attempts]
      if (minutes === undefined) giveUp.run(error.slice(0, 200), id)
      else again.run(taipei(new Date(now.getTime() + minutes * 60_000)), error.slice(0, 200), id)
    },
  }
}

export type Outbox = ReturnType<typeof openOutbox>
