import { afterAll, expect, it } from 'vitest'
import { type Database, openState } from '../../src/state/db.ts'
import { createDeliveryStore } from '../../src/webhooks/deliveries.ts'

const db = openState(':memory:')
afterAll(() => db.close())

/** The query plan of a statement, one step per line. */
const planOf = (statement: string): readonly string[] =>
  db
    .prepare<never[], { detail: string }>(`EXPLAIN QUERY PLAN ${statement.replaceAll(/@\w+|\?/g, 'NULL')}`)
    .all()
    .map(({ detail }) => detail)

it('no statement of the webhook outbox scans a whole table', () => {
  const statements: string[] = []
  const prepare = (statement: string) => {
    statements.push(statement)
    return db.prepare(statement)
  }
  createDeliveryStore({ prepare } as unknown as Database)
  expect(statements.length).toBeGreaterThan(5)
  const whole = statements.flatMap(planOf).filter(line => /^SCAN (?!waiting\b|json_each\b)/.test(line))
  expect(whole).toEqual([])
})
