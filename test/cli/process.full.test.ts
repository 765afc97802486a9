import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { constants, getPriority } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import flags from '../../src/service-flags.json' with { type: 'json' }
import { CHECKOUT, ended, environment, startTwmd, twmd } from '../fixtures/cli/twmd.ts'
import { dataFolder } from '../support.ts'

let folder: Awaited<ReturnType<typeof dataFolder>>
beforeAll(async () => {
  folder = await dataFolder()
})
afterAll(() => folder.remove())

it('npx twmd runs the command in the checkout', async () => {
  const { stdout } = await promisify(execFile)('npx', ['twmd', '--help'], { cwd: CHECKOUT, env: environment(folder.dir) })
  expect(stdout).toMatch(/^ {2}ingest\b/m)
})

it('the twmd process exits with the code of its command', async () => {
  expect(await twmd(folder.dir, 'releases', 'list', 'earnings')).toMatchObject({ code: 0, stderr: '' })
  expect(await twmd(folder.dir, 'releases', 'list', 'earning')).toMatchObject({ code: 2, stdout: '' })
  expect(await twmd(folder.dir, 'releases', 'show', 'earnings', '20200101T000000000Z')).toMatchObject({ code: 1, stdout: '' })
})

it('a command completes without an error if the reader of its output has ended', async () => {
  const help = startTwmd(folder.dir, ['publish', '--help'])
  help.stdout!.destroy()
  const { code, stderr } = await ended(help)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

it.runIf(process.platform === 'linux')('a service runs with its memory flags, in the process that was started', async () => {
  const service = spawn(process.execPath, [join(CHECKOUT, 'src', 'run.mjs'), 'serve'], {
    env: environment(folder.dir, { PORT: '0' }),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const text of createInterface(service.stdout)) if (JSON.parse(text).event === 'listening') break
  const args = readFileSync(`/proc/${service.pid}/cmdline`, 'utf8').split('\0')
  service.kill('SIGTERM')
  const [code] = await once(service, 'exit')
  expect(args).toEqual(expect.arrayContaining(flags))
  expect(code).toBe(0)
})

it.runIf(process.platform === 'linux')('a command has a low priority, so that it does not delay the service', async () => {
  const command = startTwmd(folder.dir, ['releases', 'list', 'earnings'])
  const priorities = new Set<number>()
  while (command.exitCode === null) {
    priorities.add(priorityOf(command.pid!))
    await sleep(2)
  }
  expect([...priorities]).toContain(Math.min(getPriority() + 10, constants.priority.PRIORITY_LOW))
})

/** The priority of this process if the other process has ended. */
function priorityOf(pid: number): number {
  try {
    return getPriority(pid)
  } catch {
    return getPriority()
  }
}
