import type { ChildProcess } from 'node:child_process'
import { closeSync, existsSync, fstatSync, openSync, watch, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { loadCatalog } from '../../catalog/index.ts'
import { readEmail } from '../../src/accounts/index.ts'
import { openControl } from '../../src/control/index.ts'
import { type Database, openState } from '../../src/state/db.ts'
import { ended, type Ran, startTwmd } from '../fixtures/cli/twmd.ts'
import { dataFolder, openTestWorkspace, publishRows, SECRETS } from '../support.ts'

export const FIRMS = '/v2/datasets/securities-firm-master'

/**
 * The data folder of a stopped service: one release, a state file, and accounts on plan max with
 * one key each.
 */
export async function preparedFolder(accounts = 1) {
  const { dir, remove } = await dataFolder()
  const workspace = await openTestWorkspace(dir)
  const firms = (await loadCatalog()).get('securities-firm-master')!
  await publishRows(workspace, dir, firms, firms.example)
  workspace.close()
  const stateDb = join(dir, 'state.sqlite')
  const control = openControl({ stateDb }, SECRETS)
  const now = new Date()
  const keys = Array.from({ length: accounts }, (_, index) => {
    const { id } = control.accounts.ensure(readEmail(`caller${index}@example.test`)!, now)
    control.accounts.grantPlan(id, 'max', {}, now)
    return control.keys.issue(id, 'test', now).secret
  })
  control.close()
  return {
    dir,
    stateDb,
    keys,
    remove,
    /** Runs `twmd` on this folder or another one, with the secrets of this folder's state file. */
    run: (args: readonly string[], environment: Readonly<Record<string, string>> = {}, folder = dir): Promise<Ran> =>
      ended(startTwmd(folder, args, { ...SECRETS, ...environment })),
    /** Reads the state file over a separate connection. */
    inspect: <T>(work: (db: Database) => T): T => inState(stateDb, work),
  }
}

export type Folder = Awaited<ReturnType<typeof preparedFolder>>

/** Resolves when the file exists, or when the process that should write it has ended. */
export async function created(file: string, maker: ChildProcess): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const check = (): void => {
    if (existsSync(file) || maker.exitCode !== null) resolve()
  }
  const watcher = watch(dirname(file), check)
  maker.once('exit', check)
  check()
  await promise
  watcher.close()
}

const PAGE = 4_096

/** Overwrites a file from a page of the database to the end. */
export function overwrite(path: string, page: number): void {
  const file = openSync(path, 'r+')
  const bytes = fstatSync(file).size - page * PAGE
  writeSync(file, Buffer.alloc(bytes, 'overwritten '), 0, bytes, page * PAGE)
  closeSync(file)
}

/** Fills a state file with numbered uses, and records more until `stop`. */
export async function busyState(stateDb: string, filled = 30_000, firstNumber = 0) {
  const control = openControl({ stateDb }, SECRETS)
  const { id: keyId, accountId } = control.db.prepare('SELECT id, account_id AS accountId FROM api_key').get() as {
    id: string
    accountId: string
  }
  let made = firstNumber
  const record = () =>
    control.ledger.record({
      requestId: `req_${String(made++).padStart(26, '0')}`,
      accountId,
      keyId,
      dataset: 'events',
      at: '2026-07-01T20:00:00.000+08:00',
      credits: 1,
      rows: 0,
    })
  await Promise.all(Array.from({ length: filled }, record))
  let stopped = false
  const writing = (async () => {
    while (!stopped) await record()
  })()
  return {
    made: () => made,
    async stop() {
      stopped = true
      await writing
      control.close()
    },
  }
}

export function inState<T>(stateDb: string, work: (db: Database) => T): T {
  const db = openState(stateDb)
  try {
    return work(db)
  } finally {
    db.close()
  }
}

/** Totals of the three usage tables, and the result of `quick_check`. */
export const accountsOf = (db: Database) => ({
  check: db.pragma('quick_check', { simple: true }),
  ...(db
    .prepare(
      `SELECT (SELECT count(*) FROM usage_ledger) AS ledger, (SELECT coalesce(sum(requests), 0) FROM usage_daily) AS daily,
         (SELECT coalesce(sum(requests), 0) FROM account_period) AS period, (SELECT coalesce(sum(credits), 0) FROM usage_ledger) AS credits,
         (SELECT coalesce(sum(credits), 0) FROM usage_daily) AS dailyCredits, (SELECT coalesce(sum(credits), 0) FROM account_period) AS periodCredits`,
    )
    .get() as Readonly<Record<'ledger' | 'daily' | 'period' | 'credits' | 'dailyCredits' | 'periodCredits', number>>),
})
