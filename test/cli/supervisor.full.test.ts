import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { isAlive } from '../../src/core/index.ts'
import { CHECKOUT, CLI, environment } from '../fixtures/cli/twmd.ts'
import { supervisedFolder, until } from './supervised.ts'

let s: ReturnType<typeof supervisedFolder>
beforeEach(() => {
  s = supervisedFolder()
})
afterEach(() => s.close())

const STAYS = `const channel = supervised(); channel.log('stopping', { hello: 1 }); process.once('SIGTERM', channel.close); channel.ended.then(() => process.exit(0))`

it('the supervisor restarts a killed process', async () => {
  const { state } = s.run(STAYS)
  await until(() => s.lines.length === 1)
  process.kill(s.pids()[0]!, 'SIGKILL')
  await until(() => s.lines.length === 3)
  expect(s.lines[1]).toEqual(['failed', { during: 'twmd program', error: 'Ended by SIGKILL.', again_in_ms: 20 }])
  expect(state()).toMatchObject({ running: true, restarts: 1 })
})

it('the supervisor forwards log lines of the process and stops it gracefully', async () => {
  const { state, stop } = s.run(STAYS)
  await until(() => s.lines.length > 0)
  expect(s.lines).toEqual([['stopping', { hello: 1 }]])
  await stop()
  expect(state()).toMatchObject({ running: false, restarts: 0, lastFailure: null })
  expect(s.lines).toHaveLength(1)
})

it('if a process ignores the stop, the supervisor kills the process and does not restart it', async () => {
  const { state, stop } = s.run(`${STAYS}; process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); channel.close = () => {}`, {
    graceMs: 200,
  })
  await until(() => s.lines.length > 0)
  await stop()
  expect(isAlive(s.pids()[0]!)).toBe(false)
  expect(state()).toMatchObject({ running: false, restarts: 0 })
})

it('a supervised process stops when its supervisor is killed', async () => {
  const inner = join(s.folder, 'inner.mjs')
  const supervisor = JSON.stringify(join(CHECKOUT, 'src/cli/serve/supervisor.ts'))
  writeFileSync(
    inner,
    `import { supervised } from ${supervisor}\nconst channel = supervised(); channel.log('stopping', { pid: process.pid }); await channel.ended`,
  )
  const outer = `import(${supervisor}).then(({ supervise }) => supervise({ name: 'inner', argv: [${JSON.stringify(inner)}], log: (event, facts) => channel.log(event, facts) }))`
  s.run(`const channel = supervised(); ${outer}`)
  await until(() => s.lines.length > 0)
  const pid = Number(s.lines[0]![1]['pid'])
  expect(isAlive(pid)).toBe(true)
  process.kill(s.pids()[0]!, 'SIGKILL')
  await until(() => !isAlive(pid))
})

it.each(['watch', 'schedule'])('twmd %s stops if the service that started it has already ended', async command => {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', CLI, command], {
    env: environment(s.folder),
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  child.disconnect()
  try {
    expect(await once(child, 'exit', { signal: AbortSignal.timeout(60_000) })).toEqual([0, null])
  } finally {
    child.kill('SIGKILL')
  }
})
