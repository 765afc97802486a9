import { taipei } from '../core/index.ts'
import type { Database } from './db.ts'

/** Recorded actions on accounts, keys, webhooks and refused files. */
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
  | 'account suspended'
  | 'account restored'
  | 'account limits set'
  | 'account note added'
  | 'account exported'
  | 'account erased'
  | 'key rotated'
  | 'quarantine accept'
  | 'quarantine discard'

export interface AuditEntry {
  /** `admin`, `operator`, or an account id. */
  readonly actor: string
  readonly action: AuditAction
  /** Empty if no account is concerned. */
  readonly accountId: string
  /** Id of the object that was changed, if it is not the account. */
  readonly target?: string
  readonly requestId?: string
  /** Never a secret. */
  readonly facts?: Readonly<Record<string, unknown>>
}

/** Writes the audit log. Append-only: triggers of the database refuse changes and deletions. */
export function createAuditLog(db: Database) {
  const insert = db.prepare('INSERT INTO audit_log (at, actor, action, account_id, target, request_id, facts) VALUES (?, ?, ?, ?, ?, ?, ?)')
  return {
    write({ actor, action, accountId, target, requestId, facts = {} }: AuditEntry, now: Date): void {
      insert.run(taipei(now), actor, action, accountId, target ?? null, requestId ?? null, JSON.stringify(facts))
    },
  }
}

export type AuditLog = ReturnType<typeof createAuditLog>
