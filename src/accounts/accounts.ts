import type { PlanId } from '../../catalog/index.ts'
import { type Limits, newId, taipei } from '../core/index.ts'
import type { Database, Vault } from '../state/index.ts'
import {
  type ActiveGrant,
  activeGrant,
  type EffectivePlan,
  effectivePlan,
  limitsOn,
  type PlanSources,
  planColumns,
} from '../state/index.ts'
import type { Email } from './email.ts'

/** Times are RFC 3339 in Taipei. */
export interface Account {
  readonly id: string
  readonly email: string | null
  readonly status: 'active' | 'closed'
  readonly createdAt: string
  readonly closedAt: string | null
  /** Customer id at the payment provider. Null before the first checkout. */
  readonly customerId: string | null
  readonly plan: PlanId
  readonly planSource: EffectivePlan['source']
  /** Plan that the operator granted. The paid plan may be higher. */
  readonly grant: ActiveGrant | null
  /** Limits of the plan, or limits that the operator set. */
  readonly limits: Limits
  readonly suspension: Suspension | null
  /** True if the account receives mails about low credits. */
  readonly creditMails: boolean
}

/** `reason` is shown to the account's owner. Times are RFC 3339 in Taipei. */
export interface Suspension {
  readonly reason: string
  readonly at: string
}

type StoredAccount = Omit<Account, 'plan' | 'planSource' | 'grant' | 'limits' | 'suspension' | 'creditMails'> &
  PlanSources & { readonly creditMails: number; readonly suspendedFor: string | null; readonly suspendedAt: string | null }

/** Compares two digests, because the digest key (the pepper) may have changed. */
const CLOSED = "SELECT id FROM account WHERE status = 'closed' AND email_hash IN (@hash, @former)"

const CLOSED_CREDITS = `max(0, coalesce(sum(credits), 0)
  - (SELECT coalesce(sum(credits), 0) FROM credit_entry WHERE at LIKE @period || '-%' AND account_id IN (${CLOSED})))`

interface Successor {
  readonly id: string
  readonly email: string
  readonly key: string
}

const SELECT = `SELECT a.id, a.email, a.status, a.customer_id AS customerId, a.created_at AS createdAt, a.closed_at AS closedAt,
  a.credit_mails AS creditMails, s.reason AS suspendedFor, s.at AS suspendedAt, ${planColumns('a.id')}
  FROM account a LEFT JOIN account_suspension s ON s.account_id = a.id`

/**
 * Stores accounts and their plans.
 *
 * @param transferSubscriptions function that moves subscriptions of closed accounts with the same
 * address
 */
export function createAccountStore(
  db: Database,
  vault: Vault,
  transferSubscriptions: (accountId: string, email: Email, now: Date) => void,
) {
  const byKey = db.prepare<[string], StoredAccount>(`${SELECT} WHERE a.email_key = ?`)
  const byId = db.prepare<[string], StoredAccount>(`${SELECT} WHERE a.id = ?`)
  const open = createAccountOpener(db, vault)
  const grant = db.prepare(
    `INSERT INTO plan_grant (account_id, plan_id, note, granted_at, expires_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET plan_id = excluded.plan_id, note = excluded.note, granted_at = excluded.granted_at, expires_at = excluded.expires_at`,
  )
  const close = db.prepare(
    `UPDATE account SET status = 'closed', closed_at = ?, email = NULL, email_key = NULL, email_hash = coalesce(?, email_hash)
     WHERE id = ? AND status = 'active'`,
  )
  const ensure = db.transaction((email: Email, now: Date): string => {
    const id = byKey.get(email.key)?.id ?? open(email, now)
    transferSubscriptions(id, email, now)
    return id
  })
  const successor = db.prepare<[string], Successor>(
    `SELECT heir.id, heir.email, heir.email_key AS key FROM account closed JOIN account heir ON heir.email_hash = closed.email_hash
     WHERE closed.id = ? AND closed.status = 'closed' AND heir.status = 'active'`,
  )
  const passToSuccessor = db.transaction((closedId: string, now: Date): void => {
    const heir = successor.get(closedId)
    if (heir) transferSubscriptions(heir.id, { address: heir.email, key: heir.key }, now)
  })
  const closedUse = db.prepare<object, { credits: number | null }>(
    `SELECT (SELECT ${CLOSED_CREDITS} FROM usage_daily WHERE day LIKE @period || '-%' AND account_id IN (${CLOSED})) AS credits
     WHERE EXISTS (${CLOSED})`,
  )
  const keyOf = db.prepare<[string], string | null>('SELECT email_key FROM account WHERE id = ?').pluck()
  const setCreditMails = db.prepare('UPDATE account SET credit_mails = ? WHERE id = ?')
  const bind = db.prepare('UPDATE account SET customer_id = ? WHERE id = ? AND customer_id IS NULL')
  const byCustomer = db.prepare<[string], { id: string }>('SELECT id FROM account WHERE customer_id = ?')
  return {
    byEmail: (email: Email, now: Date): Account | undefined => withPlan(byKey.get(email.key), now),
    byId: (id: string, now: Date): Account | undefined => withPlan(byId.get(id), now),
    /**
     * Returns the credits that closed accounts of an address used. Undefined if there is no closed
     * account.
     */
    closedUse(email: Email, period: string): number | undefined {
      const hashes = vault.lookups(email.key)
      return closedUse.get({ period, hash: hashes[0], former: hashes.at(-1) })?.credits ?? undefined
    },
    ensure: (email: Email, now: Date): Account => withPlan(byId.get(ensure.immediate(email, now)), now)!,
    /**
     * Moves subscriptions of a closed account to the active account of the same address. If the
     * digest key was replaced since the closure, only the next sign-in moves the subscriptions.
     */
    passToSuccessor: (closedId: string, now: Date): void => passToSuccessor.immediate(closedId, now),
    grantPlan(
      accountId: string,
      planId: PlanId,
      { note = null, expiresAt = null }: { readonly note?: string | null; readonly expiresAt?: string | null },
      now: Date,
    ): void {
      grant.run(accountId, planId, note, taipei(now), expiresAt)
    },
    setCreditMails: (accountId: string, enabled: boolean): void => void setCreditMails.run(enabled ? 1 : 0, accountId),
    byCustomer: (customerId: string): string | undefined => byCustomer.get(customerId)?.id,
    bindCustomer(accountId: string, customerId: string): string {
      bind.run(customerId, accountId)
      return byId.get(accountId)?.customerId ?? customerId
    },
    /**
     * Closes an account and erases the profile. A digest of the address remains.
     *
     * @returns true if the account was open before
     */
    close(accountId: string, now: Date): boolean {
      const key = keyOf.get(accountId)
      return close.run(taipei(now), key ? vault.lookup(key) : null, accountId).changes === 1
    },
  }
}

/**
 * A new account inherits the used credits of closed accounts with the same address. Closing an
 * account therefore does not reset the credits of the month.
 */
function createAccountOpener(db: Database, vault: Vault): (email: Email, now: Date) => string {
  const insert = db.prepare("INSERT INTO account (id, email, email_key, email_hash, status, created_at) VALUES (?, ?, ?, ?, 'active', ?)")
  const carryOver = db.prepare(
    `INSERT INTO account_period (account_id, period, credits, requests)
     SELECT @id, @period, ${CLOSED_CREDITS}, sum(requests) FROM usage_daily WHERE day LIKE @period || '-%'
     AND account_id IN (${CLOSED}) HAVING count(*) > 0`,
  )
  return db.transaction((email: Email, now: Date) => {
    const id = newId('acct')
    insert.run(id, email.address, email.key, vault.lookup(email.key), taipei(now))
    const hashes = vault.lookups(email.key)
    carryOver.run({ id, period: taipei(now).slice(0, 7), hash: hashes[0], former: hashes.at(-1) })
    return id
  })
}

function withPlan(stored: StoredAccount | undefined, now: Date): Account | undefined {
  if (!stored) return undefined
  const { id, email, status, createdAt, closedAt, customerId, suspendedFor, suspendedAt } = stored
  const { plan, source } = effectivePlan(stored, taipei(now))
  return {
    id,
    email,
    status,
    createdAt,
    closedAt,
    customerId,
    plan,
    planSource: source,
    grant: activeGrant(stored, taipei(now)),
    limits: limitsOn(plan, stored),
    suspension: suspendedFor === null ? null : { reason: suspendedFor, at: suspendedAt! },
    creditMails: stored.creditMails === 1,
  }
}

export type AccountStore = ReturnType<typeof createAccountStore>
