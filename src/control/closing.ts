import type { AccountStore, KeyStore, SessionStore } from '../accounts/index.ts'
import { taipei } from '../core/index.ts'
import type { AuditLog, Database, IdempotencyStore } from '../state/index.ts'
import type { Webhooks } from '../webhooks/index.ts'

/** What closing an account did. The time is RFC 3339 in Taipei. */
export interface Closed {
  readonly closedAt: string
  readonly keysRevoked: number
}

interface Stores {
  readonly db: Database
  readonly accounts: AccountStore
  readonly keys: KeyStore
  readonly sessions: SessionStore
  readonly repeats: IdempotencyStore
  readonly webhooks: Webhooks
  readonly audit: AuditLog
}

/**
 * Closes accounts: revokes keys and sessions, redacts the profile, deletes sign-ins, mail to its address, kept answers and webhook endpoints, and ends the plan grant, in
 * one transaction. Ledger and audit rows stay, under the account's id alone.
 */
export function createAccountCloser({ db, accounts, keys, sessions, repeats, webhooks, audit }: Stores) {
  const endGrant = db.prepare('DELETE FROM plan_grant WHERE account_id = ?')
  const forgetSignIns = ['onboarding_code', 'onboarding_flow'].map(table => db.prepare(`DELETE FROM ${table} WHERE email_key = ?`))
  const forgetMail = db.prepare('DELETE FROM mail_outbox WHERE lower(to_address) = ?')
  const forgetNames = db.prepare("UPDATE api_key SET name = 'redacted' WHERE account_id = ?")
  const close = db.transaction((accountId: string, requestId: string, now: Date): Closed => {
    const email = accounts.byId(accountId, now)?.email
    if (email) {
      for (const forget of forgetSignIns) forget.run(email.toLowerCase())
      forgetMail.run(email.toLowerCase())
    }
    forgetNames.run(accountId)
    repeats.deleteOfAccount(accountId)
    webhooks.endpoints.removeAll(accountId)
    const keysRevoked = keys.revokeAll(accountId, now)
    sessions.revokeAll(accountId, now)
    endGrant.run(accountId)
    accounts.close(accountId, now)
    audit.write({ actor: accountId, action: 'account closed', accountId, requestId, facts: { api_keys_revoked: keysRevoked } }, now)
    return { closedAt: taipei(now), keysRevoked }
  })
  return (accountId: string, requestId: string, now: Date): Closed => close.immediate(accountId, requestId, now)
}
