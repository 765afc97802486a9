import type { Command } from 'commander'
import { calendarIsDue, publishCalendar } from '../../../ingest/calendar/index.ts'
import { openWorkspace } from '../../../ingest/publish/index.ts'
import { buildPortal } from '../../../portal/index.ts'
import { type Config, createLog, type Log, loadSecrets } from '../../core/index.ts'
import { startService } from '../../main.ts'
import { openIntake } from '../publish/intake.ts'
import { EXIT } from '../terminal.ts'
import { configured } from '../workspace.ts'
import { superviseCommand, type Worker } from './supervisor.ts'

export function serveCommand(program: Command, setExitCode: (code: number) => void): void {
  program
    .command('serve')
    .description('serve the data folder over HTTP')
    .action(async () => {
      const config = configured()
      const log = createLog(config.logLevel)
      const stop = stopSignal()
      await bringPages(log)
      const workers: Worker[] = []
      const parts = { config, secrets: loadSecrets(config), log, intake: openIntake(config) }
      const service = await startService({ ...parts, workers: () => workers.map(({ state }) => state()) })
      await bringCalendar(config, log)
      for (const command of commandsBeside(config)) workers.push(superviseCommand(command, log))
      // Stops the service and all workers concurrently, so that /readyz reports the stop
      // immediately.
      const stopAll = async (): Promise<void> => void (await Promise.all([service.stop(), ...workers.map(worker => worker.stop())]))
      await untilStopped(stopAll, stop, event => log(event))
      if (service.lostUses() > 0) setExitCode(EXIT.refused)
    })
}

const commandsBeside = ({ inbox, schedule }: Config): readonly (readonly [string, ...string[]])[] => [
  ...(inbox.isOn ? [['watch'] as const] : []),
  ...(schedule === null ? [] : [['schedule', ...schedule] as const]),
]

/**
 * Builds the portal if necessary. Logs a failure and continues, because the API works without the
 * portal.
 */
async function bringPages(log: Log): Promise<void> {
  try {
    if ((await buildPortal()) === 'no_tool') log('failed', { during: 'building the pages for browsers', error: 'vite is not installed' })
  } catch (error) {
    log('failed', { during: 'building the pages for browsers', error: String(error) })
  }
}

/**
 * Publishes the included calendar if there is none. Logs a failure and continues, because fixed
 * rules for weekends and holidays replace a missing calendar.
 */
async function bringCalendar({ dataDir, releasesDir }: Config, log: Log): Promise<void> {
  try {
    if (!(await calendarIsDue({ releases: releasesDir }))) return
    const workspace = await openWorkspace(dataDir)
    try {
      await publishCalendar(workspace)
    } finally {
      workspace.close()
    }
  } catch (error) {
    log('failed', { during: 'publishing the trading calendar', error: String(error) })
  }
}

/** Resolves on SIGTERM or SIGINT. A signal during the start stops the service after the start. */
export function stopSignal(): Promise<void> {
  return new Promise(resolve => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
  })
}

/** A second signal ends the process immediately. */
export async function untilStopped(
  stopAll: () => Promise<void>,
  stop: Promise<void>,
  report: (event: 'stopping' | 'stopped') => void,
): Promise<void> {
  await stop
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1))
  report('stopping')
  await stopAll()
  report('stopped')
}
