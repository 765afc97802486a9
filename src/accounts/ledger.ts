import type { Database } from './db.ts'

/** One charged answer. */
export interface Use {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  readonly dataset: string
  /** RFC 3339 in Taipei; its month is the period charged. */
  readonly at: string
  readonly credits: number
  readonly rows: number
}

const ANCHOR_MS = 1_000

/**
 * The usage ledger. Uses recorded in one turn of the event loop are committed together before any of them resolves, so an answer that
 * leaves is in the ledger. The connection syncs NORMAL: a killed process loses nothing; a FULL commit at least once a second under
 * traffic bounds what a power cut can take.
 */
export function openLedger(db: Database) {
  const insert = db.prepare(
    `INSERT INTO usage_ledger (request_id, account_id, key_id, dataset, at, credits, rows)
     VALUES (@requestId, @accountId, @keyId, @dataset, @at, @credits, @rows)`,
  )
  const count = db.prepare(
    `INSERT INTO account_period (account_id, period, credits, requests) VALUES (?, ?, ?, 1)
     ON CONFLICT DO UPDATE SET credits = credits + excluded.credits, requests = requests + 1`,
  )
  const used = db.prepare<[string, string], { credits: number }>('SELECT credits FROM account_period WHERE account_id = ? AND period = ?')
  let queue: { readonly use: Use; readonly done: () => void; readonly failed: (error: unknown) => void }[] = []
  let anchoredAt = 0
  const record = db.transaction((uses: readonly Use[]) => {
    for (const use of uses) {
      insert.run(use)
      count.run(use.accountId, use.at.slice(0, 7), use.credits)
    }
  })
  const flush = (): void => {
    const batch = queue
    queue = []
    const anchor = Date.now() - anchoredAt > ANCHOR_MS
    try {
      if (anchor) db.pragma('synchronous = FULL')
      record.immediate(batch.map(({ use }) => use))
      for (const { done } of batch) done()
      if (anchor) anchoredAt = Date.now()
    } catch (error) {
      for (const { failed } of batch) failed(error)
    } finally {
      if (anchor) db.pragma('synchronous = NORMAL')
    }
  }
  return {
    /** Resolves once the use is committed. @throws when it could not be; then nothing of the batch was recorded */
    record(use: Use): Promise<void> {
      return new Promise((done, failed) => {
        if (queue.push({ use, done, failed }) === 1) setImmediate(flush)
      })
    },
    /** Credits an account used in a period, `YYYY-MM`. */
    used: (accountId: string, period: string): number => used.get(accountId, period)?.credits ?? 0,
  }
}

export type Ledger = ReturnType<typeof openLedger>
