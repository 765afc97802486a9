import type { Command } from 'commander'
import { createLog, loadSecrets } from '../core/index.ts'
import { type Service, startService } from '../main.ts'
import { configured } from './workspace.ts'

/** `twmd serve`: the API over the data folder, until a signal stops it. */
export function serveCommand(program: Command): void {
  program
    .command('serve')
    .description('serve the data folder over HTTP (PORT, HOST and DATA_DIR from the environment)')
    .action(async () => {
      const config = configured()
      const log = createLog(config.logLevel)
      const stop = stopSignal()
      const service = await startService({ config, secrets: loadSecrets(config), log })
      await untilStopped(service, stop, event => log(event))
    })
}

/** Resolves on SIGTERM or SIGINT. Listens from the moment it is called, so that a signal during the start stops the service right after it. */
export function stopSignal(): Promise<void> {
  return new Promise(resolve => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
  })
}

/** Waits for the signal, then lets running requests finish. A second signal ends the process immediately. */
export async function untilStopped(service: Service, stop: Promise<void>, report: (event: 'stopping' | 'stopped') => void): Promise<void> {
  await stop
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1))
  report('stopping')
  await service.stop()
  report('stopped')
}
