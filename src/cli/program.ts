import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { Refusal } from '../core/index.ts'
import { failureReason, isEngineError } from '../engine/index.ts'
import { completionCommand } from './completion.ts'
import { translateHelp, wantsChinese } from './help-zh.ts'
import { checkCommand } from './publish/check.ts'
import { fetchCommand } from './publish/fetch.ts'
import { ingestCommand } from './publish/ingest.ts'
import { publishCommand } from './publish/publish.ts'
import { quarantineCommand } from './publish/quarantine.ts'
import { releasesCommand } from './publish/releases.ts'
import { scheduleCommand } from './publish/schedule.ts'
import { schemaCommand } from './publish/schema.ts'
import { tablesCommand } from './publish/tables.ts'
import { watchCommand } from './publish/watch.ts'
import { loginCommands } from './read/login.ts'
import { pullCommand } from './read/pull.ts'
import { queryCommand } from './read/query.ts'
import { readCommand } from './read/read.ts'
import { searchCommand } from './read/search.ts'
import { tailCommand } from './read/tail.ts'
import { demoCommand } from './serve/demo.ts'
import { doctorCommand } from './serve/doctor.ts'
import { mcpCommand } from './serve/mcp.ts'
import { serveCommand } from './serve/serve.ts'
import { accountsCommand } from './state/accounts.ts'
import { auditCommand } from './state/audit.ts'
import { billingCommand } from './state/billing.ts'
import { creditsCommand } from './state/credits.ts'
import { keysCommand } from './state/keys.ts'
import { stateCommands } from './state/state.ts'
import { webhooksCommand } from './state/webhooks.ts'
import { EXIT, say } from './terminal.ts'

const { version: VERSION } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string
}

type AddCommand = (program: Command, setExitCode: (code: number) => void) => void | Promise<void>

const COMMANDS: readonly AddCommand[] = [
  serveCommand,
  demoCommand,
  readCommand,
  queryCommand,
  searchCommand,
  tailCommand,
  loginCommands,
  publishCommand,
  checkCommand,
  ingestCommand,
  fetchCommand,
  scheduleCommand,
  watchCommand,
  quarantineCommand,
  mcpCommand,
  schemaCommand,
  releasesCommand,
  pullCommand,
  tablesCommand,
  accountsCommand,
  keysCommand,
  creditsCommand,
  auditCommand,
  stateCommands,
  doctorCommand,
  billingCommand,
  webhooksCommand,
  completionCommand,
]

/** Builds all commands. @param setExitCode called with exit codes other than 0 */
export async function buildProgram(setExitCode: (code: number) => void): Promise<Command> {
  const program = new Command('twmd')
    .description('Taiwan market data, served: read data, publish releases, ingest exchange files, run the API.')
    .version(VERSION, '-V, --version', 'print the version')
  for (const add of COMMANDS) await add(program, setExitCode)
  return program
}

/** Runs `twmd`. @returns the exit code: 0 done, 1 refused, 2 wrong usage */
export async function main(argv: readonly string[]): Promise<number> {
  let exit: number = EXIT.done
  try {
    const program = await buildProgram(code => {
      exit = code
    })
    quiet(program)
    if (wantsChinese(process.env)) translateHelp(program)
    await program.parseAsync([...argv], { from: 'user' })
    return exit
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.misused
    say(sentenceOf(error))
    if (isEngineError(error) && process.env['LOG_LEVEL'] === 'debug') say(String((error as Error).stack))
    return error instanceof Refusal || isFault(error) ? EXIT.refused : EXIT.misused
  }
}

/** True for a failure of the machine, such as a full disk. False for wrong usage. */
const isFault = (error: unknown): boolean =>
  !(error instanceof Error) || error.name !== 'Error' || (error as NodeJS.ErrnoException).code !== undefined || isEngineError(error)

const sentenceOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (isEngineError(error)) return `Failed: ${failureReason(error)}. Served data is unchanged; LOG_LEVEL=debug prints details.`
  return error instanceof Refusal || !isFault(error) ? error.message : `Failed: ${error.message.split('\n')[0]}`
}

/** Makes Commander throw instead of exiting, so that `main` chooses the exit code. */
function quiet(command: Command): void {
  command.exitOverride().showHelpAfterError('Use --help for usage.')
  command.commands.forEach(quiet)
}
