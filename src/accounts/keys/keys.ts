import { randomBytes } from 'node:crypto'
import { newId, taipei } from '../../core/index.ts'
import type { Database, Vault } from '../../state/index.ts'
import { browserIdOf, IS_API_KEY } from '../../state/index.ts'
import { newApiKey } from './api-key.ts'
import { createHolderFinder, createKeyFinder, type KeyHolder, type KeyStatus, type StoredKeyStatus, statusAt } from './key-holder.ts'

/** A key as its owner sees it, without the secret. */
export interface KeyRecord {
  readonly keyId: string
  readonly name: string
  readonly last4: string
  readonly status: KeyStatus
  readonly createdAt: string
  /** Time of the last charged read, RFC 3339 in Taipei, or null. */
  readonly lastUsedAt: string | null
  readonly expiresAt: string | null
  readonly revokedAt: string | null
}

type StoredRecord = KeyRecord & { readonly status: StoredKeyStatus }

export interface Issued {
  readonly keyId: string
  /** Shown once. */
  readonly secret: string
}

/** Ties the sealed copy of a secret to its row. */
export const ownerOf = (keyId: string, accountId: string): string => `apikey|${keyId}|${accountId}`

const RECORD = `SELECT id AS keyId, name, last4, status, created_at AS createdAt, last_used_at AS lastUsedAt, expires_at AS expiresAt,
  revoked_at AS revokedAt FROM api_key`
const OF_ACCOUNT = `account_id = @accountId AND ${IS_API_KEY}`

/** Keys of an account that let somebody in at @now: each of the two is a place in an index that has none of those that were revoked. */
const LASTING = `INDEXED BY api_key_active WHERE ${OF_ACCOUNT} AND status = 'active' AND expires_at IS NULL`
const NOT_YET_OVER = `INDEXED BY api_key_active WHERE ${OF_ACCOUNT} AND status = 'active' AND expires_at > @now`
const ENDED = `WHERE ${OF_ACCOUNT} AND (status = 'revoked' OR expires_at <= @now)`

/** Characters of the name that people give a key. */
export const LONGEST_KEY_NAME = 64

/** Keys that ended, of those a list has. */
export const ENDED_LISTED = 100

/**
 * API keys. A secret is shown when it is issued or revealed to its owner; the state file holds its digest and a sealed copy.
 *
 * @param finder connection that looks secrets up. A connection drops its page cache whenever another one commits, and the ledger commits
 *   all the time, so this is the ledger's own connection
 * @param lastUse when a key was last used since the start, which the file may not have yet
 */
export function createKeyStore(
  db: Database,
  vault: Vault,
  finder: Database = db,
  lastUse: (keyId: string) => string | undefined = () => undefined,
) {
  const insert = db.prepare(
    "INSERT INTO api_key (id, account_id, name, last4, lookup, sealed, status, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, 'active', ?, ?)",
  )
  const list = db.prepare<object, StoredRecord>(
    `${RECORD} ${LASTING} UNION ALL ${RECORD} ${NOT_YET_OVER} UNION ALL
       SELECT * FROM (${RECORD} ${ENDED} ORDER BY created_at DESC, id LIMIT ${ENDED_LISTED}) ORDER BY createdAt DESC, keyId`,
  )
  const active = db
    .prepare<object, number>(`SELECT (SELECT count(*) FROM api_key ${LASTING}) + (SELECT count(*) FROM api_key ${NOT_YET_OVER})`)
    .pluck()
  const ever = db.prepare<object, number>(`SELECT 1 FROM api_key WHERE ${OF_ACCOUNT} LIMIT 1`).pluck()
  const nthNewest = db
    .prepare<object, string>(
      `SELECT created_at FROM api_key WHERE ${OF_ACCOUNT} AND created_at <= @now ORDER BY created_at DESC LIMIT 1 OFFSET @newer`,
    )
    .pluck()
  const one = db.prepare<object, StoredRecord>(`${RECORD} WHERE ${OF_ACCOUNT} AND id = @keyId`)
  const sealedOf = db.prepare<[string, string], { sealed: Buffer | null }>('SELECT sealed FROM api_key WHERE account_id = ? AND id = ?')
  // Revoking erases the sealed copy: a revoked secret cannot be recovered even with every encryption key.
  const revoke = db.prepare(
    "UPDATE api_key SET status = 'revoked', revoked_at = ?, sealed = NULL WHERE account_id = ? AND id = ? AND status = 'active'",
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
  const dated = (record: StoredRecord, now: Date): KeyRecord => ({
    ...record,
    lastUsedAt: lastUse(record.keyId) ?? record.lastUsedAt,
    status: statusAt(record.status, record.expiresAt, taipei(now)),
  })
  const holderOf = createHolderFinder(finder, db)
  return {
    /** @param expiresAt RFC 3339 in Taipei, or null for a key that does not expire */
    issue(accountId: string, name: string, now: Date, expiresAt: string | null = null): Issued {
      const [keyId, secret] = [newId('key'), newApiKey()]
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
    /** The holder of a secret, revoked and expired keys included; undefined when it was never issued. */
    find: createKeyFinder(finder, vault, undefined, db),
    /** The holder of a key by its id, revoked and expired keys included; undefined for an id that was never given. */
    holderOf,
    /**
     * What reads of a signed-in browser are booked under, `browser_` and the rest of the account's id: made the first time, one for every
     * account, and revoked together with the keys.
     */
    ofBrowser(accountId: string, now: Date): KeyHolder {
      const id = browserIdOf(accountId)
      const known = holderOf(id, now)
      if (known) return known
      insertBrowser.run(id, accountId, randomBytes(32), taipei(now))
      return holderOf(id, now)!
    },
    /** Every active key and the `ENDED_LISTED` newest of those that were revoked or have expired, newest first. */
    list: (accountId: string, now: Date): readonly KeyRecord[] =>
      list.all({ accountId, now: taipei(now) }).map(record => dated(record, now)),
    /** How many let somebody in at that moment. */
    countActive: (accountId: string, now: Date): number => active.get({ accountId, now: taipei(now) })!,
    /** True once a key was issued, even where all of them have ended. */
    hasAny: (accountId: string): boolean => ever.get({ accountId }) !== undefined,
    /** When the newest key but so many was issued, RFC 3339 in Taipei; undefined where there are not so many. Keys that lie ahead, under a clock that was put back since, do not count. */
    issuedBefore: (accountId: string, newer: number, now: Date): string | undefined =>
      nthNewest.get({ accountId, newer, now: taipei(now) }),
    get(accountId: string, keyId: string, now: Date): KeyRecord | undefined {
      const record = one.get({ accountId, keyId })
      return record && dated(record, now)
    },
    /** The secret of a key that is not revoked. @throws Error when the stored copy does not open */
    reveal(accountId: string, keyId: string): string | undefined {
      const sealed = sealedOf.get(accountId, keyId)?.sealed
      return sealed ? vault.open(sealed, ownerOf(keyId, accountId)) : undefined
    },
    /** True when this call revoked it. Takes effect on the very next request. */
    revoke: (accountId: string, keyId: string, now: Date): boolean => revoke.run(taipei(now), accountId, keyId).changes === 1,
    /** How many keys this call revoked, what browsers read under left out. */
    revokeAll(accountId: string, now: Date): number {
      revokeBrowser.run(taipei(now), accountId, browserIdOf(accountId))
      return revokeAll.run(taipei(now), accountId).changes
    },
  }
}

export type KeyStore = ReturnType<typeof createKeyStore>
