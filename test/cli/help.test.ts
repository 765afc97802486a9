import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadFeeds } from '../../ingest/feeds/index.ts'
import { ACCEPTABLE } from '../../ingest/publish/index.ts'
import { twmd } from '../fixtures/cli/in-process.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twmd-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const COMMANDS = ['serve', 'demo', 'publish', 'ingest', 'releases', 'keys']

it('twmd --help lists every command with its description', async () => {
  const { code, stdout, stderr } = await twmd(dir, '--help')
  expect([code, stderr]).toEqual([0, ''])
  for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${command}\\b.* {2,}\\w`, 'm'))
})

it.each(['publish', 'releases'])('twmd %s --help shows its usage', async command => {
  const { code, stdout } = await twmd(dir, command, '--help')
  expect([code, stdout]).toEqual([0, expect.stringContaining(`Usage: twmd ${command} `)])
})

it.each(['fetch', 'schedule'])('twmd %s --help explains FETCH_CONSENT', async command => {
  expect((await twmd(dir, command, '--help')).stdout).toContain('FETCH_CONSENT=')
})

it('twmd ingest --help lists every feed, and ingest and publish list every rule for --accept', async () => {
  const { stdout } = await twmd(dir, 'ingest', '--help')
  for (const { name, title } of (await loadFeeds()).values())
    expect(stdout).toMatch(new RegExp(`^  ${name} +${title.replace(/[()]/g, '\\$&')}$`, 'm'))
  const publish = await twmd(dir, 'publish', '--help')
  for (const text of [stdout, publish.stdout]) expect(text.replace(/\s+/g, ' ')).toContain(ACCEPTABLE.join(', '))
})

it.each([
  [[], 'Usage: twmd'],
  [['ingets'], 'Did you mean ingest?'],
  [['publish'], "missing required argument 'dataset'"],
  [['publish', 'earnings'], "missing required argument 'file'"],
  [['publish', 'earnings', 'a.csv', '--force'], "unknown option '--force'"],
  [['releases', 'list'], "missing required argument 'dataset'"],
])('twmd %j exits with 2 and points to --help', async (args, message) => {
  const { code, stdout, stderr } = await twmd(dir, ...args)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain(message)
  expect(stderr).toContain('--help')
})
