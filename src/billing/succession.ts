import type { Email } from '../accounts/index.ts'
import type { AuditLog, Database, Vault } from '../state/index.ts'
import type { SubscriptionStore } from './subscriptions.ts'

interface Former {
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
 * Hands what an address pays for on to the account it has now: closing an account ends no subscription, so whoever proves to own the
 * address must reach its customer at the payment provider again. Subscriptions of its closed accounts move, and with them the plan they
 * bring; the customer moves where the account has none. An address is recognised by its digest, under the pepper in use and the previous one.
 *
 * @returns a function that does so in the caller's transaction; it changes nothing where there is nothing to hand on
 */
export function createSuccession({ db, vault, subscriptions, audit }: Stores) {
  const formers = db.prepare<[Buffer, Buffer], Former>(
    `SELECT id, customer_id AS customerId FROM account WHERE status = 'closed' AND email_hash IN (?, ?)
     AND (customer_id IS NOT NULL OR id IN (SELECT account_id FROM subscription)) ORDER BY closed_at DESC, id`,
  )
  const hasCustomer = db.prepare<[string], 1>('SELECT 1 FROM account WHERE id = ? AND customer_id IS NOT NULL').pluck()
  const unbind = db.prepare('UPDATE account SET customer_id = NULL WHERE id = ?')
  const bind = db.prepare('UPDATE account SET customer_id = ? WHERE id = ?')
  return (accountId: string, { key }: Email, now: Date): void => {
    const hashes = vault.lookups(key)
    for (const { id, customerId } of formers.all(hashes[0]!, hashes.at(-1)!)) {
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
