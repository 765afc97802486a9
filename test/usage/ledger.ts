import { expect } from 'vitest'
import { taipei } from '../../src/core/index.ts'
import { openState } from '../../src/state/db.ts'
import type { TestService } from '../support.ts'

export interface Entry {
  readonly request_id: string
  readonly key_id: string
  readonly dataset: string
  readonly at: string
  readonly credits: number
  readonly rows: number
}

interface Sums {
  readonly requests: number
  readonly credits: number
}

/**
 * The three usage tables of an account, read over a separate connection. It shows what a crash at
 * this time would leave.
 */
export function usageOf(dir: string, accountId: string) {
  const state = openState(`${dir}/state.sqlite`)
  const all = (what: string) => state.prepare(`SELECT ${what} WHERE account_id = ?`).all(accountId)
  try {
    return {
      entries: all('request_id, key_id, dataset, at, credits, rows FROM usage_ledger') as readonly Entry[],
      ledger: all('count(*) AS requests, coalesce(sum(credits), 0) AS credits FROM usage_ledger')[0] as Sums,
      daily: all('coalesce(sum(requests), 0) AS requests, coalesce(sum(credits), 0) AS credits FROM usage_daily')[0] as Sums,
      period: all('coalesce(sum(requests), 0) AS requests, coalesce(sum(credits), 0) AS credits FROM account_period')[0] as Sums,
      periods: all('period, requests, credits FROM account_period') as readonly (Sums & { readonly period: string })[],
      errors: (all('coalesce(sum(errors), 0) AS errors FROM usage_daily')[0] as { readonly errors: number }).errors,
    }
  } finally {
    state.close()
  }
}

/**
 * Checks that the three tables agree.
 *
 * @returns their totals
 */
export function balanced(dir: string, accountId: string): Sums {
  const { ledger, daily, period } = usageOf(dir, accountId)
  expect({ daily, period }).toEqual({ daily: ledger, period: ledger })
  return ledger
}

/** A key of a new account. */
export function holder(s: TestService, plan: 'free' | 'pro' | 'max', email: string, now: Date) {
  const key = s.keyOn(plan, email)
  const { accountId, keyId } = s.control.keys.find(key, now)!
  return { key, accountId, keyId, another: () => s.keyOn(plan, email) }
}

export type Holder = ReturnType<typeof holder>

/** Uses all but `left` of an account's remaining credits. */
export async function spend(s: TestService, { accountId, keyId }: Holder, limit: number, left: number, now: Date): Promise<void> {
  const use = { requestId: `req_${accountId}`, accountId, keyId, dataset: 'events', at: taipei(now), rows: 0 }
  await s.control.ledger.record({ ...use, credits: limit - left })
}
