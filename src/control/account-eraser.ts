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

export const erasuresPath = (stateDb: string): string => `${stateDb}.erasures`

interface Erasure {
  readonly account_id: string
  readonly erased_at: string
}

export interface ErasedAccount {
  /** RFC 3339 in Taipei. */
  readonly erasedAt: string
  /** Older copies of the state file, which still contain the account. */
  readonly copies: readonly string[]
}

/** Rows with personal data that bookkeeping does not need. */
const TABLES = ['session', 'account_note', 'account_limit', 'account_suspension', 'account_mail', 'credit_notice', 'webhook_credits_low']

/**
 * Deletes personal data of accounts. A journal lists erased accounts, for use after a restore.
 * After a crash, the journal may list an account that is not erased yet. The digest of the mail
 * address becomes random, so that the address cannot be matched.
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
  /** Also removes erased data from the write-ahead log. */
  const truncateLog = (): void => void db.pragma('wal_checkpoint(TRUNCATE)')
  return {
    /**
     * Cancel the account's subscriptions before this call. After this call, nothing links the
     * subscriptions to a customer. Safe to call twice.
     */
    erase(accountId: string, requestId: string, now: Date): ErasedAccount {
      if (erasedAt.get(accountId) === undefined) {
        appendSynced(journal, checksummedLine({ account_id: accountId, erased_at: taipei(now) } satisfies Erasure))
        erase.immediate(accountId, requestId, now)
      }
      truncateLog()
      return { erasedAt: erasedAt.get(accountId)!, copies: copiesOf(stateDb) }
    },
    /**
     * Erases accounts again after a backup was restored.
     * @returns number of erased accounts
     */
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

/** Syncs the file to disk. A new file has mode 0600. */
function appendSynced(path: string, line: string): void {
  appendFileSync(path, line, { mode: 0o600 })
  syncNow(path)
  syncNow(dirname(path))
}

function copiesOf(stateDb: string): readonly string[] {
  const folder = dirname(stateDb)
  return readdirSync(folder)
    .filter(name => name.startsWith(`${basename(stateDb)}.before-`))
    .map(name => join(folder, name))
}
