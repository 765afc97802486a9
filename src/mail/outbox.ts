import { DAY_MS, HOUR_MS, taipei } from '../core/index.ts'
import type { Database, Vault } from '../state/index.ts'
import type { Message } from './transport.ts'

/** A mail that waits to be sent. */
export interface WaitingMail {
  readonly id: number
  readonly to: string
  readonly subject: string
  /** The text, sealed under the encryption key. */
  readonly sealed: Buffer
  readonly attempts: number
}

/** Minutes until the next attempt, by attempts made; after the last the mail is given up. */
const RETRY_MINUTES = [0.5, 1, 2, 5, 15, 60]
/** Longer than any wait: what is due later than this was put off by a clock that has been put back since, and is due now. */
const BEYOND_MS = 2 * HOUR_MS
/** How long the row of a mail that was sent or given up is kept: an address is not stored for having been written to. */
const KEPT_MS = DAY_MS

/** The hour that ends now. What lies ahead was stored by a clock that has been put back since, and says nothing of it. */
const hourBefore = (now: Date) => [taipei(new Date(now.getTime() - HOUR_MS)), taipei(now)] as const

/** A code somebody waits for, or a notice that has time: codes leave first, and each kind has its own number an hour. */
export type MailKind = 'code' | 'notice'

/** Ties the sealed text to its recipient. */
export const mailOwnerOf = (to: string): string => `mail|${to}`

/**
 * Mail that waits to be sent. A mail is stored in the transaction that causes it and sent later, so an answer never waits for a mail
 * server and a crash loses none. The text may contain a code: it is sealed, and erased once the mail is sent or given up.
 */
export function createOutbox(db: Database, vault: Vault) {
  const insert = db.prepare(
    "INSERT INTO mail_outbox (to_address, subject, sealed, state, next_at, created_at, kind) VALUES (?, ?, ?, 'waiting', ?, ?, ?)",
  )
  const due = db.prepare<[string, string], WaitingMail>(
    "SELECT id, to_address AS 'to', subject, sealed, attempts FROM mail_outbox WHERE state = 'waiting' AND (next_at <= ? OR next_at > ?) ORDER BY kind, id LIMIT 20",
  )
  const recent = db.prepare<[string, string, MailKind], { count: number }>(
    'SELECT count(*) AS count FROM mail_outbox WHERE created_at > ? AND created_at <= ? AND kind = ?',
  )
  const times = db
    .prepare<[string, string], string>(
      "SELECT created_at FROM mail_outbox WHERE created_at > ? AND created_at <= ? AND kind = 'code' ORDER BY created_at",
    )
    .pluck()
  const sent = db.prepare("UPDATE mail_outbox SET state = 'sent', sealed = NULL WHERE id = ?")
  const tried = db.prepare('UPDATE mail_outbox SET attempts = attempts + 1, next_at = ? WHERE id = ?')
  const failed = db.prepare('UPDATE mail_outbox SET last_error = ? WHERE id = ?')
  const giveUp = db.prepare("UPDATE mail_outbox SET state = 'given_up', sealed = NULL, last_error = ? WHERE id = ?")
  const forget = db.prepare("DELETE FROM mail_outbox WHERE state <> 'waiting' AND created_at <= ?")
  return {
    put({ to, subject, body }: Message & { readonly to: string }, now: Date, kind: MailKind = 'code'): void {
      forget.run(taipei(new Date(now.getTime() - KEPT_MS)))
      insert.run(to, subject, vault.seal(body, mailOwnerOf(to)), taipei(now), taipei(now), kind)
    },
    /** @throws Error when the stored text does not open */
    bodyOf: ({ to, sealed }: WaitingMail): string => vault.open(sealed, mailOwnerOf(to)),
    due: (now: Date): readonly WaitingMail[] => due.all(taipei(now), taipei(new Date(now.getTime() + BEYOND_MS))),
    /** Mails of a kind stored within the last hour. */
    lastHour: (now: Date, kind: MailKind = 'code'): number => recent.get(...hourBefore(now), kind)!.count,
    /** When each code of the last hour was stored, in milliseconds, oldest first. */
    timesOfLastHour: (now: Date): readonly number[] => times.all(...hourBefore(now)).map(at => Date.parse(at)),
    sent: (id: number): void => void sent.run(id),
    /** Counts an attempt and schedules the next one, before the outcome of this one is known. */
    tried({ id, attempts }: WaitingMail, now: Date): void {
      const minutes = RETRY_MINUTES[attempts] ?? RETRY_MINUTES.at(-1)!
      tried.run(taipei(new Date(now.getTime() + minutes * 60_000)), id)
    },
    failed({ id, attempts }: WaitingMail, error: string): void {
      if (RETRY_MINUTES[attempts] === undefined) giveUp.run(error.slice(0, 200), id)
      else failed.run(error.slice(0, 200), id)
    },
  }
}

export type Outbox = ReturnType<typeof createOutbox>
