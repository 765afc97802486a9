import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { supervise, type Worker } from '../../src/cli/supervisor.ts'
import { isAlive } from '../../src/core/index.ts'
import { CHECKOUT, CLI, environment } from '../fixtures/cli/twmd.ts'

let folder: string
let worker: Worker | undefined
const lines: (readonly [string, Readonly<Record<string, unknown>>])[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'twmd-supervisor-'))
  lines.length = 0
})
afterEach(async () => {
  await worker?.stop()
  worker = undefined
  rmSync(folder, { recursive: true, force: true })
})

/** Runs a program under supervision. */
function run(program: string, options: { readonly graceMs?: number } = {}): Worker {
  const file = join(folder, 'program.mjs')
  const imports = `import { appendFileSync } from 'node:fs'\nimport { supervised } from ${JSON.stringify(join(CHECKOUT, 'src/cli/supervisor.ts'))}\n`
  writeFileSync(
    file,
    `${imports}const ran = ${JSON.stringify(join(folder, 'ran'))}\nappendFileSync(ran, process.pid + '\\n')\n${program}\n`,
  )
  worker = supervise({
    name: 'program',
    argv: [file],
    log: (event, facts = {}) => void lines.push([event, facts]),
    firstWaitMs: 20,
    ...options,
  })
  return worker
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(10)
}

const pids = (): readonly number[] => readFileSync(join(folder, 'ran'), 'utf8').trim().split('\n').map(Number)

const STAYS = `const channel = supervised(); channel.log('stopping', { hello: 1 }); process.once('SIGTERM', channel.close); channel.ended.then(() => process.exit(0))`

it('a process that ends is started again after a wait that doubles, and the log and the state say why it ended', async () => {
  const { state } = run(`console.error('first line'); console.error('The folder is gone.'); process.exit(3)`)
  await until(() => lines.length >= 3)
  expect(lines.slice(0, 3)).toEqual(
    [20, 40, 80].map(again_in_ms => ['failed', { during: 'twmd program', error: 'The folder is gone.', again_in_ms }]),
  )
  expect(state()).toMatchObject({ name: 'program', lastFailure: { message: 'The folder is gone.' } })
  expect(state().restarts).toBeGreaterThanOrEqual(2)
})

it('one that is killed is started again', async () => {
  const { state } = run(STAYS)
  await until(() => lines.length === 1)
  process.kill(pids()[0]!, 'SIGKILL')
  await until(() => lines.length === 3)
  expect(lines[1]).toEqual(['failed', { during: 'twmd program', error: 'It was ended by SIGKILL.', again_in_ms: 20 }])
  expect(state()).toMatchObject({ running: true, restarts: 1 })
})

it('its lines come into the log of the service, and a stop lets it end by itself', async () => {
  const { state, stop } = run(STAYS)
  await until(() => lines.length > 0)
  expect(lines).toEqual([['stopping', { hello: 1 }]])
  await stop()
  expect(state()).toMatchObject({ running: false, restarts: 0, lastFailure: null })
  expect(lines).toHaveLength(1)
})

it('one that does not stop is ended, and not started again', async () => {
  const { state, stop } = run(`${STAYS}; process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); channel.close = () => {}`, {
    graceMs: 200,
  })
  await until(() => lines.length > 0)
  await stop()
  expect(isAlive(pids()[0]!)).toBe(false)
  expect(state()).toMatchObject({ running: false, restarts: 0 })
})

it('it stops by itself when the service is killed', async () => {
  const inner = join(folder, 'inner.mjs')
  const supervisor = JSON.stringify(join(CHECKOUT, 'src/cli/supervisor.ts'))
  writeFileSync(
    inner,
    `import { supervised } from ${supervisor}\nconst channel = supervised(); channel.log('stopping', { pid: process.pid }); await channel.ended`,
  )
  const outer = `import(${supervisor}).then(({ supervise }) => supervise({ name: 'inner', argv: [${JSON.stringify(inner)}], log: (event, facts) => channel.log(event, facts) }))`
  run(`const channel = supervised(); ${outer}`)
  await until(() => lines.length > 0)
  const pid = Number(lines[0]![1]['pid'])
  expect(isAlive(pid)).toBe(true)
  process.kill(pids()[0]!, 'SIGKILL')
  await until(() => !isAlive(pid))
})

it.each(['watch', 'schedule'])('%s stops by itself where the service is gone before it has started', async command => {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', CLI, command], {
    env: environment(folder),
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  child.disconnect()
  try {
    expect(await once(child, 'exit', { signal: AbortSignal.timeout(20_000) })).toEqual([0, null])
  } finally {
    child.kill('SIGKILL')
  }
})
