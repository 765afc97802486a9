import { createHash, randomBytes } from 'node:crypto'
import { DAY_MS, HOUR_MS, newId, taipei } from '../../core/index.ts'
import { type Database, isUnwritable } from '../../state/index.ts'

/** The session of a signed-in customer. */
export interface Session {
  readonly id: string
  readonly accountId: string
  /** When the code was entered; showing a secret requires a recent session. */
  readonly createdAt: string
  /** When it ends at the latest, RFC 3339 in Taipei. */
  readonly expiresAt: string
}

export interface OpenedSession {
  /** `sst_` and 256 bits; only its hash is stored. */
  readonly token: string
  readonly expiresAt: string
}

/** A session ends this long after its last use, */
const IDLE_MS = 12 * HOUR_MS
/** and at the latest this long after it began. */
const WHOLE_MS = 7 * DAY_MS
/** A session that began so long ago ended thirty days ago or more, */
const KEPT_MS = WHOLE_MS + 30 * DAY_MS
/** and is removed when another is opened, with at most so many. */
const REMOVED_AT_ONCE = 50
/** How stale `last_used_at` may become: one write per minute, not one per request. */
const TOUCH_MS = 60_000

const SHAPE = /^sst_[A-Za-z0-9_-]{43}$/
const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest()

interface Stored extends Session {
  readonly lastUsedAt: string
}

/** Sessions behind the `x-self-serve-token` header and the cookie of browsers. */
export function createSessionStore(db: Database) {
  const insert = db.prepare(
    'INSERT INTO session (id, account_id, token_hash, created_at, last_used_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  // The first rows are the oldest ones: no other row is looked at.
  const removeOldest = db.prepare(
    'DELETE FROM session WHERE created_at < ? AND rowid IN (SELECT rowid FROM session ORDER BY rowid LIMIT ?)',
  )
  const find = db.prepare<[Buffer], Stored>(
    `SELECT id, account_id AS accountId, created_at AS createdAt, last_used_at AS lastUsedAt, expires_at AS expiresAt
     FROM session WHERE token_hash = ? AND revoked_at IS NULL`,
  )
  const touch = db.prepare('UPDATE session SET last_used_at = ? WHERE id = ?')
  /** A state file that takes no writes must not end sessions: they only seem to be used less. */
  const note = (id: string, now: Date): void => {
    try {
      touch.run(taipei(now), id)
    } catch (error) {
      if (!isUnwritable(error)) throw error
    }
  }
  const revoke = db.prepare('UPDATE session SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL')
  const revokeAll = db.prepare('UPDATE session SET revoked_at = ? WHERE account_id = ? AND revoked_at IS NULL')
  return {
    /** Opens one, and removes some that ended long ago. */
    open(accountId: string, now: Date): OpenedSession {
      const token = `sst_${randomBytes(32).toString('base64url')}`
      const expiresAt = taipei(new Date(now.getTime() + WHOLE_MS))
      insert.run(newId('ses'), accountId, hashOf(token), taipei(now), taipei(now), expiresAt)
      removeOldest.run(taipei(new Date(now.getTime() - KEPT_MS)), REMOVED_AT_ONCE)
      return { token, expiresAt }
    },
    /** The session of a token; undefined when it is unknown, revoked, expired, or unused for too long. */
    find(token: string, now: Date): Session | undefined {
      const stored = SHAPE.test(token) ? find.get(hashOf(token)) : undefined
      if (!stored || stored.expiresAt <= taipei(now) || stored.lastUsedAt <= taipei(new Date(now.getTime() - IDLE_MS))) return undefined
      if (stored.lastUsedAt <= taipei(new Date(now.getTime() - TOUCH_MS))) note(stored.id, now)
      const { lastUsedAt, ...session } = stored
      return session
    },
    /** Ends one. Takes effect on the very next request. */
    revoke: (id: string, now: Date): void => void revoke.run(taipei(now), id),
    revokeAll: (accountId: string, now: Date): number => revokeAll.run(taipei(now), accountId).changes,
  }
}

export type SessionStore = ReturnType<typeof createSessionStore>
