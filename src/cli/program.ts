import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { Refusal } from '../core/index.ts'
import { translateHelp, wantsChinese } from './help-zh.ts'
import { EXIT, say } from './terminal.ts'

const { version: VERSION } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string
}

type AddCommand = (program: Command, setExitCode: (code: number) => void) => void | Promise<void>

/**
 * In the order of the help. Modules are loaded on demand, because loading all takes longer than a
 * short command.
 */
const COMMANDS: readonly (readonly [names: readonly string[], load: () => Promise<AddCommand>])[] = [
  [['serve'], async () => (await import('./serve/serve.ts')).serveCommand],
  [['demo'], async () => (await import('./serve/demo.ts')).demoCommand],
  [['read'], async () => (await import('./read/read.ts')).readCommand],
  [['query'], async () => (await import('./read/query.ts')).queryCommand],
  [['sql'], async () => (await import('./read/sql.ts')).sqlCommand],
  [['search'], async () => (await import('./read/search.ts')).searchCommand],
  [['tail'], async () => (await import('./read/tail.ts')).tailCommand],
  [['login', 'logout'], async () => (await import('./read/login.ts')).loginCommands],
  [['publish'], async () => (await import('./publish/publish.ts')).publishCommand],
  [['check'], async () => (await import('./publish/check.ts')).checkCommand],
  [['ingest'], async () => (await import('./publish/ingest.ts')).ingestCommand],
  [['fetch'], async () => (await import('./publish/fetch.ts')).fetchCommand],
  [['schedule'], async () => (await import('./publish/schedule.ts')).scheduleCommand],
  [['watch'], async () => (await import('./publish/watch.ts')).watchCommand],
  [['quarantine'], async () => (await import('./publish/quarantine.ts')).quarantineCommand],
  [['mcp'], async () => (await import('./serve/mcp.ts')).mcpCommand],
  [['schema'], async () => (await import('./publish/schema.ts')).schemaCommand],
  [['releases'], async () => (await import('./publish/releases.ts')).releasesCommand],
  [['pull'], async () => (await import('./read/pull.ts')).pullCommand],
  [['tables'], async () => (await import('./publish/tables.ts')).tablesCommand],
  [['accounts'], async () => (await import('./state/accounts.ts')).accountsCommand],
  [['keys'], async () => (await import('./state/keys.ts')).keysCommand],
  [['credits'], async () => (await import('./state/credits.ts')).creditsCommand],
  [['audit'], async () => (await import('./state/audit.ts')).auditCommand],
  [['backup', 'restore', 'drill'], async () => (await import('./state/state.ts')).stateCommands],
  [['doctor'], async () => (await import('./serve/doctor.ts')).doctorCommand],
  [['billing'], async () => (await import('./state/billing.ts')).billingCommand],
  [['webhooks'], async () => (await import('./state/webhooks.ts')).webhooksCommand],
  [['completion'], async () => (await import('./completion.ts')).completionCommand],
]

/**
 * Loads only the module of the first argument, or all modules if the argument is not a command.
 * Loading all modules takes most of the time of a short command.
 *
 * @param setExitCode called with a code other than 0
 */
export async function buildProgram(first: string | undefined, setExitCode: (code: number) => void): Promise<Command> {
  const program = new Command('twmd')
    .description('Taiwan market data service: read data, publish releases, ingest exchange files, run the API.')
    .version(VERSION, '-V, --version', 'print the version')
  for (const load of loadersFor(first)) {
    const add = await load()
    await add(program, setExitCode)
  }
  return program
}

function loadersFor(first = ''): readonly (() => Promise<AddCommand>)[] {
  if (first === '-V' || first === '--version') return []
  // A completion script lists all commands.
  const named = first === 'completion' ? [] : COMMANDS.filter(([names]) => names.includes(first))
  return (named.length > 0 ? named : COMMANDS).map(([, load]) => load)
}

/** @returns the exit code: 0 for success, 1 if the request was refused, 2 for wrong usage */
export async function main(argv: readonly string[]): Promise<number> {
  let exit: number = EXIT.done
  try {
    const program = await buildProgram(argv[0], code => {
      exit = code
    })
    quiet(program)
    if (wantsChinese(process.env)) translateHelp(program)
    await program.parseAsync([...argv], { from: 'user' })
    return exit
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.misused
    return report(error)
  }
}

/** @returns the exit code */
async function report(error: unknown): Promise<number> {
  if (error instanceof Refusal) {
    say(error.message)
    return EXIT.refused
  }
  // Importing the engine takes time, and most commands do not need it.
  const { failureReason, isEngineError } = await import('../engine/index.ts')
  if (isEngineError(error)) {
    say(`Failed: ${failureReason(error)}. Served data is unchanged; LOG_LEVEL=debug prints details.`)
    if (process.env['LOG_LEVEL'] === 'debug') say(String((error as Error).stack))
    return EXIT.refused
  }
  const failure = error instanceof Error ? error : new Error(String(error))
  if (!isFault(failure)) {
    say(failure.message)
    return EXIT.misused
  }
  say(`Failed: ${failure.message.split('\n')[0]}`)
  return EXIT.refused
}

/** True for a failure of the machine, such as a full disk. False for wrong usage. */
const isFault = (error: Error): boolean => error.name !== 'Error' || (error as NodeJS.ErrnoException).code !== undefined

/** Makes Commander throw errors instead of exiting. */
function quiet(command: Command): void {
  command.exitOverride().showHelpAfterError('Use --help for usage.')
  command.commands.forEach(quiet)
}
