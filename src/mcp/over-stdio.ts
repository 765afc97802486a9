import type { Refusal } from '../core/index.ts'
import { createServer, loadProtocol, type Report } from './protocol.ts'
import type { Tool, ToolCall } from './tool.ts'

export interface StdioDeps {
  readonly tools: readonly Tool[]
  readonly callOf: () => ToolCall
  readonly asRefusal: (error: unknown) => Refusal
  readonly report: Report
}

/**
 * Serves tools on standard input and output. Nothing else may write to standard output.
 *
 * @param stop promise whose resolution ends the server
 */
export async function serveOverStdio(deps: StdioDeps, stop: Promise<void>): Promise<void> {
  const protocol = await loadProtocol()
  const { serveStdio, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio')
  const transport = new StdioServerTransport()
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  process.stdin.once('close', resolve)
  process.stdin.once('end', resolve)
  const handle = serveStdio(() => createServer(protocol, deps), { transport, maxSubscriptions: 0 })
  await Promise.race([closed, stop])
  await handle.close()
  process.stdin.destroy()
}
