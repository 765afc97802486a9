import { createHash } from 'node:crypto'
import { DAY_MS, taipei } from '../core/index.ts'
import { type Database, isUnwritable } from './db.ts'
import type { Vault } from './vault.ts'

/** The stored response to a request with an Idempotency-Key. */
export interface StoredAnswer {
  readonly input: string
  readonly answer: string
}

/**
 * Objects to which a stored answer belongs. If the account is closed, the answer is deleted. If the
 * key is revoked, the content of the answer is erased. The same happens if the endpoint is deleted
 * or its secret is rotated.
 */
export interface AnswerOwner {
  readonly accountId: string
  /** Id of the key whose secret is in the answer. Null if there is none. */
  readonly keyId: string | null
  /** Id of the webhook endpoint whose secret is in the answer. */
  readonly endpointId?: string
}

const RETENTION_MS = DAY_MS

/**
 * Returns the context that binds a sealed answer to its row. In another row, the answer cannot be
 * opened.
 */
export const answerOwnerOf = (name: Buffer): string => `answer|${name.toString('hex')}`

/**
 * Stores the answers of requests that create something, by Idempotency-Key. A repeated request then
 * creates nothing. An answer may contain the secret of a key or a webhook endpoint, so it is sealed
 * and expires after a day. When the secret is revoked or deleted, a trigger erases the answer in
 * the same transaction.
 */
export function createIdempotencyStore(db: Database, vault: Vault) {
  const find = db.prepare<[Buffer, string], { sealed: Buffer | null }>('SELECT sealed FROM kept_answer WHERE name = ? AND created_at > ?')
  const put = db.prepare(
    'INSERT OR REPLACE INTO kept_answer (name, account_id, key_id, endpoint_id, sealed, created_at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const deleteExpired = db.prepare('DELETE FROM kept_answer WHERE created_at <= ?')
  const deleteOfAccount = db.prepare('DELETE FROM kept_answer WHERE account_id = ?')
  const expiry = (now: Date): string => taipei(new Date(now.getTime() - RETENTION_MS))
  return {
    /**
     * Returns the name under which an answer is stored. @param parts caller, operation and
     * Idempotency-Key
     */
    nameOf: (...parts: readonly string[]): Buffer => createHash('sha256').update(JSON.stringify(parts)).digest(),
    /**
     * Returns a stored answer. Null if it was erased together with its secret. Undefined if there
     * is none.
     */
    find(name: Buffer, now: Date): StoredAnswer | null | undefined {
      const row = find.get(name, expiry(now))
      return row && (row.sealed ? (JSON.parse(vault.open(row.sealed, answerOwnerOf(name))) as StoredAnswer) : null)
    },
    put(name: Buffer, { accountId, keyId, endpointId }: AnswerOwner, stored: StoredAnswer, now: Date): void {
      deleteExpired.run(expiry(now))
      put.run(name, accountId, keyId, endpointId ?? null, vault.seal(JSON.stringify(stored), answerOwnerOf(name)), taipei(now))
    },
    /**
     * Deletes expired answers. If the state file cannot be written, the answers remain in the file,
     * but are never returned.
     */
    deleteExpired(now: Date): void {
      try {
        deleteExpired.run(expiry(now))
      } catch (error) {
        if (!isUnwritable(error)) throw error
      }
    },
    deleteOfAccount: (accountId: string): void => void deleteOfAccount.run(accountId),
  }
}

export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>
