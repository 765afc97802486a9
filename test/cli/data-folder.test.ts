import { existsSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { twmd } from '../fixtures/cli/in-process.ts'

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
  stderr: `The data folder ${folder} cannot be used: ${why}. Set DATA_DIR to a folder that this user can write to.\n`,
})

it('every command reports an unusable data folder in one sentence and exits with 2', async () => {
  for (const args of COMMANDS)
    expect
      .soft(await twmd(join(file, 'data'), ...args), `twmd ${args.join(' ')}`)
      .toEqual(refused(join(file, 'data'), `${file} is not a folder`))
})

it('twmd backup and twmd publish report an unusable data folder before they read or write a file', async () => {
  const backup = join(dir, 'backup.sqlite')
  expect(await twmd(file, 'backup', backup)).toEqual(refused(file, `${file} is not a folder`))
  expect(existsSync(backup)).toBe(false)
  expect(await twmd(file, 'publish', 'earnings', file)).toEqual(refused(file, `${file} is not a folder`))
})

it.runIf(process.platform === 'linux').each([
  ['/proc/nope', 'no folder can be created in /proc'],
  ['/proc', 'no folder can be created in /proc'],
  ['/dev/null/x', '/dev/null is not a folder'],
])('twmd serve exits with 2 for the data folder %s', async (folder, why) => {
  expect(await twmd(folder, 'serve')).toEqual(refused(folder, why))
})

it('a missing data folder is created with its parents', async () => {
  const deep = join(dir, 'not', 'there', 'yet')
  expect(await twmd(deep, 'releases', 'list', 'earnings')).toMatchObject({ code: 0 })
  expect(existsSync(join(deep, 'releases'))).toBe(true)
})
