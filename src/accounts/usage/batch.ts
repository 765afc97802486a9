import type { Database } from '../state/db.ts'
import type { Entry, Use } from './entry.ts'

/** What a batch adds to a day's roll-up of one key and dataset. */
export interface Roll {
  readonly accountId: string
  readonly day: string
  readonly keyId: string
  readonly dataset: string
  requests: number
  credits: number
  rows: number
  errors: number
}

/**
 * Writes a batch in one transaction: ledger row, daily roll-up and period counter of each use, or none of the batch. Sums are made
 * before they are written, since a batch is mostly a few callers' reads of a few datasets.
 *
 * @returns a function that answers the sums it wrote
 */
export function ledgerWriter(db: Database): (batch: readonly Entry[]) => readonly Roll[] {
  const { insert, roll, count, touch } = statementsOn(db)
  /** Keys by the day they are known to bear. */
  const touched = new Map<string, string>()
  const write = db.transaction((batch: readonly Entry[], rolls: readonly Roll[]) => {
    for (const entry of batch) if ('use' in entry) insert.run(...rowOf(entry.use))
    for (const sum of rolls) {
      roll.run(sum)
      if (sum.requests === 0) continue
      count.run(sum.accountId, sum.day.slice(0, 7), sum.credits, sum.requests)
      if (touched.get(sum.keyId) !== sum.day) touch.run(sum.day, sum.keyId, sum.day)
    }
  })
  return batch => {
    const rolls = rollsOf(batch)
    write.immediate(batch, rolls)
    for (const { keyId, day, requests } of rolls) if (requests > 0) touched.set(keyId, day)
    return rolls
  }
}

const statementsOn = (db: Database) => ({
  insert: db.prepare(
    `INSERT INTO usage_ledger (request_id, account_id, key_id, dataset, at, credits, rows)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  ),
  roll: db.prepare<[Roll]>(
    `INSERT INTO usage_daily (account_id, day, key_id, dataset, requests, credits, rows, errors)
     VALUES (@accountId, @day, @keyId, @dataset, @requests, @credits, @rows, @errors)
     ON CONFLICT DO UPDATE SET requests = requests + excluded.requests, credits = credits + excluded.credits,
       rows = rows + excluded.rows, errors = errors + excluded.errors`,
  ),
  count: db.prepare(
    `INSERT INTO account_period (account_id, period, credits, requests) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET credits = credits + excluded.credits, requests = requests + excluded.requests`,
  ),
  touch: db.prepare('UPDATE api_key SET last_used_day = ? WHERE id = ? AND last_used_day IS NOT ?'),
})

const rowOf = ({ requestId, accountId, keyId, dataset, at, credits, rows }: Use) =>
  [requestId, accountId, keyId, dataset, at, credits, rows] as const

function rollsOf(batch: readonly Entry[]): readonly Roll[] {
  const rolls = new Map<string, Roll>()
  for (const entry of batch) {
    const { accountId, keyId, dataset, at } = 'use' in entry ? entry.use : entry.miss
    const day = at.slice(0, 10)
    const name = `${keyId} ${day} ${dataset}`
    const sum = rolls.get(name) ?? { accountId, day, keyId, dataset, requests: 0, credits: 0, rows: 0, errors: 0 }
    rolls.set(name, sum)
    if ('use' in entry) {
      sum.requests++
      sum.credits += entry.use.credits
      sum.rows += entry.use.rows
    } else sum.errors++
  }
  return [...rolls.values()]
}
