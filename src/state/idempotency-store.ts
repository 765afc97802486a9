import { createHash } from 'node:crypto'
import { DAY_MS, taipei } from '../core/index.ts'
import { type Database, isUnwritable } from './db.ts'
import type { Vault } from './vault.ts'

export interface StoredAnswer {
  readonly input: string
  readonly answer: string
}

/** A stored answer is erased together with these objects. */
export interface AnswerOwner {
  readonly accountId: string
  /** Key whose secret is in the answer. Null if there is no secret. */
  readonly keyId: string | null
  readonly endpointId?: string
}

const RETENTION_MS = DAY_MS

/** Binds an encrypted answer to a row. */
export const answerOwnerOf = (name: Buffer): string => `answer|${name.toString('hex')}`

/**
 * Stores answers for a day, by Idempotency-Key. Answers are encrypted, because an answer may
 * contain the secret of a key or a webhook endpoint.
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
    nameOf: (...parts: readonly string[]): Buffer => createHash('sha256').update(JSON.stringify(parts)).digest(),
    /** Null if the answer was erased. Undefined if there was none. */
    find(name: Buffer, now: Date): StoredAnswer | null | undefined {
      const row = find.get(name, expiry(now))
      return row && (row.sealed ? (JSON.parse(vault.open(row.sealed, answerOwnerOf(name))) as StoredAnswer) : null)
    },
    put(name: Buffer, { accountId, keyId, endpointId }: AnswerOwner, stored: StoredAnswer, now: Date): void {
      deleteExpired.run(expiry(now))
      put.run(name, accountId, keyId, endpointId ?? null, vault.seal(JSON.stringify(stored), answerOwnerOf(name)), taipei(now))
    },
    /** Ignores write errors, because expired answers are never returned. */
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
