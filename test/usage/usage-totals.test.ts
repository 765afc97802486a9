import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Database, openState } from '../../src/state/db.ts'
import { createUsageTotals } from '../../src/usage/totals.ts'

const PERIOD = '2026-07'

let db: Database
beforeEach(() => {
  db = openState(':memory:')
  db.pragma('foreign_keys = OFF')
})
afterEach(() => db.close())

/** Sets the credits of an account in the state file. */
const book = (accountId: string, credits: number): unknown =>
  db
    .prepare(
      'INSERT INTO account_period (account_id, period, credits, requests) VALUES (?, ?, ?, 1) ON CONFLICT DO UPDATE SET credits = excluded.credits',
    )
    .run(accountId, PERIOD, credits)

describe('usage totals', () => {
  it('usage totals evict the least recently used account and read it again from the state file', () => {
    const totals = createUsageTotals(db, 2)
    const creditsOf = (accountId: string): number => totals.get(accountId, PERIOD)
    for (const account of ['a', 'b']) book(account, 1)
    expect([creditsOf('a'), creditsOf('b'), creditsOf('a')]).toEqual([1, 1, 1])
    for (const account of ['a', 'b', 'c']) book(account, 5)
    expect([creditsOf('a'), creditsOf('b')]).toEqual([1, 1])
    expect(creditsOf('c')).toBe(5)
    expect([creditsOf('b'), creditsOf('a')]).toEqual([1, 5])
  })

  it('usage totals add committed batches to the month of their day', () => {
    const totals = createUsageTotals(db)
    book('a', 10)
    expect(totals.get('a', PERIOD)).toBe(10)
    totals.addCommitted([
      { accountId: 'a', day: '2026-07-31', credits: 3 },
      { accountId: 'a', day: '2026-08-01', credits: 100 },
      { accountId: 'b', day: '2026-07-01', credits: 100 },
    ])
    expect(totals.get('a', PERIOD)).toBe(13)
    expect([totals.get('a', '2026-08'), totals.get('b', PERIOD)]).toEqual([0, 0])
  })

  it('usage totals include the backlog and are read again after a commit that may have failed', () => {
    const totals = createUsageTotals(db)
    book('a', 10)
    totals.addPending({ accountId: 'a', day: '2026-07-01T10:00:00.000+08:00', credits: 2 })
    expect(totals.get('a', PERIOD)).toBe(12)
    book('a', 20)
    expect(totals.get('a', PERIOD)).toBe(12)
    totals.clear()
    expect(totals.get('a', PERIOD)).toBe(22)
    totals.addPending({ accountId: 'a', day: '2026-07-01T10:00:00.000+08:00', credits: -2 })
    expect(totals.get('a', PERIOD)).toBe(20)
  })
})
