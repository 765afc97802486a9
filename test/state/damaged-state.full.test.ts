import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SECRETS } from '../support.ts'
import { type Folder, overwrite, preparedFolder } from './folder.ts'

let folder: Folder
beforeAll(async () => {
  folder = await preparedFolder(1)
})
afterAll(() => folder.remove())

it.each([
  ['with other content', () => writeFileSync(folder.stateDb, 'not a state file'.repeat(1_000))],
  ['overwritten after its first page', () => overwrite(folder.stateDb, 1)],
])('twmd serve on a state file %s exits 1 with one sentence that names the file and twmd restore', async (_, damage) => {
  const intact = readFileSync(folder.stateDb)
  damage()
  const { code, stderr } = await folder.run(['serve'], { PORT: '0', ...SECRETS })
  writeFileSync(folder.stateDb, intact)
  expect([code, stderr.trim().split('\n')]).toEqual([1, [expect.stringContaining(`The state file ${folder.stateDb} is damaged`)]])
  expect(stderr).toContain('twmd restore <backup>')
})
