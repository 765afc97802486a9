import type { AccountStore, KeyStore, SessionStore } from '../accounts/index.ts'
import { taipei } from '../core/index.ts'
import type { AuditLog, Database, IdempotencyStore } from '../state/index.ts'
import type { Webhooks } from '../webhooks/index.ts'

/** `closedAt` is RFC 3339 in Taipei. */
export interface ClosedAccount {
  readonly closedAt: string
  readonly keysRevoked: number
}

interface AccountCloserDeps {
  readonly db: Database
  readonly accounts: AccountStore
  readonly keys: KeyStore
  readonly sessions: SessionStore
  readonly idempotency: IdempotencyStore
  readonly webhooks: Webhooks
  readonly audit: AuditLog
}

/** Closes an account in one transaction. Revokes keys and sessions, and erases the profile. */
export function createAccountCloser({ db, accounts, keys, sessions, idempotency, webhooks, audit }: AccountCloserDeps) {
  const endGrant = db.prepare('DELETE FROM plan_grant WHERE account_id = ?')
  const deleteSignIns = ['onboarding_code', 'onboarding_flow'].map(table => db.prepare(`DELETE FROM ${table} WHERE email_key = ?`))
  const deleteMail = db.prepare('DELETE FROM mail_outbox WHERE lower(to_address) = ?')
  const deleteOfAccount = ['account_mail', 'account_suspension'].map(table => db.prepare(`DELETE FROM ${table} WHERE account_id = ?`))
  const redactKeyNames = db.prepare("UPDATE api_key SET name = 'redacted' WHERE account_id = ?")
  const close = db.transaction((accountId: string, actor: string, requestId: string, now: Date): ClosedAccount => {
    const email = accounts.byId(accountId, now)?.email
    if (email) {
      for (const statement of deleteSignIns) statement.run(email.toLowerCase())
      deleteMail.run(email.toLowerCase())
    }
    for (const statement of deleteOfAccount) statement.run(accountId)
    redactKeyNames.run(accountId)
    idempotency.deleteOfAccount(accountId)
    webhooks.endpoints.removeAll(accountId)
    const keysRevoked = keys.revokeAll(accountId, now)
    sessions.revokeAll(accountId, now)
    endGrant.run(accountId)
    accounts.close(accountId, now)
    const facts = { api_keys_revoked: keysRevoked }
    audit.write({ actor, action: 'account closed', accountId, requestId, facts }, now)
    return { closedAt: taipei(now), keysRevoked }
  })
  return (accountId: string, requestId: string, now: Date, actor = accountId): ClosedAccount =>
    close.immediate(accountId, actor, requestId, now)
}
