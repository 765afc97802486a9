import { existsSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ended, startTwmd, twmd } from '../fixtures/cli/twmd.ts'

let dir: string
let file: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twmd-'))
  file = join(dir, 'file')
  writeFileSync(file, '')
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const COMMANDS: readonly (readonly string[])[] = [
  ['serve'],
  ['demo'],
  ['schema', 'earnings'],
  ['releases', 'list', 'earnings'],
  ['keys', 'create', '--email', 'analyst@example.com', '--plan', 'pro'],
  ['keys', 'rotate'],
  ['restore', 'backup.sqlite'],
  ['doctor'],
  ['billing', 'replay'],
]
const refused = (folder: string, why: string) => ({
  code: 2,
  stdout: '',
  stderr: `The data folder ${folder} cannot be used: ${why}; set DATA_DIR to a folder this user may write to.\n`,
})

describe('a data folder that cannot be made or read', () => {
  it.each(COMMANDS)('is reported in one sentence by twmd %s', async (...args) => {
    expect(await twmd(join(file, 'data'), ...args)).toEqual(refused(join(file, 'data'), `${file} is not a folder`))
  })

  it('is reported before a backup is begun, or a file is read', async () => {
    const backup = join(dir, 'backup.sqlite')
    expect(await twmd(file, 'backup', backup)).toEqual(refused(file, `${file} is not a folder`))
    expect(existsSync(backup)).toBe(false)
    expect(await twmd(file, 'publish', 'earnings', file)).toEqual(refused(file, `${file} is not a folder`))
  })

  it.runIf(process.platform === 'linux').each([
    ['/proc/nope', '/proc takes no folders'],
    ['/proc', '/proc takes no folders'],
    ['/dev/null/x', '/dev/null is not a folder'],
  ])('does not keep the service trying: %s', async (folder, why) => {
    const child = startTwmd(folder, ['serve'])
    const timer = setTimeout(() => child.kill('SIGKILL'), 20_000)
    expect(await ended(child)).toEqual(refused(folder, why))
    clearTimeout(timer)
  })
})

it('a data folder that is missing is made, with every folder above it', async () => {
  const deep = join(dir, 'not', 'there', 'yet')
  expect(await twmd(deep, 'releases', 'list', 'earnings')).toMatchObject({ code: 0 })
  expect(existsSync(join(deep, 'releases'))).toBe(true)
})
