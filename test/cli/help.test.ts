import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadFeeds } from '../../ingest/feeds/index.ts'
import { ACCEPTABLE } from '../../ingest/publish/index.ts'
import { helpInChinese } from '../../src/cli/help-zh.ts'
import { buildProgram } from '../../src/cli/program.ts'
import { runTwmd, twmd } from '../fixtures/cli/in-process.ts'

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

it('every text of --help has a Chinese translation, shown if LANG is zh_TW', async () => {
  const untranslated: string[] = []
  const walk = (command: Command): void => {
    const texts = [command.description(), ...[...command.registeredArguments, ...command.options].map(({ description }) => description)]
    untranslated.push(...texts.filter(text => helpInChinese(text) === undefined))
    command.commands.forEach(walk)
  }
  walk(await buildProgram(undefined, () => {}))
  expect(untranslated).toEqual([])
  const { stdout } = await runTwmd(dir, ['releases', '--help'], { LANG: 'zh_TW.UTF-8' })
  expect(stdout).toContain('用法： twmd releases')
  expect(stdout).toContain('驗證所有版本檔案的雜湊值')
  expect((await runTwmd(dir, ['releases', '--help'], { LANG: 'zh_CN.UTF-8' })).stdout).toContain('Usage:')
})

it('to find a command by its name, twmd loads few modules of other commands', async () => {
  const all = await buildProgram('--help', () => {})
  const names = all.commands.map(command => command.name())
  const alone = await Promise.all(names.map(async name => (await buildProgram(name, () => {})).commands.map(command => command.name())))
  expect(names.length).toBeGreaterThan(25)
  for (const [index, name] of names.entries()) expect(alone[index]).toContain(name)
  for (const [index, name] of names.entries()) if (name !== 'completion') expect(alone[index]!.length).toBeLessThan(5)
})

it('twmd --version prints the version of the package', async () => {
  expect((await twmd(dir, '--version')).stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/)
})

it('twmd completion bash completes commands and options', async () => {
  const { stdout } = await twmd(dir, 'completion', 'bash')
  const complete = (...words: readonly string[]): readonly string[] => {
    const ask = `COMP_WORDS=(${words.map(word => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _twmd; echo "\${COMPREPLY[@]}"`
    return execFileSync('bash', ['-c', `${stdout}\n${ask}`], { encoding: 'utf8' })
      .trim()
      .split(' ')
  }
  expect(complete('twmd', 'rel')).toEqual(['releases'])
  expect(complete('twmd', 'releases', 'p')).toEqual(['pin'])
  expect(complete('twmd', 'releases', 'diff', 'earnings', '--pro')).toEqual(['--provenance'])
  for (const shell of ['zsh', 'fish'])
    expect((await twmd(dir, 'completion', shell)).stdout).toContain('--provenance'.slice(shell === 'fish' ? 2 : 0))
  expect(await twmd(dir, 'completion', 'tcsh')).toMatchObject({ code: 2, stderr: expect.stringContaining('bash, zsh, fish') })
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
