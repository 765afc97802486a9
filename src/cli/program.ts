import { Command, CommanderError } from 'commander'
import { Refusal } from '../core/index.ts'
import { billingCommand } from './billing.ts'
import { checkCommand } from './check.ts'
import { demoCommand } from './demo.ts'
import { doctorCommand } from './doctor.ts'
import { fetchCommand } from './fetch.ts'
import { ingestCommand } from './ingest.ts'
import { keysCommand } from './keys.ts'
import { loginCommands } from './login.ts'
import { mcpCommand } from './mcp.ts'
import { publishCommand } from './publish.ts'
import { pullCommand } from './pull.ts'
import { quarantineCommand } from './quarantine.ts'
import { queryCommand } from './query.ts'
import { readCommand } from './read.ts'
import { releasesCommand } from './releases.ts'
import { scheduleCommand } from './schedule.ts'
import { schemaCommand } from './schema.ts'
import { searchCommand } from './search.ts'
import { serveCommand } from './serve.ts'
import { stateCommands } from './state.ts'
import { tablesCommand } from './tables.ts'
import { tailCommand } from './tail.ts'
import { EXIT, say } from './terminal.ts'
import { watchCommand } from './watch.ts'
import { webhooksCommand } from './webhooks.ts'

/** The `twmd` command. @returns the exit code: 0 done, 1 refused, 2 misused */
export async function main(argv: readonly string[]): Promise<number> {
  let exit: number = EXIT.done
  const program = new Command('twmd').description(
    'Taiwan market data, served: read data, publish releases, ingest exchange files, run the API.',
  )
  const setExitCode = (code: number): void => {
    exit = code
  }
  try {
    for (const add of [
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
      keysCommand,
      stateCommands,
      doctorCommand,
      billingCommand,
      webhooksCommand,
    ])
      await add(program, setExitCode)
    quiet(program)
    await program.parseAsync([...argv], { from: 'user' })
    return exit
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.misused
    say(sentenceOf(error))
    return error instanceof Refusal || isFault(error) ? EXIT.refused : EXIT.misused
  }
}

/** True for a failure of the machine (no space, no permission, a damaged file), false for a misused command. */
const isFault = (error: unknown): boolean =>
  !(error instanceof Error) || error.name !== 'Error' || (error as NodeJS.ErrnoException).code !== undefined

const sentenceOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error instanceof Refusal || !isFault(error) ? error.message : `Failed: ${error.message.split('\n')[0]}`
}

/** Commander would end the process itself; a thrown error lets `main` choose the exit code. */
function quiet(command: Command): void {
  command.exitOverride().showHelpAfterError('Add --help to see what is accepted.')
  command.commands.forEach(quiet)
}
