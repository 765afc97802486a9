import { spawn } from 'node:child_process'
import { cp } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll } from 'vitest'
import { CLI, environment } from '../fixtures/cli/twmd.ts'
import { examples } from '../fixtures/publish/examples.ts'
import { dataFolder } from '../support.ts'

let folder: Awaited<ReturnType<typeof dataFolder>>

/** Prepares a data folder with example rows for the tests of a file. */
export function prepareFolder(): void {
  beforeAll(async () => {
    folder = await dataFolder()
    await cp(await examples(), folder.dir, { recursive: true })
  })
  afterAll(() => folder.remove())
}

const START = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'host', version: '1' } }
const MESSAGES = [
  { id: 1, method: 'initialize', params: START },
  { method: 'notifications/initialized' },
  {
    id: 2,
    method: 'tools/call',
    params: { name: 'get_rows', arguments: { dataset: 'earnings', columns: ['eps'], filters: { symbol: '2330' }, limit: 1 } },
  },
  { id: 3, method: 'tools/call', params: { name: 'get_rows', arguments: { dataset: 'earning', columns: ['eps'] } } },
]

/** Starts the command like a host does, and sends the messages. */
export async function startMcp() {
  const child = spawn(process.execPath, [CLI, 'mcp'], { env: environment(folder.dir, { LOG_LEVEL: 'info' }), stdio: 'pipe' })
  let logged = ''
  child.stderr.on('data', bytes => (logged += bytes))
  for (const message of MESSAGES) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const answers = new Map<number, { readonly result: Record<string, never> }>()
  for await (const message of createInterface({ input: child.stdout, terminal: false })) {
    const { id, ...answer } = JSON.parse(message)
    answers.set(id, answer)
    if (answers.size === 3) break
  }
  return { child, answers, logged: () => logged }
}
