import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadFeeds } from '../../ingest/feeds/index.ts'
import { ACCEPTABLE } from '../../ingest/publish/index.ts'
import { CHECKOUT, environment, twmd } from '../fixtures/cli/twmd.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twmd-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const COMMANDS = ['serve', 'demo', 'publish', 'ingest', 'releases', 'keys']

describe('twmd help', () => {
  it('lists every command, each with what it does', async () => {
    const { code, stdout, stderr } = await twmd(dir, '--help')
    expect([code, stderr]).toEqual([0, ''])
    for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${command}\\b.* {2,}\\w`, 'm'))
  })

  it('works through npx in the checkout', async () => {
    const { stdout } = await promisify(execFile)('npx', ['twmd', '--help'], { cwd: CHECKOUT, env: environment(dir) })
    for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${command}\\b`, 'm'))
  })

  it.each(['publish', 'releases'])('of %s shows how it is used and its options', async command => {
    const { code, stdout } = await twmd(dir, command, '--help')
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Usage: twmd ${command} `)])
  })

  it.each(['fetch', 'schedule'])('of %s says how a source that agreed to programs is named', async command => {
    expect((await twmd(dir, command, '--help')).stdout).toContain('FETCH_CONSENT=')
  })

  it('of ingest lists every feed with its title; of ingest and publish it lists the rules that may be let pass', async () => {
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
  ])('is pointed to, with exit code 2, for a command misused as %j', async (args, message) => {
    const { code, stdout, stderr } = await twmd(dir, ...args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(message)
    expect(stderr).toContain('--help')
  })
})
