import type { ChildProcess } from 'node:child_process'
import { existsSync, watch } from 'node:fs'
import { dirname, join } from 'node:path'
import { loadCatalog } from '../../../catalog/index.ts'
import { openControl, readEmail } from '../../../src/accounts/index.ts'
import { type Database, openState } from '../../../src/accounts/state/db.ts'
import { ended, type Ran, startTwmd } from '../../fixtures/cli/twmd.ts'
import { dataFolder, openTestWorkspace, publishRows, SECRETS } from '../../support.ts'

export const FIRMS = '/v2/datasets/securities-firm-master'

/** A data folder as an operator leaves it, with no process on it: one release, a state file, and accounts on plan max with a key each. */
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
    /** Runs `twmd` on this folder, or another, with the secrets of its state file. */
    run: (args: readonly string[], environment: Readonly<Record<string, string>> = {}, folder = dir): Promise<Ran> =>
      ended(startTwmd(folder, args, { ...SECRETS, ...environment })),
    /** Reads the state file over a connection of its own. */
    inspect: <T>(work: (db: Database) => T): T => inState(stateDb, work),
  }
}

export type Folder = Awaited<ReturnType<typeof preparedFolder>>

/** Resolves once a file is there, or the process that would make it has ended. */
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

export function inState<T>(stateDb: string, work: (db: Database) => T): T {
  const db = openState(stateDb)
  try {
    return work(db)
  } finally {
    db.close()
  }
}

/** What the three tables of usage say together, and whether every page is intact. */
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
