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

/** A list of 480 MB, which the engine cannot put on disk. */
const large = async (): Promise<unknown> =>
  (await workspace.session.rows('SELECT len(list(number))::INTEGER AS numbers FROM range(60000000) AS t(number)'))[0]!['numbers']

it('work that needs more memory than the engine begins with is done again with more', async () => {
  workspace = await openWorkspace(folder.dir)
  await expect(large()).rejects.toThrow(/memory/i)
  let begun = 0
  const done = await workspace.withinMemory(() => {
    begun++
    return large()
  })
  expect([done, begun]).toEqual([60_000_000, 2])
  expect(await large()).toBe(60_000_000)
})

it('a limit that was named is never passed', async () => {
  workspace = await openWorkspace(folder.dir, undefined, undefined, '200MB')
  await expect(workspace.withinMemory(large)).rejects.toThrow(/memory/i)
  await expect(workspace.withinMemory(large)).rejects.toThrow(/memory/i)
})

it('work that fails for another reason is not done again', async () => {
  workspace = await openWorkspace(folder.dir)
  let begun = 0
  const work = async (): Promise<never> => {
    begun++
    throw new Error('another reason')
  }
  await expect(workspace.withinMemory(work)).rejects.toThrow('another reason')
  expect(begun).toBe(1)
})
