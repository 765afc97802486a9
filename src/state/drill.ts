import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { taipei } from '../core/index.ts'
import { copyPrivately, inspectBackup } from './backup.ts'
import { findBookFaults } from './books.ts'
import { copyState, type Database, factsOf, openState, type StateFacts } from './db.ts'

/** Returns paths, oldest first. Ignores other files. */
export const backupsIn = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter(name => /^state-\d{8}T\d{6}Z\.sqlite$/.test(name))
    .sort()
    .map(name => join(folder, name))

/** The time is in UTC. */
export const backupName = (instant: Date): string => `state-${instant.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z.sqlite`

export interface DrillReport {
  readonly file: string
  /** RFC 3339 in Taipei. */
  readonly madeAt: string
  readonly backup: StateFacts
  readonly live: StateFacts
  readonly usesSince: number
  readonly accountsSince: number
  readonly keysSince: number
  /** Number of grants and refunds that a restore would lose. */
  readonly creditEntriesSince: number
  /** Problems that a restore would cause. Empty if there are none. */
  readonly faults: readonly string[]
}

export interface DrillFolders {
  readonly stateDb: string
  /**
   * Folder for two copies of the state file. Twice the size of the backup and the state file must
   * be free. After a kill, the copies remain and can be deleted.
   */
  readonly scratch: string
}

/** Rows that are never deleted. The live file must contain all rows of the backup. */
const COMPARED = [
  { what: 'accounts', table: 'account', column: 'id' },
  { what: 'keys', table: 'api_key', column: 'id' },
  { what: 'uses', table: 'usage_ledger', column: 'request_id' },
  { what: 'credit entries', table: 'credit_entry', column: 'id' },
] as const

/** Maximum time between a use and the commit of the use. Only older uses must be in the backup. */
const COMMIT_DELAY_MS = 60_000

/**
 * Restores a backup in a temporary folder, and compares the copy with the live file.
 *
 * @param open function that opens the restored file as a service does
 * @throws Error if the backup is damaged, or if there is no live state file
 */
export async function drillBackup(
  file: string,
  { stateDb, scratch }: DrillFolders,
  open: (restored: string) => void,
): Promise<DrillReport> {
  inspectBackup(file)
  const madeAt = statSync(file).mtime
  mkdirSync(scratch, { recursive: true })
  const folder = mkdtempSync(join(scratch, 'drill-'))
  try {
    const restored = join(folder, 'restored.sqlite')
    const live = join(folder, 'live.sqlite')
    await copyPrivately(file, restored)
    const faults = findOpenFault(open, restored)
    await copyState(stateDb, live)
    const facts = readFacts(openState(live))
    const db = openState(restored)
    try {
      db.prepare('ATTACH ? AS live').run(live)
      return { file, madeAt: taipei(madeAt), backup: factsOf(db), live: facts, ...compareStates(db, madeAt, faults) }
    } finally {
      db.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function findOpenFault(open: (restored: string) => void, restored: string): readonly string[] {
  try {
    open(restored)
    return []
  } catch (error) {
    return [`A service cannot start with the backup: ${error instanceof Error ? error.message : String(error)}`]
  }
}

/** @param db the restored backup. The live file is attached as `live` */
function compareStates(db: Database, madeAt: Date, openFaults: readonly string[]) {
  const faults = [...openFaults]
  const count = (sql: string): number => db.prepare<[], { n: number }>(`SELECT count(*) AS n FROM (${sql})`).get()!.n
  const countMissing = (schema: string, otherSchema: string, { table, column }: (typeof COMPARED)[number]): number =>
    count(`SELECT ${column} FROM ${schema}.${table} EXCEPT SELECT ${column} FROM ${otherSchema}.${table}`)
  for (const compared of COMPARED) {
    const missing = countMissing('main', 'live', compared)
    if (missing > 0)
      faults.push(
        `${missing} ${compared.what} of the backup are not in the current state file. The backup belongs to another state file, or the current one lost them.`,
      )
  }
  const [accountsSince, keysSince, usesSince, creditEntriesSince] = COMPARED.map(each => countMissing('live', 'main', each)) as [
    number,
    number,
    number,
    number,
  ]
  const sumUses = (schema: string, until: string) =>
    db
      .prepare<[string], { n: number; credits: number }>(
        `SELECT count(*) AS n, coalesce(sum(credits), 0) AS credits FROM ${schema}.usage_ledger WHERE at <= ?`,
      )
      .get(until)!
  const committedUntil = taipei(new Date(madeAt.getTime() - COMMIT_DELAY_MS))
  const inBackup = sumUses('main', committedUntil)
  const inLive = sumUses('live', committedUntil)
  if (inBackup.n !== inLive.n || inBackup.credits !== inLive.credits)
    faults.push(
      `Up to ${committedUntil}, the backup has ${inBackup.n} uses (${inBackup.credits} credits), but the current state file has ${inLive.n} (${inLive.credits} credits).`,
    )
  faults.push(...findBookFaults(db))
  return { usesSince, accountsSince, keysSince, creditEntriesSince, faults }
}

function readFacts(db: Database): StateFacts {
  try {
    return factsOf(db)
  } finally {
    db.close()
  }
}
