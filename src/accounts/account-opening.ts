import { newId, taipei } from '../core/index.ts'
import type { Email } from './email.ts'
import type { Vault } from './keys/vault.ts'
import type { Database } from './state/db.ts'

/**
 * Opens accounts for addresses that have none. Who closes an account and begins another has not begun another month: what closed
 * accounts of the address were charged in the running one is carried over. Account and carried credits are written together, before
 * anyone can know of the account. A read that still ran as its account closed is not carried.
 *
 * @returns a function that answers the new account's id
 */
export function createAccountOpener(db: Database, vault: Vault): (email: Email, now: Date) => string {
  const insert = db.prepare("INSERT INTO account (id, email, email_key, email_hash, status, created_at) VALUES (?, ?, ?, ?, 'active', ?)")
  const carry = db.prepare(
    `INSERT INTO account_period (account_id, period, credits, requests)
     SELECT @id, @period, sum(credits), sum(requests) FROM usage_daily WHERE day LIKE @period || '-%'
     AND account_id IN (SELECT id FROM account WHERE status = 'closed' AND email_hash IN (@hash, @former)) HAVING count(*) > 0`,
  )
  return db.transaction((email: Email, now: Date) => {
    const id = newId('acct')
    insert.run(id, email.address, email.key, vault.lookup(email.key), taipei(now))
    const hashes = vault.lookups(email.key)
    carry.run({ id, period: taipei(now).slice(0, 7), hash: hashes[0], former: hashes.at(-1) })
    return id
  })
}
