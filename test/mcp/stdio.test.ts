import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CLI, environment } from '../fixtures/cli/twmd.ts'
import { examples } from '../fixtures/publish/examples.ts'
import { dataFolder } from '../support.ts'

let folder: Awaited<ReturnType<typeof dataFolder>>
beforeAll(async () => {
  folder = await dataFolder()
  await cp(await examples(), folder.dir, { recursive: true })
})
afterAll(() => folder.remove())

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

/** Starts the command like a host and sends the messages. */
async function asked() {
  const child = spawn(process.execPath, [CLI, 'mcp'], { env: environment(folder.dir, { LOG_LEVEL: 'info' }), stdio: 'pipe' })
  let logged = ''
  child.stderr.on('data', bytes => (logged += bytes))
  for (const message of MESSAGES) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const answers = new Map<number, { readonly result: Record<string, never> }>()
  for await (const line of createInterface({ input: child.stdout, terminal: false })) {
    const { id, ...answer } = JSON.parse(line)
    answers.set(id, answer)
    if (answers.size === 3) break
  }
  return { child, answers, logged: () => logged }
}

it('twmd mcp writes messages to standard output and logs to standard error, and exits when its input ends', async () => {
  const { child, answers, logged } = await asked()
  expect(answers.get(1)?.result).toMatchObject({ protocolVersion: '2025-06-18', serverInfo: { name: 'twmd' } })
  expect(answers.get(2)?.result).toMatchObject({ structuredContent: { rows: [[15]], credits: 0 } })
  expect(answers.get(3)?.result).toMatchObject({ isError: true, structuredContent: { error: { did_you_mean: 'earnings' } } })
  child.stdin.end()
  expect((await once(child, 'exit'))[0]).toBe(0)
  const events = logged()
    .trim()
    .split('\n')
    .map(line => JSON.parse(line).event)
  expect(events).toEqual(expect.arrayContaining(['read', 'refused']))
})

it('twmd mcp exits with 0 at SIGTERM while its input is open', async () => {
  const { child } = await asked()
  child.kill('SIGTERM')
  expect((await once(child, 'exit'))[0]).toBe(0)
})
