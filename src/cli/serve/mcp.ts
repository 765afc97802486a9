import type { Command } from 'commander'
import { createLog, newId, Refusal, stopwatch } from '../../core/index.ts'
import { isStorageFault } from '../../engine/index.ts'
import { openDataFolder } from '../../main.ts'
import { createAgentTools, serveOverStdio, type ToolCall } from '../../mcp/index.ts'
import { configured } from '../workspace.ts'
import { stopSignal } from './serve.ts'

/** An agent's host program starts this command. */
export function mcpCommand(program: Command): void {
  program
    .command('mcp')
    .description('serve the data folder over MCP on stdin and stdout; no key')
    .action(async () => {
      const config = configured()
      const log = createLog(config.logLevel, process.stderr)
      const stop = stopSignal()
      const { reader, close, ...folder } = await openDataFolder({ config, log })
      try {
        await serveTo(reader, folder, stop)
      } finally {
        await close()
      }
    })
}

type Folder = Awaited<ReturnType<typeof openDataFolder>>

async function serveTo(caller: Folder['reader'], folder: Omit<Folder, 'reader' | 'close'>, stop: Promise<void>): Promise<void> {
  const { log } = folder
  const deps: Parameters<typeof serveOverStdio>[0] = {
    tools: createAgentTools({ ...folder, served: null }),
    callOf: (): ToolCall => ({ caller, requestId: newId('req'), isDisconnected: () => false, time: stopwatch(), language: 'en' }),
    asRefusal: error => new Refusal(isStorageFault(error) ? 'integrity' : 'internal'),
    report({ code, status }, error, tool) {
      if (status >= 500) log('failed', { tool, code, error: String(error) })
      else log('refused', { tool, status, code })
    },
  }
  await serveOverStdio(deps, stop)
}
