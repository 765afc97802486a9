import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Database, openState } from '../../../src/accounts/state/db.ts'
import { createUsageTotals } from '../../../src/accounts/usage/totals.ts'

const PERIOD = '2026-07'

let db: Database
beforeEach(() => {
  db = openState(':memory:')
  db.pragma('foreign_keys = OFF')
})
afterEach(() => db.close())

/** What the state file holds for an account from now on. */
const book = (accountId: string, credits: number): unknown =>
  db
    .prepare(
      'INSERT INTO account_period (account_id, period, credits, requests) VALUES (?, ?, ?, 1) ON CONFLICT DO UPDATE SET credits = excluded.credits',
    )
    .run(accountId, PERIOD, credits)

describe('usage totals', () => {
  it('keep as many as they may in memory: the one not asked for longest is read from the file again', () => {
    const totals = createUsageTotals(db, 2)
    const of = (accountId: string): number => totals.of(accountId, PERIOD)
    for (const account of ['a', 'b']) book(account, 1)
    expect([of('a'), of('b'), of('a')]).toEqual([1, 1, 1])
    for (const account of ['a', 'b', 'c']) book(account, 5)
    expect([of('a'), of('b')]).toEqual([1, 1])
    expect(of('c')).toBe(5)
    expect([of('b'), of('a')]).toEqual([1, 5])
  })

  it('are kept up as batches are committed, each in the month of its day', () => {
    const totals = createUsageTotals(db)
    book('a', 10)
    expect(totals.of('a', PERIOD)).toBe(10)
    totals.addCommitted([
      { accountId: 'a', day: '2026-07-31', credits: 3 },
      { accountId: 'a', day: '2026-08-01', credits: 100 },
      { accountId: 'b', day: '2026-07-01', credits: 100 },
    ])
    expect(totals.of('a', PERIOD)).toBe(13)
    expect([totals.of('a', '2026-08'), totals.of('b', PERIOD)]).toEqual([0, 0])
  })

  it('include the backlog, and are read from the file again after a commit that may have failed', () => {
    const totals = createUsageTotals(db)
    book('a', 10)
    totals.addBacklog({ accountId: 'a', day: '2026-07-01T10:00:00.000+08:00', credits: 2 })
    expect(totals.of('a', PERIOD)).toBe(12)
    book('a', 20)
    expect(totals.of('a', PERIOD)).toBe(12)
    totals.forget()
    expect(totals.of('a', PERIOD)).toBe(22)
    totals.addBacklog({ accountId: 'a', day: '2026-07-01T10:00:00.000+08:00', credits: -2 })
    expect(totals.of('a', PERIOD)).toBe(20)
  })
})
