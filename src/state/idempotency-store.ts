import { createHash } from 'node:crypto'
import { DAY_MS, taipei } from '../core/index.ts'
import { type Database, isUnwritable } from './db.ts'
import type { Vault } from './vault.ts'

/** A stored response to a request with an Idempotency-Key. */
export interface StoredAnswer {
  /** The request's input as JSON. */
  readonly input: string
  /** The response as JSON. */
  readonly answer: string
}

/**
 * Objects to which a stored answer belongs. Closing the account deletes the answer. Revoking the
 * key, deleting the endpoint or rotating its secret erases the content of the answer.
 */
export interface AnswerOwner {
  readonly accountId: string
  /** Key whose secret the answer contains. Null if there is none. */
  readonly keyId: string | null
  /** Webhook endpoint whose secret the answer contains. */
  readonly endpointId?: string
}

const RETENTION_MS = DAY_MS

/** Context that binds a sealed answer to its row. */
export const answerOwnerOf = (name: Buffer): string => `answer|${name.toString('hex')}`

/**
 * Stores answers of creating requests by their Idempotency-Key, so that a repeated request creates
 * nothing twice. An answer can contain the secret of a key or a webhook endpoint, so it is sealed
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
    /** Name of a stored answer. @param parts caller, operation and Idempotency-Key */
    nameOf: (...parts: readonly string[]): Buffer => createHash('sha256').update(JSON.stringify(parts)).digest(),
    /** Finds an answer. Null if it was erased with its secret, undefined if there is none. */
    find(name: Buffer, now: Date): StoredAnswer | null | undefined {
      const row = find.get(name, expiry(now))
      return row && (row.sealed ? (JSON.parse(vault.open(row.sealed, answerOwnerOf(name))) as StoredAnswer) : null)
    },
    /** Stores an answer and deletes expired ones. */
    put(name: Buffer, { accountId, keyId, endpointId }: AnswerOwner, stored: StoredAnswer, now: Date): void {
      deleteExpired.run(expiry(now))
      put.run(name, accountId, keyId, endpointId ?? null, vault.seal(JSON.stringify(stored), answerOwnerOf(name)), taipei(now))
    },
    /**
     * Deletes expired answers. If the state file accepts no writes, they stay, but are never
     * returned.
     */
    deleteExpired(now: Date): void {
      try {
        deleteExpired.run(expiry(now))
      } catch (error) {
        if (!isUnwritable(error)) throw error
      }
    },
    /** Deletes all answers of an account. */
    deleteOfAccount: (accountId: string): void => void deleteOfAccount.run(accountId),
  }
}

export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>
