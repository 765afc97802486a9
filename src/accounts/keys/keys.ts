import { randomBytes } from 'node:crypto'
import { newId, taipei } from '../../core/index.ts'
import type { Database, Vault } from '../../state/index.ts'
import { browserIdOf, IS_API_KEY } from '../../state/index.ts'
import { newApiKey } from './api-key.ts'
import { createHolderFinder, createKeyFinder, type KeyHolder, type KeyStatus, type StoredKeyStatus, statusAt } from './key-holder.ts'

export interface KeyRecord {
  readonly keyId: string
  readonly name: string
  readonly last4: string
  readonly status: KeyStatus
  readonly createdAt: string
  /** Time of the last charged read, RFC 3339 in Taipei. Null if there was no charged read. */
  readonly lastUsedAt: string | null
  readonly expiresAt: string | null
  readonly revokedAt: string | null
}

type StoredRecord = KeyRecord & { readonly status: StoredKeyStatus }

export interface IssuedKey {
  readonly keyId: string
  readonly secret: string
}

/** Binds an encrypted secret to a row. The secret cannot be decrypted in another row. */
export const ownerOf = (keyId: string, accountId: string): string => `apikey|${keyId}|${accountId}`

const RECORD = `SELECT id AS keyId, name, last4, status, created_at AS createdAt, last_used_at AS lastUsedAt, expires_at AS expiresAt,
  revoked_at AS revokedAt FROM api_key`
const OWN_KEYS = `account_id = @accountId AND ${IS_API_KEY}`

/** Selects active keys. The indexes contain no revoked keys. */
const NON_EXPIRING = `INDEXED BY api_key_active WHERE ${OWN_KEYS} AND status = 'active' AND expires_at IS NULL`
const NOT_YET_EXPIRED = `INDEXED BY api_key_active WHERE ${OWN_KEYS} AND status = 'active' AND expires_at > @now`
const ENDED = `WHERE ${OWN_KEYS} AND (status = 'revoked' OR expires_at <= @now)`

export const MAX_KEY_NAME_LENGTH = 64

export const MAX_ENDED_LISTED = 100

/**
 * Stores a digest and an encrypted copy of each secret.
 *
 * @param reader connection for lookups
 * @param lastUse returns the last use of a key, which the file may not contain yet
 */
export function createKeyStore(
  db: Database,
  vault: Vault,
  reader: Database = db,
  lastUse: (keyId: string) => string | undefined = () => undefined,
) {
  const insert = db.prepare(
    "INSERT INTO api_key (id, account_id, name, last4, lookup, sealed, status, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, 'active', ?, ?)",
  )
  const list = db.prepare<object, StoredRecord>(
    `${RECORD} ${NON_EXPIRING} UNION ALL ${RECORD} ${NOT_YET_EXPIRED} UNION ALL
       SELECT * FROM (${RECORD} ${ENDED} ORDER BY created_at DESC, id LIMIT ${MAX_ENDED_LISTED}) ORDER BY createdAt DESC, keyId`,
  )
  const active = db
    .prepare<object, number>(`SELECT (SELECT count(*) FROM api_key ${NON_EXPIRING}) + (SELECT count(*) FROM api_key ${NOT_YET_EXPIRED})`)
    .pluck()
  const ever = db.prepare<object, number>(`SELECT 1 FROM api_key WHERE ${OWN_KEYS} LIMIT 1`).pluck()
  const nthNewest = db
    .prepare<object, string>(
      `SELECT created_at FROM api_key WHERE ${OWN_KEYS} AND created_at <= @now ORDER BY created_at DESC LIMIT 1 OFFSET @newer`,
    )
    .pluck()
  const byId = db.prepare<object, StoredRecord>(`${RECORD} WHERE ${OWN_KEYS} AND id = @keyId`)
  const sealedOf = db.prepare<[string, string], { sealed: Buffer | null }>('SELECT sealed FROM api_key WHERE account_id = ? AND id = ?')
  /** A revoked secret cannot be recovered, even with every encryption key. */
  const revoke = db.prepare(
    "UPDATE api_key SET status = 'revoked', revoked_at = ?, sealed = NULL WHERE account_id = ? AND id = ? AND status = 'active'",
  )
  const expire = db.prepare(
    "UPDATE api_key SET expires_at = @at WHERE account_id = @accountId AND id = @keyId AND status = 'active' AND (expires_at IS NULL OR expires_at > @at)",
  )
  const insertBrowser = db.prepare(
    "INSERT OR IGNORE INTO api_key (id, account_id, name, last4, lookup, status, created_at) VALUES (?, ?, 'browser', '', ?, 'active', ?)",
  )
  const revokeBrowser = db.prepare(
    "UPDATE api_key SET status = 'revoked', revoked_at = ? WHERE account_id = ? AND id = ? AND status = 'active'",
  )
  const revokeAll = db.prepare(
    `UPDATE api_key SET status = 'revoked', revoked_at = ?, sealed = NULL WHERE account_id = ? AND status = 'active' AND ${IS_API_KEY}`,
  )
  const withStatus = (record: StoredRecord, now: Date): KeyRecord => ({
    ...record,
    lastUsedAt: lastUse(record.keyId) ?? record.lastUsedAt,
    status: statusAt(record.status, record.expiresAt, taipei(now)),
  })
  const holderOf = createHolderFinder(reader, db)
  return {
    /** @param expiresAt RFC 3339 in Taipei. Null if the key does not expire */
    issue(accountId: string, name: string, now: Date, expiresAt: string | null = null): IssuedKey {
      const keyId = newId('key')
      const secret = newApiKey()
      insert.run(
        keyId,
        accountId,
        name,
        secret.slice(-4),
        vault.lookup(secret),
        vault.seal(secret, ownerOf(keyId, accountId)),
        taipei(now),
        expiresAt,
      )
      return { keyId, secret }
    },
    /** Also finds revoked and expired keys. Undefined for an unknown secret. */
    find: createKeyFinder(reader, vault, undefined, db),
    /** Also finds revoked and expired keys. Undefined for an unknown id. */
    holderOf,
    /** Returns the key under which reads of signed-in browsers are recorded. */
    ofBrowser(accountId: string, now: Date): KeyHolder {
      const id = browserIdOf(accountId)
      const holder = holderOf(id, now)
      if (holder) return holder
      insertBrowser.run(id, accountId, randomBytes(32), taipei(now))
      return holderOf(id, now)!
    },
    /** Newest first. Includes only the newest revoked and expired keys. */
    list: (accountId: string, now: Date): readonly KeyRecord[] =>
      list.all({ accountId, now: taipei(now) }).map(record => withStatus(record, now)),
    countActive: (accountId: string, now: Date): number => active.get({ accountId, now: taipei(now) })!,
    hasAny: (accountId: string): boolean => ever.get({ accountId }) !== undefined,
    /**
     * Returns the issue time of a key, RFC 3339 in Taipei. `newer` is the number of keys that were
     * issued later. Undefined if there is no such key. Ignores future times, which exist if the
     * clock was set back.
     */
    nthNewestIssuedAt: (accountId: string, newer: number, now: Date): string | undefined =>
      nthNewest.get({ accountId, newer, now: taipei(now) }),
    get(accountId: string, keyId: string, now: Date): KeyRecord | undefined {
      const record = byId.get({ accountId, keyId })
      return record && withStatus(record, now)
    },
    /**
     * Undefined for a revoked key.
     * @throws Error if the stored copy cannot be decrypted
     */
    reveal(accountId: string, keyId: string): string | undefined {
      const sealed = sealedOf.get(accountId, keyId)?.sealed
      return sealed ? vault.open(sealed, ownerOf(keyId, accountId)) : undefined
    },
    /** @returns true if this call revoked the key */
    revoke: (accountId: string, keyId: string, now: Date): boolean => revoke.run(taipei(now), accountId, keyId).changes === 1,
    /** Sets the expiry, RFC 3339 in Taipei. An earlier expiry stays in effect. */
    expire: (accountId: string, keyId: string, at: string): void => void expire.run({ accountId, keyId, at }),
    revokeAll(accountId: string, now: Date): number {
      revokeBrowser.run(taipei(now), accountId, browserIdOf(accountId))
      return revokeAll.run(taipei(now), accountId).changes
    },
  }
}

export type KeyStore = ReturnType<typeof createKeyStore>
