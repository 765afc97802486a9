import { afterAll, beforeAll, expect, it } from 'vitest'
import { serving } from '../../fixtures/cli/twmd.ts'
import { type Folder, preparedFolder } from '../../state/folder.ts'
import { SECRETS } from '../../support.ts'
import { killUnderLoad } from './kills.ts'

let folder: Folder
beforeAll(async () => {
  folder = await preparedFolder(16)
})
afterAll(() => folder.remove())

it('M2: a service that is killed twelve times under load records every sent answer once in its ledger', { timeout: 300_000 }, async () => {
  expect.hasAssertions()
  await killUnderLoad(folder, 12, () => serving(folder.dir, 'serve', SECRETS))
})
