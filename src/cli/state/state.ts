import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { erasuresPath, openControl } from '../../control/index.ts'
import { type Config, checkFolder, loadSecrets, newId } from '../../core/index.ts'
import {
  backupName,
  backupState,
  backupsIn,
  type DrillReport,
  drillBackup,
  inspectBackup,
  restoreState,
  type StateFacts,
} from '../../state/index.ts'
import { EXIT, print, printJson, say } from '../terminal.ts'
import { wholeNumber } from '../whole-number.ts'
import { configured } from '../workspace.ts'

export function stateCommands(program: Command, setExitCode: (code: number) => void): void {
  program
    .command('backup')
    .description('back up accounts, keys and usage while the service runs')
    .argument('<file>', 'new file, or a folder for dated backups; without secrets')
    .option('--keep <count>', 'with a folder: number of backups to keep', wholeNumber(1, 999_999))
    .option('--json', 'print one JSON document')
    .action(async (to: string, { keep, json }: { keep?: number; json?: true }) => {
      const isFolder = statSync(to, { throwIfNoEntry: false })?.isDirectory() ?? false
      if (keep !== undefined && !isFolder) throw new Error('--keep needs an existing folder instead of a file.')
      const file = isFolder ? join(to, backupName(new Date())) : to
      // Does not create the data folder, because DATA_DIR may be mistyped.
      const facts = await backupState(configured(process.env, checkFolder).stateDb, file)
      // Runs only after a successful backup, so that a failed backup deletes no file.
      if (keep !== undefined) for (const former of backupsIn(to).slice(0, -keep)) rmSync(former)
      printFacts(
        facts,
        json,
        `Backed up to ${file}. Store KEY_PEPPER and KEY_ENCRYPTION_KEY (or secrets.json) with it: keys do not work without them.`,
      )
    })
  program
    .command('restore')
    .description('check a backup and restore it')
    .argument('<file>', 'file written by twmd backup')
    .option('--verify', 'check the backup without restoring it')
    .option('--json', 'print one JSON document')
    .action(async (file: string, { verify, json }: { verify?: true; json?: true }) => {
      const config = configured()
      const { stateDb } = config
      const facts = await attempt(() => (verify ? inspectBackup(file) : restoreState(file, stateDb)))
      if (!facts) return setExitCode(EXIT.refused)
      if (!verify) eraseRestored(config)
      const former = existsSync(`${stateDb}.before-restore`) ? `; the previous state is in ${stateDb}.before-restore` : ''
      printFacts(facts, json, verify ? `${file} is intact.` : `Restored ${file}${former}.`)
    })
  program
    .command('drill')
    .description('test the newest backup and report what a restore would lose')
    .argument('<backup>', 'backup, or folder of backups')
    .option('--json', 'print one JSON document')
    .action(async (from: string, { json }: { json?: true }) => {
      const config = configured(process.env, checkFolder)
      const secrets = loadSecrets(config)
      const newest = statSync(from, { throwIfNoEntry: false })?.isDirectory() ? backupsIn(from).at(-1) : from
      if (newest === undefined) throw new Error(`No backup in ${from}. Create one with twmd backup ${from}.`)
      const drill = await attempt(() =>
        drillBackup(newest, { stateDb: config.stateDb, scratch: join(config.dataDir, 'tmp') }, restored =>
          openControl({ stateDb: restored }, secrets).close(),
        ),
      )
      if (drill) printDrill(drill, json)
      if (!drill || drill.faults.length > 0) setExitCode(EXIT.refused)
    })
}

/** A backup still contains accounts that were erased later. */
function eraseRestored(config: Config): void {
  if (!existsSync(erasuresPath(config.stateDb))) return
  const control = openControl(config, loadSecrets(config))
  const count = control.eraser.eraseRestored(newId('req'), new Date())
  control.close()
  if (count > 0)
    say(`Erased ${count === 1 ? '1 account' : `${count} accounts`} of the backup again, because erasures also apply to restored data.`)
}

function printDrill(drill: DrillReport, json: true | undefined): void {
  if (json) return printJson(drill)
  const { file, madeAt, backup, usesSince, accountsSince, keysSince, creditEntriesSince, faults } = drill
  print(
    `Test restore: ${file}, written ${madeAt}, was restored to a temporary copy and checked. The copy was deleted, and the state file was not changed.`,
  )
  print(
    `It has ${backup.accounts} accounts, ${backup.activeKeys} active keys and ${backup.ledgerRows} uses of ${backup.creditsUsed} credits.`,
  )
  print(`A restore now would lose ${usesSince} uses, ${accountsSince} accounts and ${keysSince} keys that were created after the backup.`)
  if (creditEntriesSince > 0) print(`It would also lose ${creditEntriesSince} grants or refunds of credits.`)
  for (const fault of faults) say(fault)
  print(faults.length === 0 ? 'The backup is good.' : 'The backup is not good. Create another one, and find the cause.')
}

function printFacts(facts: StateFacts, json: true | undefined, sentence: string): void {
  if (json) return printJson(facts)
  const { accounts, activeKeys, ledgerRows, creditsUsed } = facts
  print(`${sentence}\n${accounts} accounts, ${activeKeys} active keys, ${ledgerRows} ledger rows, ${creditsUsed} credits used.`)
}

/** Prints errors. Returns undefined after an error. */
async function attempt<T>(work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    say(error instanceof Error ? error.message : String(error))
    return undefined
  }
}
