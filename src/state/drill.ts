import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { taipei } from '../core/index.ts'
import { copyAlone, inspectBackup } from './backup.ts'
import { copyState, type Database, factsOf, openState, type StateFacts } from './db.ts'

/** Backups of a folder that `twmd backup <folder>` named, oldest first: their names are the times they were made at, in UTC. */
export const backupsIn = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter(name => /^state-\d{8}T\d{6}Z\.sqlite$/.test(name))
    .sort()
    .map(name => join(folder, name))

/** Name of a backup that is made at a moment. */
export const backupName = (at: Date): string => `state-${at.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z.sqlite`

/** What a backup came to when it was put back beside the state file. */
export interface Drill {
  readonly file: string
  /** When the file was written, RFC 3339 in Taipei. */
  readonly madeAt: string
  readonly backup: StateFacts
  readonly live: StateFacts
  /** Uses in the live state that are newer than the newest of the backup: what a restore would lose by now. */
  readonly usesSince: number
  readonly accountsSince: number
  readonly keysSince: number
  /** What a restore of it would get wrong, in sentences; none where the backup is good. */
  readonly faults: readonly string[]
}

export interface DrillFolders {
  readonly stateDb: string
  /** Where there is room for both files twice; what a killed drill leaves there is anybody's to remove. */
  readonly work: string
}

/** What of a backup must be in the live state, too: nothing of it is ever deleted. */
const COMPARED = [
  { what: 'accounts', table: 'account', column: 'id' },
  { what: 'keys', table: 'api_key', column: 'id' },
  { what: 'uses', table: 'usage_ledger', column: 'request_id' },
] as const

/**
 * Credits in the ledger, by day and by month. An account opened again begins its first month with what closed accounts were charged in it:
 * that stands in both, and counts once here.
 */
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

/** Later uses may be committed a little before earlier ones; what is older than this at the moment of a backup is in it. */
const SETTLED_MS = 60_000

/**
 * Puts a backup back beside the live state file, brings its schema up to date and compares the two. The live file is read only, and what
 * was put back is removed again.
 *
 * @param open opens the restored file as a service does: it throws where the secrets at hand are not those of the backup
 * @throws Error when the backup is damaged, or there is no state file to compare it with
 */
export async function drillBackup(file: string, { stateDb, work }: DrillFolders, open: (restored: string) => void): Promise<Drill> {
  inspectBackup(file)
  const madeAt = statSync(file).mtime
  mkdirSync(work, { recursive: true })
  const folder = mkdtempSync(join(work, 'drill-'))
  try {
    const [restored, now] = [join(folder, 'restored.sqlite'), join(folder, 'live.sqlite')]
    await copyAlone(file, restored)
    const faults = openFault(open, restored)
    await copyState(stateDb, now)
    // Its schema is brought up to date, as that of the restored one was.
    const liveFacts = closedFacts(openState(now))
    const db = openState(restored)
    try {
      db.prepare('ATTACH ? AS live').run(now)
      return { file, madeAt: taipei(madeAt), backup: factsOf(db), live: liveFacts, ...compared(db, madeAt, faults) }
    } finally {
      db.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function openFault(open: (restored: string) => void, restored: string): readonly string[] {
  try {
    open(restored)
    return []
  } catch (error) {
    return [`A service does not start on it: ${error instanceof Error ? error.message : String(error)}`]
  }
}

/** @param db a restored backup, with the live state attached as `live` */
function compared(db: Database, madeAt: Date, found: readonly string[]) {
  const faults = [...found]
  const count = (sql: string): number => db.prepare<[], { n: number }>(`SELECT count(*) AS n FROM (${sql})`).get()!.n
  const lacking = (one: string, other: string, { table, column }: (typeof COMPARED)[number]): number =>
    count(`SELECT ${column} FROM ${one}.${table} EXCEPT SELECT ${column} FROM ${other}.${table}`)
  for (const each of COMPARED) {
    const strange = lacking('main', 'live', each)
    if (strange > 0)
      faults.push(`${strange} ${each.what} of the backup are not in the live state: it is of another one, or the live one lost them.`)
  }
  const [accountsSince, keysSince, usesSince] = COMPARED.map(each => lacking('live', 'main', each)) as [number, number, number]
  const uses = (of: string, until: string) =>
    db
      .prepare<[string], { n: number; credits: number }>(
        `SELECT count(*) AS n, coalesce(sum(credits), 0) AS credits FROM ${of}.usage_ledger WHERE at <= ?`,
      )
      .get(until)!
  const settled = taipei(new Date(madeAt.getTime() - SETTLED_MS))
  const [had, has] = [uses('main', settled), uses('live', settled)]
  if (had.n !== has.n || had.credits !== has.credits)
    faults.push(`Up to ${settled} the backup has ${had.n} uses of ${had.credits} credits, the live state ${has.n} of ${has.credits}.`)
  const { ledger, daily, period } = db.prepare<[], Readonly<Record<'ledger' | 'daily' | 'period', number>>>(SUMS).get()!
  if (ledger !== daily || ledger !== period)
    faults.push(`Credits do not add up in the backup: ${ledger} in its ledger, ${daily} by day, ${period} by month.`)
  return { usesSince, accountsSince, keysSince, faults }
}

function closedFacts(db: Database): StateFacts {
  try {
    return factsOf(db)
  } finally {
    db.close()
  }
}
