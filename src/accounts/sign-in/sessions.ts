import { createHash, randomBytes } from 'node:crypto'
import { DAY_MS, HOUR_MS, newId, taipei } from '../../core/index.ts'
import { type Database, isUnwritable } from '../../state/index.ts'

export interface Session {
  readonly id: string
  readonly accountId: string
  /** Start of the session. Some actions require a recent sign-in. */
  readonly createdAt: string
  /** RFC 3339 in Taipei. */
  readonly expiresAt: string
}

export interface OpenedSession {
  /** `sst_` and 256 random bits. Only a hash is stored. */
  readonly token: string
  readonly expiresAt: string
}

/** A session ends after 12 hours without use. */
const IDLE_MS = 12 * HOUR_MS
const LIFETIME_MS = 7 * DAY_MS
const RETENTION_MS = LIFETIME_MS + 30 * DAY_MS
const MAX_REMOVED = 50
/** `last_used_at` is written at most once per minute. */
const TOUCH_MS = 60_000

const SHAPE = /^sst_[A-Za-z0-9_-]{43}$/
const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest()

interface StoredSession extends Session {
  readonly lastUsedAt: string
}

export function createSessionStore(db: Database) {
  const insert = db.prepare(
    'INSERT INTO session (id, account_id, token_hash, created_at, last_used_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const removeOldest = db.prepare(
    'DELETE FROM session WHERE created_at < ? AND rowid IN (SELECT rowid FROM session ORDER BY rowid LIMIT ?)',
  )
  const find = db.prepare<[Buffer], StoredSession>(
    `SELECT id, account_id AS accountId, created_at AS createdAt, last_used_at AS lastUsedAt, expires_at AS expiresAt
     FROM session WHERE token_hash = ? AND revoked_at IS NULL`,
  )
  const touch = db.prepare('UPDATE session SET last_used_at = ? WHERE id = ?')
  /** Ignores write errors, because a full disk must not end sessions. */
  const recordUse = (id: string, now: Date): void => {
    try {
      touch.run(taipei(now), id)
    } catch (error) {
      if (!isUnwritable(error)) throw error
    }
  }
  const revoke = db.prepare('UPDATE session SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL')
  const revokeAll = db.prepare('UPDATE session SET revoked_at = ? WHERE account_id = ? AND revoked_at IS NULL')
  return {
    /** Opens a session. Also deletes some old sessions. */
    open(accountId: string, now: Date): OpenedSession {
      const token = `sst_${randomBytes(32).toString('base64url')}`
      const expiresAt = taipei(new Date(now.getTime() + LIFETIME_MS))
      insert.run(newId('ses'), accountId, hashOf(token), taipei(now), taipei(now), expiresAt)
      removeOldest.run(taipei(new Date(now.getTime() - RETENTION_MS)), MAX_REMOVED)
      return { token, expiresAt }
    },
    /** Undefined if the session is unknown, revoked, expired or unused for too long. */
    find(token: string, now: Date): Session | undefined {
      const stored = SHAPE.test(token) ? find.get(hashOf(token)) : undefined
      if (!stored || stored.expiresAt <= taipei(now) || stored.lastUsedAt <= taipei(new Date(now.getTime() - IDLE_MS))) return undefined
      if (stored.lastUsedAt <= taipei(new Date(now.getTime() - TOUCH_MS))) recordUse(stored.id, now)
      const { lastUsedAt, ...session } = stored
      return session
    },
    revoke: (id: string, now: Date): void => void revoke.run(taipei(now), id),
    revokeAll: (accountId: string, now: Date): number => revokeAll.run(taipei(now), accountId).changes,
  }
}

export type SessionStore = ReturnType<typeof createSessionStore>
