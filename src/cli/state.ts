import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { backupState, inspectBackup, restoreState, type StateFacts } from '../accounts/index.ts'
import { checkFolder } from '../core/index.ts'
import { EXIT, printJson } from './terminal.ts'
import { configured } from './workspace.ts'

/** `twmd backup` and `twmd restore`: the state file, copied while it is served and put back when it is not. */
export function stateCommands(program: Command, setExitCode: (code: number) => void): void {
  program
    .command('backup')
    .description('copy accounts, keys and usage into a file while the service runs')
    .argument('<file>', 'new file; the secrets it needs are not in it')
    .option('--json', 'print one JSON document')
    .action(async (file: string, { json }: { json?: true }) => {
      // Creates nothing: a mistyped DATA_DIR must not leave a folder behind.
      const facts = await backupState(configured(process.env, checkFolder).stateDb, file)
      printFacts(
        facts,
        json,
        `Backed up to ${file}. Keep KEY_PEPPER and KEY_ENCRYPTION_KEY (or secrets.json) with it: keys do not work without them.`,
      )
    })
  program
    .command('restore')
    .description('check a backup and put it in the place of the state file')
    .argument('<file>', 'a backup made by twmd backup')
    .option('--verify', 'only check it; change nothing')
    .option('--json', 'print one JSON document')
    .action(async (file: string, { verify, json }: { verify?: true; json?: true }) => {
      const { stateDb } = configured()
      const facts = await attempt(() => (verify ? inspectBackup(file) : restoreState(file, stateDb)))
      if (!facts) return setExitCode(EXIT.refused)
      const former = existsSync(`${stateDb}.before-restore`) ? `; the former state is kept as ${stateDb}.before-restore` : ''
      printFacts(facts, json, verify ? `${file} is whole.` : `Restored ${file}${former}.`)
    })
}

function printFacts(facts: StateFacts, json: true | undefined, sentence: string): void {
  if (json) return printJson(facts)
  const { accounts, activeKeys, ledgerRows, creditsUsed } = facts
  console.log(`${sentence}\n${accounts} accounts, ${activeKeys} active keys, ${ledgerRows} ledger rows, ${creditsUsed} credits used.`)
}

/** The result of the work, or undefined after printing its error. */
async function attempt<T>(work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error))
    return undefined
  }
}
