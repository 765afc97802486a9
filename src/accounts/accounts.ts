import type { PlanId } from '../../catalog/dataset.ts'
import { newId } from '../core/ids.ts'
import type { Database } from './db.ts'

export interface Account {
  readonly id: string
  readonly email: string
  readonly planId: PlanId
  readonly status: 'active' | 'closed'
}

/** Accounts by e-mail. Addresses are compared in lower case. */
export function accountStore(db: Database) {
  const find = db.prepare<[string], Account>('SELECT id, email, plan_id AS planId, status FROM account WHERE email_key = ?')
  const insert = db.prepare('INSERT INTO account (id, email, email_key, plan_id, status, created_at) VALUES (?, ?, ?, ?, ?, ?)')
  const setPlan = db.prepare('UPDATE account SET plan_id = ? WHERE id = ?')
  return {
    byEmail: (email: string): Account | undefined => find.get(email.toLowerCase()),
    /** The account of that address on that plan, made when there is none. */
    ensure(email: string, planId: PlanId, now: string): Account {
      const known = find.get(email.toLowerCase())
      if (known) {
        setPlan.run(planId, known.id)
        return { ...known, planId }
      }
      const id = newId('acct')
      insert.run(id, email, email.toLowerCase(), planId, 'active', now)
      return { id, email, planId, status: 'active' }
    },
  }
}

export type AccountStore = ReturnType<typeof accountStore>
