import type { Database } from './db.ts'

/** Compares the ledger with daily and monthly totals. */
const SUMS = `
  WITH own AS (SELECT account_id, substr(day, 1, 7) AS period, sum(credits) AS credits FROM usage_daily GROUP BY 1, 2),
    closed AS (SELECT period, sum(credits) AS credits FROM own JOIN account ON id = account_id WHERE status = 'closed' GROUP BY 1),
    begun AS (
      SELECT min(month.credits - coalesce(own.credits, 0), closed.credits) AS credits
      FROM account_period AS month JOIN account ON id = month.account_id AND substr(created_at, 1, 7) = month.period
      JOIN closed ON closed.period = month.period
      LEFT JOIN own ON own.account_id = month.account_id AND own.period = month.period
      WHERE month.credits > coalesce(own.credits, 0)
    )
  SELECT (SELECT coalesce(sum(credits), 0) FROM usage_ledger) AS ledger, (SELECT coalesce(sum(credits), 0) FROM usage_daily) AS daily,
    (SELECT coalesce(sum(credits), 0) FROM account_period) - (SELECT coalesce(sum(credits), 0) FROM begun) AS period`

const WRONG_ENTRIES = `
  SELECT (SELECT count(*) FROM credit_entry AS entry LEFT JOIN usage_ledger AS used ON request_id = use_id
      WHERE kind = 'refund' AND (request_id IS NULL OR used.account_id <> entry.account_id OR used.credits <> entry.credits)) AS refunds,
    (SELECT count(*) FROM credit_entry AS entry WHERE NOT EXISTS (
      SELECT 1 FROM audit_log AS audit WHERE audit.account_id = entry.account_id AND audit.target = entry.id
        AND audit.facts ->> 'credits' = entry.credits)) AS unaudited`

/**
 * Checks that ledger, totals, refunds and audit log agree.
 *
 * @param db a state file of the current schema version
 * @returns one sentence per difference
 */
export function findBookFaults(db: Database): readonly string[] {
  const { ledger, daily, period } = db.prepare<[], Readonly<Record<'ledger' | 'daily' | 'period', number>>>(SUMS).get()!
  const { refunds, unaudited } = db.prepare<[], Readonly<Record<'refunds' | 'unaudited', number>>>(WRONG_ENTRIES).get()!
  return [
    ...(ledger !== daily || ledger !== period
      ? [`Credits of the state file do not add up: ${ledger} in its ledger, ${daily} by day, ${period} by month.`]
      : []),
    ...(refunds > 0 ? [`${refunds} refunds do not match the read that they refund.`] : []),
    ...(unaudited > 0 ? [`${unaudited} grants or refunds of credits are not in the audit log.`] : []),
  ]
}
