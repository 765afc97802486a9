import { afterEach, beforeEach, expect, it } from 'vitest'
import { openWorkspace, type Workspace } from '../../../ingest/publish/index.ts'
import { dataFolder } from '../../support.ts'

let folder: Awaited<ReturnType<typeof dataFolder>>
let workspace: Workspace
beforeEach(async () => {
  folder = await dataFolder()
  workspace = await openWorkspace(folder.dir)
})
afterEach(async () => {
  workspace.close()
  await folder.remove()
})

it('work that runs out of memory in the engine runs again once with more memory', async () => {
  await workspace.session.run("SET GLOBAL memory_limit = '20MB'")
  let runs = 0
  // A list of 40 MB, which the engine cannot spill to disk.
  const numbers = await workspace.withinMemory(async () => {
    runs++
    return workspace.session.rows('SELECT len(list(number))::INTEGER AS numbers FROM range(5000000) AS t(number)')
  })
  expect([numbers, runs]).toEqual([[{ numbers: 5_000_000 }], 2])
})

it('work that fails for a reason other than memory does not run again', async () => {
  let runs = 0
  const work = async (): Promise<never> => {
    runs++
    throw new Error('another reason')
  }
  await expect(workspace.withinMemory(work)).rejects.toThrow('another reason')
  expect(runs).toBe(1)
})
