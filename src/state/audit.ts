import { taipei } from '../core/index.ts'
import type { Database } from './db.ts'

export const AUDIT_ACTIONS = [
  'plan granted',
  'credits granted',
  'credits refunded',
  'key issued',
  'key revealed',
  'key revoked',
  'account closed',
  'customer taken over',
  'keys rotated',
  'webhook created',
  'webhook changed',
  'webhook deleted',
  'webhook secret revealed',
  'webhook secret rotated',
  'webhook disabled',
  'webhook enabled',
  'webhook resent',
  'account suspended',
  'account restored',
  'account limits set',
  'account note added',
  'account exported',
  'account erased',
  'key rotated',
  'plans changed',
  'release served',
  'release pinned',
  'release unpinned',
  'release note changed',
  'releases removed',
  'quarantine accept',
  'quarantine discard',
  'payments replayed',
  'state restored',
] as const

export type AuditAction = (typeof AUDIT_ACTIONS)[number]

export interface AuditEntry {
  /** `admin`, `operator`, or the id of an account. */
  readonly actor: string
  readonly action: AuditAction
  /** Null if the action concerns no account. */
  readonly accountId: string | null
  /** Id of the changed object. Absent if the account itself changed. */
  readonly target?: string
  readonly requestId?: string
  /** Must not contain secrets. */
  readonly facts?: Readonly<Record<string, unknown>>
}

export interface AuditRecord {
  /** Ids ascend in the order of writing. */
  readonly id: number
  /** RFC 3339 in Taipei. */
  readonly at: string
  readonly actor: string
  readonly action: string
  /** Null if the action concerns no account. */
  readonly accountId: string | null
  readonly target: string | null
  readonly requestId: string | null
  readonly facts: string
}

export interface AuditFilter {
  readonly accountId: string | null
  readonly action: AuditAction | null
  readonly actor: string | null
  /** Start, inclusive. `to` is the end, exclusive. Both are RFC 3339 in Taipei. */
  readonly from: string | null
  readonly to: string | null
  /** Id of an entry. Selects older entries. Null for the newest entries. */
  readonly before: number | null
  readonly limit: number
}

/** Database triggers refuse deletions and changes. Only erasing an account removes free texts. */
export function createAuditLog(db: Database) {
  const insert = db.prepare('INSERT INTO audit_log (at, actor, action, account_id, target, request_id, facts) VALUES (?, ?, ?, ?, ?, ?, ?)')
  const select = (account: string) =>
    db.prepare<object, AuditRecord>(
      // Earlier versions wrote an empty text instead of null.
      `SELECT id, at, actor, action, nullif(account_id, '') AS accountId, target, request_id AS requestId, facts FROM audit_log
       WHERE ${account} AND (@before IS NULL OR id < @before) AND (@action IS NULL OR action = @action)
         AND (@actor IS NULL OR actor = @actor) AND (@from IS NULL OR at >= @from) AND (@to IS NULL OR at < @to)
       ORDER BY id DESC LIMIT @limit + 1`,
    )
  // SQLite uses the index by account only for a fixed filter by account.
  const [ofAll, ofAccount] = [select('@accountId IS NULL'), select('account_id = @accountId')]
  return {
    write({ actor, action, accountId, target, requestId, facts = {} }: AuditEntry, now: Date): void {
      insert.run(taipei(now), actor, action, accountId, target ?? null, requestId ?? null, JSON.stringify(facts))
    },
    /** Returns a page, newest first, and whether there are more entries. */
    page(filter: AuditFilter): { readonly entries: readonly AuditRecord[]; readonly more: boolean } {
      const entries = (filter.accountId === null ? ofAll : ofAccount).all(filter)
      return { entries: entries.slice(0, filter.limit), more: entries.length > filter.limit }
    },
  }
}

export type AuditLog = ReturnType<typeof createAuditLog>
