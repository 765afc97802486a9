import { afterEach, beforeEach, expect, it } from 'vitest'
import { openWorkspace, type Workspace } from '../../../ingest/publish/index.ts'
import { dataFolder } from '../../support.ts'

let folder: Awaited<ReturnType<typeof dataFolder>>
let workspace: Workspace
beforeEach(async () => {
  folder = await dataFolder()
})
afterEach(async () => {
  workspace.close()
  await folder.remove()
})

/** A list of 480 MB, which the engine cannot spill to disk. */
const large = async (): Promise<unknown> =>
  (await workspace.session.rows('SELECT len(list(number))::INTEGER AS numbers FROM range(60000000) AS t(number)'))[0]!['numbers']

it('work that needs more than the initial memory of the engine runs again with more memory', async () => {
  workspace = await openWorkspace(folder.dir)
  await expect(large()).rejects.toThrow(/memory/i)
  let started = 0
  const result = await workspace.withinMemory(() => {
    started++
    return large()
  })
  expect([result, started]).toEqual([60_000_000, 2])
  expect(await large()).toBe(60_000_000)
})

it('a memory limit set by the operator is never raised', async () => {
  workspace = await openWorkspace(folder.dir, undefined, undefined, '200MB')
  await expect(workspace.withinMemory(large)).rejects.toThrow(/memory/i)
  await expect(workspace.withinMemory(large)).rejects.toThrow(/memory/i)
})
