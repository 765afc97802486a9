import { taipei } from '../core/index.ts'
import type { Database } from './db.ts'

/** What is recorded of those who act on accounts, keys and refused files. */
export type AuditAction =
  | 'plan granted'
  | 'key issued'
  | 'key revealed'
  | 'key revoked'
  | 'account closed'
  | 'customer taken over'
  | 'keys rotated'
  | 'webhook created'
  | 'webhook changed'
  | 'webhook deleted'
  | 'webhook secret revealed'
  | 'webhook secret rotated'
  | 'webhook disabled'
  | 'webhook enabled'
  | 'webhook resent'
  | 'quarantine accept'
  | 'quarantine discard'

/** One action, without any secret. */
export interface AuditEntry {
  /** Who did it: `admin`, `operator`, or an account id. */
  readonly actor: string
  readonly action: AuditAction
  /** Empty where it is about no account. */
  readonly accountId: string
  /** Id of what was acted on, when it is not the account. */
  readonly target?: string
  readonly requestId?: string
  /** Never a secret. */
  readonly facts?: Readonly<Record<string, unknown>>
}

/** The record of actions on accounts and keys. Append-only: the database itself refuses to change or delete rows. */
export function createAuditLog(db: Database) {
  const insert = db.prepare('INSERT INTO audit_log (at, actor, action, account_id, target, request_id, facts) VALUES (?, ?, ?, ?, ?, ?, ?)')
  return {
    write({ actor, action, accountId, target, requestId, facts = {} }: AuditEntry, now: Date): void {
      insert.run(taipei(now), actor, action, accountId, target ?? null, requestId ?? null, JSON.stringify(facts))
    },
  }
}

export type AuditLog = ReturnType<typeof createAuditLog>
