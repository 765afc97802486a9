import { DAY_MS, HOUR_MS, taipei } from '../core/index.ts'
import type { Database, Vault } from '../state/index.ts'
import type { Message } from './transport.ts'

export interface WaitingMail {
  readonly id: number
  readonly to: string
  readonly subject: string
  readonly sealed: Buffer
  readonly attempts: number
}

/**
 * Delay after each failed attempt, in minutes. If the attempt after the last delay also fails, the
 * mail is abandoned.
 */
const RETRY_MINUTES = [0.5, 1, 2, 5, 15, 60]
/**
 * Longer than any delay between attempts. If an attempt is scheduled later than this, the clock was
 * set back, and the mail is sent now.
 */
const MAX_DELAY_MS = 2 * HOUR_MS
/** Sent and abandoned mails are deleted after this time. */
const RETENTION_MS = DAY_MS
/**
 * Subject and outcome of a mail to an account are deleted after this time. They are stored without
 * the address.
 */
const RECORD_RETENTION_MS = 90 * DAY_MS

/**
 * Returns the start and the end of the last hour. The end excludes times in the future, which exist
 * if the clock was set back.
 */
const lastHourRange = (now: Date) => [taipei(new Date(now.getTime() - HOUR_MS)), taipei(now)] as const

/**
 * Codes are sent before notices, because users wait for codes. Each kind has its own hourly limit.
 */
export type MailKind = 'code' | 'notice'

/** Returns a text that binds an encrypted body to its recipient. Decryption needs the same text. */
export const mailOwnerOf = (to: string): string => `mail|${to}`

/**
 * Opens the outbox, which stores mails until they are sent. A mail is stored in the same
 * transaction as the change that causes it, so a crash loses no mail, and responses never wait for
 * a mail server. Bodies are encrypted, because they can contain a code. A body is deleted when its
 * mail is sent or abandoned.
 */
export function createOutbox(db: Database, vault: Vault) {
  const insert = db.prepare(
    "INSERT INTO mail_outbox (to_address, subject, sealed, state, next_at, created_at, kind) VALUES (?, ?, ?, 'waiting', ?, ?, ?)",
  )
  const due = db.prepare<[string, string], WaitingMail>(
    "SELECT id, to_address AS 'to', subject, sealed, attempts FROM mail_outbox WHERE state = 'waiting' AND (next_at <= ? OR next_at > ?) ORDER BY kind, id LIMIT 20",
  )
  const countSince = db.prepare<[string, string, MailKind], { count: number }>(
    'SELECT count(*) AS count FROM mail_outbox WHERE created_at > ? AND created_at <= ? AND kind = ?',
  )
  const times = db
    .prepare<[string, string], string>(
      "SELECT created_at FROM mail_outbox WHERE created_at > ? AND created_at <= ? AND kind = 'code' ORDER BY created_at",
    )
    .pluck()
  const markSent = db.prepare("UPDATE mail_outbox SET state = 'sent', sealed = NULL WHERE id = ?")
  const scheduleNext = db.prepare('UPDATE mail_outbox SET attempts = attempts + 1, next_at = ? WHERE id = ?')
  const storeError = db.prepare('UPDATE mail_outbox SET last_error = ? WHERE id = ?')
  const giveUp = db.prepare("UPDATE mail_outbox SET state = 'given_up', sealed = NULL, last_error = ? WHERE id = ?")
  const deleteOld = db.prepare("DELETE FROM mail_outbox WHERE state <> 'waiting' AND created_at <= ?")
  const deleteOldRecords = db.prepare('DELETE FROM account_mail WHERE at <= ?')
  return {
    put({ to, subject, body }: Message & { readonly to: string }, now: Date, kind: MailKind = 'code'): void {
      deleteOld.run(taipei(new Date(now.getTime() - RETENTION_MS)))
      deleteOldRecords.run(taipei(new Date(now.getTime() - RECORD_RETENTION_MS)))
      insert.run(to, subject, vault.seal(body, mailOwnerOf(to)), taipei(now), taipei(now), kind)
    },
    /** Returns the decrypted body. @throws Error if the stored body cannot be decrypted */
    bodyOf: ({ to, sealed }: WaitingMail): string => vault.open(sealed, mailOwnerOf(to)),
    due: (now: Date): readonly WaitingMail[] => due.all(taipei(now), taipei(new Date(now.getTime() + MAX_DELAY_MS))),
    countLastHour: (now: Date, kind: MailKind = 'code'): number => countSince.get(...lastHourRange(now), kind)!.count,
    /**
     * Returns the times at which the codes of the last hour were stored, in ms since 1970, oldest
     * first.
     */
    timesOfLastHour: (now: Date): readonly number[] => times.all(...lastHourRange(now)).map(at => Date.parse(at)),
    markSent: (id: number): void => void markSent.run(id),
    /** Counts an attempt and schedules the next one. Must be called before the attempt. */
    countAttempt({ id, attempts }: WaitingMail, now: Date): void {
      const minutes = RETRY_MINUTES[attempts] ?? RETRY_MINUTES.at(-1)!
      scheduleNext.run(taipei(new Date(now.getTime() + minutes * 60_000)), id)
    },
    markFailed({ id, attempts }: WaitingMail, error: string): void {
      if (RETRY_MINUTES[attempts] === undefined) giveUp.run(error.slice(0, 200), id)
      else storeError.run(error.slice(0, 200), id)
    },
  }
}

export type Outbox = ReturnType<typeof createOutbox>
