import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { environment } from '../../fixtures/cli/twmd.ts'
import { type Folder, preparedFolder } from '../../state/folder.ts'
import { SECRETS } from '../../support.ts'
import { killUnderLoad } from './kills.ts'

let folder: Folder
beforeAll(async () => {
  folder = await preparedFolder(16)
})
afterAll(() => folder.remove())

it('M2: a service that is killed under load records every sent answer once in its ledger', async () => {
  expect.hasAssertions()
  await killUnderLoad(folder, 1, async () => {
    const program = fileURLToPath(new URL('bare-service.ts', import.meta.url))
    const child = spawn(process.execPath, [program], { env: environment(folder.dir, { ...SECRETS, PORT: '0' }) })
    let errors = ''
    child.stderr.on('data', text => {
      errors += text
    })
    const failed = once(child, 'exit').then(() => Promise.reject(new Error(errors)))
    failed.catch(() => {})
    const [url] = await Promise.race([once(child.stdout, 'data'), failed])
    return { child, url: String(url).trim() }
  })
})
