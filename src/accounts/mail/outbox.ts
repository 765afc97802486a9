import { taipei } from '../../core/index.ts'
import type { Vault } from '../keys/vault.ts'
import type { Database } from '../state/db.ts'
import type { Message } from './code-mail.ts'

/** A mail that waits to be sent. */
export interface Waiting {
  readonly id: number
  readonly to: string
  readonly subject: string
  /** The text, which only the encryption key opens. */
  readonly sealed: Buffer
  readonly attempts: number
}

/** Minutes until the next try, by how many failed; then the mail is given up. */
const RETRY_MINUTES = [0.5, 1, 2, 5, 15, 60]
/** How long a mail that is done with stays on record: an address is not kept for having been written to. */
const KEPT_MS = 24 * 3_600_000

export const mailOwnerOf = (to: string): string => `mail|${to}`

/**
 * Mails on their way. They are put down in the transaction that brings them about and sent later, so an answer never waits for a mail
 * server, and a crash neither loses nor repeats one that was accepted. The text holds a code: it is sealed, and erased once it is sent or
 * given up.
 */
export function createOutbox(db: Database, vault: Vault) {
  const insert = db.prepare(
    "INSERT INTO mail_outbox (to_address, subject, sealed, state, next_at, created_at) VALUES (?, ?, ?, 'waiting', ?, ?)",
  )
  const due = db.prepare<[string], Waiting>(
    "SELECT id, to_address AS 'to', subject, sealed, attempts FROM mail_outbox WHERE state = 'waiting' AND next_at <= ? ORDER BY id LIMIT 20",
  )
  const recent = db.prepare<[string], { count: number }>('SELECT count(*) AS count FROM mail_outbox WHERE created_at > ?')
  const sent = db.prepare("UPDATE mail_outbox SET state = 'sent', sealed = NULL WHERE id = ?")
  const tried = db.prepare('UPDATE mail_outbox SET attempts = attempts + 1, next_at = ? WHERE id = ?')
  const failed = db.prepare('UPDATE mail_outbox SET last_error = ? WHERE id = ?')
  const giveUp = db.prepare("UPDATE mail_outbox SET state = 'given_up', sealed = NULL, last_error = ? WHERE id = ?")
  const forget = db.prepare("DELETE FROM mail_outbox WHERE state <> 'waiting' AND created_at <= ?")
  return {
    put({ to, subject, body }: Message & { readonly to: string }, now: Date): void {
      forget.run(taipei(new Date(now.getTime() - KEPT_MS)))
      insert.run(to, subject, vault.seal(body, mailOwnerOf(to)), taipei(now), taipei(now))
    },
    /** @throws Error when the stored text does not open */
    bodyOf: ({ to, sealed }: Waiting): string => vault.open(sealed, mailOwnerOf(to)),
    due: (now: Date): readonly Waiting[] => due.all(taipei(now)),
    /** Mails put down within the last hour. */
    lastHour: (now: Date): number => recent.get(taipei(new Date(now.getTime() - 3_600_000)))!.count,
    sent: (id: number): void => void sent.run(id),
    /** Counts a try and sets the next one, before it is known how this one ends. */
    tried({ id, attempts }: Waiting, now: Date): void {
      const minutes = RETRY_MINUTES[attempts] ?? RETRY_MINUTES.at(-1)!
      tried.run(taipei(new Date(now.getTime() + minutes * 60_000)), id)
    },
    failed({ id, attempts }: Waiting, error: string): void {
      if (RETRY_MINUTES[attempts] === undefined) giveUp.run(error.slice(0, 200), id)
      else failed.run(error.slice(0, 200), id)
    },
  }
}

export type Outbox = ReturnType<typeof createOutbox>
