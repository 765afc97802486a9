import { afterAll, beforeAll, expect, it } from 'vitest'
import { runTwmd } from '../fixtures/cli/in-process.ts'
import { serving } from '../fixtures/cli/twmd.ts'
import { type Folder, preparedFolder } from '../state/folder.ts'
import { SECRETS } from '../support.ts'

let folder: Folder
beforeAll(async () => {
  folder = await preparedFolder(2)
})
afterAll(() => folder.remove())

it('while a service runs, twmd doctor names the process that serves the state file', async () => {
  const { child, stop } = await serving(folder.dir, 'serve', SECRETS)
  const stateFinding = async (): Promise<string> => {
    const { stdout } = await runTwmd(folder.dir, ['doctor', '--json'], SECRETS)
    return (JSON.parse(stdout) as { check: string; said: string }[]).find(({ check }) => check === 'state')!.said
  }
  expect(await stateFinding()).toContain(`served by process ${child.pid}`)
  expect(await stop()).toBe(0)
  expect(await stateFinding()).not.toContain('served')
})
