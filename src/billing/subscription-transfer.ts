import type { Email } from '../accounts/index.ts'
import type { AuditLog, Database, Vault } from '../state/index.ts'
import type { SubscriptionStore } from './subscriptions.ts'

interface ClosedAccount {
  readonly id: string
  readonly customerId: string | null
}

interface Stores {
  readonly db: Database
  readonly vault: Vault
  readonly subscriptions: SubscriptionStore
  readonly audit: AuditLog
}

/**
 * Moves subscriptions of closed accounts to the current account of the same address.
 *
 * @returns a function that runs in the caller's transaction
 */
export function createSubscriptionTransfer({ db, vault, subscriptions, audit }: Stores) {
  const closedAccounts = db.prepare<[Buffer, Buffer], ClosedAccount>(
    `SELECT id, customer_id AS customerId FROM account WHERE status = 'closed' AND email_hash IN (?, ?)
     AND (customer_id IS NOT NULL OR id IN (SELECT account_id FROM subscription)) ORDER BY closed_at DESC, id`,
  )
  const hasCustomer = db.prepare<[string], 1>('SELECT 1 FROM account WHERE id = ? AND customer_id IS NOT NULL').pluck()
  const unbind = db.prepare('UPDATE account SET customer_id = NULL WHERE id = ?')
  const bind = db.prepare('UPDATE account SET customer_id = ? WHERE id = ?')
  return (accountId: string, { key }: Email, now: Date): void => {
    const hashes = vault.lookups(key)
    for (const { id, customerId } of closedAccounts.all(hashes[0]!, hashes.at(-1)!)) {
      const moved = subscriptions.move(id, accountId, now)
      const takesCustomer = customerId !== null && hasCustomer.get(accountId) === undefined
      if (takesCustomer) {
        unbind.run(id)
        bind.run(customerId, accountId)
      }
      if (moved.length === 0 && !takesCustomer) continue
      const facts = { from: id, subscriptions: moved, customer: takesCustomer }
      audit.write({ actor: accountId, action: 'customer taken over', accountId, facts }, now)
    }
  }
}
