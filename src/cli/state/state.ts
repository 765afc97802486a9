import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { openControl } from '../../control/index.ts'
import { checkFolder, loadSecrets } from '../../core/index.ts'
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
import { configured } from '../workspace.ts'

/** `twmd backup`, `twmd restore` and `twmd drill`: the state file, copied while it is served, put back when it is not, and tried meanwhile. */
export function stateCommands(program: Command, setExitCode: (code: number) => void): void {
  program
    .command('backup')
    .description('back up accounts, keys and usage while the service runs')
    .argument('<file>', 'new file, or a folder for dated backups; without secrets')
    .option('--keep <count>', 'with a folder: number of backups to keep', wholeNumber)
    .option('--json', 'print one JSON document')
    .action(async (to: string, { keep, json }: { keep?: number; json?: true }) => {
      const isFolder = statSync(to, { throwIfNoEntry: false })?.isDirectory() ?? false
      if (keep !== undefined && !isFolder) throw new Error('--keep goes with a folder that is there; name one instead of a file.')
      const file = isFolder ? join(to, backupName(new Date())) : to
      // Creates nothing: a mistyped DATA_DIR must not leave a folder behind.
      const facts = await backupState(configured(process.env, checkFolder).stateDb, file)
      // After the new one is on the disk: a backup that fails removes none.
      if (keep !== undefined) for (const former of backupsIn(to).slice(0, -keep)) rmSync(former)
      printFacts(
        facts,
        json,
        `Backed up to ${file}. Keep KEY_PEPPER and KEY_ENCRYPTION_KEY (or secrets.json) with it: keys do not work without them.`,
      )
    })
  program
    .command('restore')
    .description('check a backup and restore it')
    .argument('<file>', 'backup of twmd backup')
    .option('--verify', 'only check')
    .option('--json', 'print one JSON document')
    .action(async (file: string, { verify, json }: { verify?: true; json?: true }) => {
      const { stateDb } = configured()
      const facts = await attempt(() => (verify ? inspectBackup(file) : restoreState(file, stateDb)))
      if (!facts) return setExitCode(EXIT.refused)
      const former = existsSync(`${stateDb}.before-restore`) ? `; the former state is kept as ${stateDb}.before-restore` : ''
      printFacts(facts, json, verify ? `${file} is whole.` : `Restored ${file}${former}.`)
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
      if (newest === undefined) throw new Error(`There is no backup in ${from}; make one with twmd backup ${from}.`)
      const drill = await attempt(() =>
        drillBackup(newest, { stateDb: config.stateDb, scratch: join(config.dataDir, 'tmp') }, restored =>
          openControl({ stateDb: restored }, secrets).close(),
        ),
      )
      if (drill) printDrill(drill, json)
      if (!drill || drill.faults.length > 0) setExitCode(EXIT.refused)
    })
}

/** @throws Error where it is no whole number above 0 */
function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('It is a whole number above 0.')
  return Number(text)
}

function printDrill(drill: DrillReport, json: true | undefined): void {
  if (json) return printJson(drill)
  const { file, madeAt, backup, usesSince, accountsSince, keysSince, creditEntriesSince, faults } = drill
  print(`${file}, written ${madeAt}, was put back beside the state file and opened.`)
  print(
    `It holds ${backup.accounts} accounts, ${backup.activeKeys} active keys and ${backup.ledgerRows} uses of ${backup.creditsUsed} credits.`,
  )
  print(`Restored now, it would lose ${usesSince} uses, ${accountsSince} accounts and ${keysSince} keys that came since.`)
  if (creditEntriesSince > 0) print(`It would also lose ${creditEntriesSince} grants or refunds of credits.`)
  for (const fault of faults) say(fault)
  print(faults.length === 0 ? 'The backup is good.' : 'The backup is not good: make another one, and find out why.')
}

function printFacts(facts: StateFacts, json: true | undefined, sentence: string): void {
  if (json) return printJson(facts)
  const { accounts, activeKeys, ledgerRows, creditsUsed } = facts
  print(`${sentence}\n${accounts} accounts, ${activeKeys} active keys, ${ledgerRows} ledger rows, ${creditsUsed} credits used.`)
}

/** The result of the work, or undefined after printing its error. */
async function attempt<T>(work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    say(error instanceof Error ? error.message : String(error))
    return undefined
  }
}
