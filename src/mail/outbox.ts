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

/** Minutes between attempts. After the last attempt, the mail is abandoned. */
const RETRY_MINUTES = [0.5, 1, 2, 5, 15, 60]
/** Longest possible delay. If the next attempt is later, the clock was set back. */
const MAX_DELAY_MS = 2 * HOUR_MS
/** Sent and abandoned mails are deleted after a day. */
const RETENTION_MS = DAY_MS
/** Subject and result of a mail are deleted after 90 days. */
const RECORD_RETENTION_MS = 90 * DAY_MS

/** Excludes future times, which exist if the clock was set back. */
const lastHourRange = (now: Date) => [taipei(new Date(now.getTime() - HOUR_MS)), taipei(now)] as const

/** Codes are sent before notices, because users wait for codes. */
export type MailKind = 'code' | 'notice'

/** Binds an encrypted body to the recipient. */
export const mailOwnerOf = (to: string): string => `mail|${to}`

/**
 * Stores mails until they are sent. Bodies are encrypted, and deleted after sending. Call in the
 * transaction that causes the mail: a crash then loses no mail.
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
    /** @throws Error if the stored body cannot be decrypted */
    bodyOf: ({ to, sealed }: WaitingMail): string => vault.open(sealed, mailOwnerOf(to)),
    due: (now: Date): readonly WaitingMail[] => due.all(taipei(now), taipei(new Date(now.getTime() + MAX_DELAY_MS))),
    countLastHour: (now: Date, kind: MailKind = 'code'): number => countSince.get(...lastHourRange(now), kind)!.count,
    /** Times of codes in ms since 1970, oldest first. */
    timesOfLastHour: (now: Date): readonly number[] => times.all(...lastHourRange(now)).map(at => Date.parse(at)),
    markSent: (id: number): void => void markSent.run(id),
    /** Schedules the next attempt. Call before sending. */
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
