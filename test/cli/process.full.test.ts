import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CHECKOUT, environment, twmd } from '../fixtures/cli/twmd.ts'
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
