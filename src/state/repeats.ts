import { createHash } from 'node:crypto'
import { DAY_MS, taipei } from '../core/index.ts'
import { type Database, isUnwritable } from './db.ts'
import type { Vault } from './vault.ts'

/** An answer that is kept to be given again. */
export interface KeptAnswer {
  /** What was asked for, as JSON. */
  readonly input: string
  /** As JSON. */
  readonly answer: string
}

/** Whose answer it is: closing the account deletes it; revoking the key, deleting the endpoint or replacing its secret erases what it says. */
export interface AnswerOwner {
  readonly accountId: string
  /** The key whose secret the answer holds; null where it holds none. */
  readonly keyId: string | null
  /** The webhook endpoint whose secret it holds; absent where it holds none. */
  readonly endpointId?: string
}

/** How long an answer is kept. */
const KEPT_MS = DAY_MS

/** Ties a sealed answer to its row. */
export const answerOwnerOf = (name: Buffer): string => `answer|${name.toString('hex')}`

/**
 * Answers of calls that made something, by the caller's name for the call, so that a call that is repeated makes nothing twice. An answer
 * may hold the secret of a key or a webhook endpoint: it is sealed as they are, kept for a day, and erased by a trigger in the transaction that ends the secret.
 */
export function createRepeatStore(db: Database, vault: Vault) {
  const find = db.prepare<[Buffer, string], { sealed: Buffer | null }>('SELECT sealed FROM kept_answer WHERE name = ? AND created_at > ?')
  const put = db.prepare(
    'INSERT OR REPLACE INTO kept_answer (name, account_id, key_id, endpoint_id, sealed, created_at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const forget = db.prepare('DELETE FROM kept_answer WHERE created_at <= ?')
  const forgetOf = db.prepare('DELETE FROM kept_answer WHERE account_id = ?')
  const expiry = (now: Date): string => taipei(new Date(now.getTime() - KEPT_MS))
  return {
    /** The name under which an answer is kept. @param parts who asks, what for, and the caller's own name for it */
    nameOf: (...parts: readonly string[]): Buffer => createHash('sha256').update(JSON.stringify(parts)).digest(),
    /** The answer of that name; null for one that was erased with its key, undefined where there is none. */
    find(name: Buffer, now: Date): KeptAnswer | null | undefined {
      const row = find.get(name, expiry(now))
      return row && (row.sealed ? (JSON.parse(vault.open(row.sealed, answerOwnerOf(name))) as KeptAnswer) : null)
    },
    /** Keeps an answer, and deletes those that are over. */
    put(name: Buffer, { accountId, keyId, endpointId }: AnswerOwner, kept: KeptAnswer, now: Date): void {
      forget.run(expiry(now))
      put.run(name, accountId, keyId, endpointId ?? null, vault.seal(JSON.stringify(kept), answerOwnerOf(name)), taipei(now))
    },
    /** Deletes the answers that are over. Where the state file takes no writes they stay: nobody is answered with them. */
    forget(now: Date): void {
      try {
        forget.run(expiry(now))
      } catch (error) {
        if (!isUnwritable(error)) throw error
      }
    },
    /** Deletes every answer about an account. */
    forgetOf: (accountId: string): void => void forgetOf.run(accountId),
  }
}

export type RepeatStore = ReturnType<typeof createRepeatStore>
