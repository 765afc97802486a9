import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { AccountStore } from '../accounts/index.ts'
import { checksummedLine, readChecksummedLines, syncNow, taipei } from '../core/index.ts'
import type { AuditLog, Database } from '../state/index.ts'
import type { createAccountCloser } from './account-closer.ts'

interface AccountEraserDeps {
  readonly db: Database
  readonly stateDb: string
  readonly accounts: AccountStore
  readonly audit: AuditLog
  readonly closeAccount: ReturnType<typeof createAccountCloser>
}

/** Path of the journal of erased accounts. */
export const erasuresPath = (stateDb: string): string => `${stateDb}.erasures`

/** A line of the journal. */
interface Erasure {
  readonly account_id: string
  readonly erased_at: string
}

export interface ErasedAccount {
  /** RFC 3339 in Taipei. */
  readonly erasedAt: string
  /** Copies of the state file in its folder that still contain the account. */
  readonly copies: readonly string[]
}

/** Tables with personal data that bookkeeping does not need. */
const TABLES = ['session', 'account_note', 'account_limit', 'account_suspension', 'account_mail', 'credit_notice', 'webhook_credits_low']

/**
 * Erases accounts: closes them, and removes personal data that bookkeeping does not need. The
 * digest of the address becomes random, so the account cannot be linked to the address. Ledger
 * rows, credit entries, billed periods, subscriptions and audit entries stay under the account id,
 * without notes and reasons.
 *
 * A journal in the folder of the state file lists the erased accounts, so that they can be erased
 * again in a restored backup. The journal is written before the account is erased. After a crash,
 * it may list an account that is not erased yet.
 */
export function createAccountEraser({ db, stateDb, accounts, audit, closeAccount }: AccountEraserDeps) {
  const journal = erasuresPath(stateDb)
  const deleteFrom = TABLES.map(table => db.prepare(`DELETE FROM ${table} WHERE account_id = ?`))
  const unlink = db.prepare('UPDATE account SET email_hash = randomblob(32), customer_id = NULL WHERE id = ?')
  const record = db.prepare('INSERT INTO account_erasure (account_id, at) VALUES (?, ?) ON CONFLICT DO NOTHING')
  const redactAudit = db.prepare(
    `UPDATE audit_log SET facts = json_remove(facts, '$.note', '$.reason')
     WHERE account_id = ? AND (json_type(facts, '$.note') IS NOT NULL OR json_type(facts, '$.reason') IS NOT NULL)`,
  )
  const redactCredits = db.prepare("UPDATE credit_entry SET reason = '' WHERE account_id = ? AND reason <> ''")
  const erasedAt = db.prepare<[string], string>('SELECT at FROM account_erasure WHERE account_id = ?').pluck()
  const erase = db.transaction((accountId: string, requestId: string, now: Date): void => {
    if (accounts.byId(accountId, now)?.status === 'active') closeAccount(accountId, requestId, now, 'operator')
    record.run(accountId, taipei(now))
    for (const statement of deleteFrom) statement.run(accountId)
    unlink.run(accountId)
    redactAudit.run(accountId)
    redactCredits.run(accountId)
    audit.write({ actor: 'operator', action: 'account erased', accountId, requestId }, now)
  })
  /**
   * Also removes the erased data from the write-ahead log, unless a running service still reads its
   * pages.
   */
  const truncateLog = (): void => void db.pragma('wal_checkpoint(TRUNCATE)')
  return {
    /**
     * Idempotent. Cancel the account's subscriptions first, because their owner is unknown
     * afterwards.
     */
    erase(accountId: string, requestId: string, now: Date): ErasedAccount {
      if (erasedAt.get(accountId) === undefined) {
        appendSynced(journal, checksummedLine({ account_id: accountId, erased_at: taipei(now) } satisfies Erasure))
        erase.immediate(accountId, requestId, now)
      }
      truncateLog()
      return { erasedAt: erasedAt.get(accountId)!, copies: copiesOf(stateDb) }
    },
    /** Erases the accounts in the journal that a restored backup contains. @returns their number */
    eraseRestored(requestId: string, now: Date): number {
      const text = existsSync(journal) ? readFileSync(journal, 'utf8') : ''
      const ids = new Set(readChecksummedLines<Erasure>(text).values.map(({ account_id: id }) => id))
      const restored = [...ids].filter(id => accounts.byId(id, now) && erasedAt.get(id) === undefined)
      for (const id of restored) erase.immediate(id, requestId, now)
      if (restored.length > 0) truncateLog()
      return restored.length
    },
  }
}

/** Appends a line to a file with mode 0600. The line survives a power cut. */
function appendSynced(path: string, line: string): void {
  appendFileSync(path, line, { mode: 0o600 })
  syncNow(path)
  syncNow(dirname(path))
}

/** Files that upgrades and restores leave in the folder of the state file. */
function copiesOf(stateDb: string): readonly string[] {
  const folder = dirname(stateDb)
  return readdirSync(folder)
    .filter(name => name.startsWith(`${basename(stateDb)}.before-`))
    .map(name => join(folder, name))
}
