import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runTwmd } from '../fixtures/cli/in-process.ts'
import { source } from '../fixtures/fetch/source.ts'
import { companyRegister } from '../fixtures/ingest/bodies.ts'

let dir: string
let s: Awaited<ReturnType<typeof source>>
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twmd-'))
  s = await source(({ path }) => companyRegister(path.endsWith('_L') ? 1 : 9))
})
afterEach(async () => {
  await s.close()
  await rm(dir, { recursive: true, force: true })
})

const settings = () => ({
  LOG_LEVEL: 'silent',
  FETCH_BASES: ['openapi.twse.com.tw', 'mopsfin.twse.com.tw'].map(host => `${host}=${s.url}`).join(','),
})
const run = (...args: readonly string[]) => runTwmd(dir, ['schedule', ...args], settings())
const stateFile = () => JSON.parse(readFileSync(join(dir, 'fetch/schedule.json'), 'utf8')) as Record<string, Record<string, unknown>>

it('twmd schedule --once fetches the due feed, and --list shows schedule, last run and missing consent of each feed', async () => {
  expect((await run('companies', '--once')).code).toBe(0)
  expect(stateFile()['companies']).toMatchObject({ last_run: { outcome: 'came', said: '2 fetched, 1000 rows added' } })
  const { code, stdout } = await run('--list')
  expect(code).toBe(0)
  const lineOf = (feed: string) =>
    stdout
      .split('\n')
      .find(line => line.startsWith(`${feed} `))!
      .replace(/ {2,}/g, ' | ')
  const next = String(stateFile()['companies']!['next_at']).slice(0, 16).replace('T', ' ')
  expect(lineOf('companies')).toMatch(
    new RegExp(`^companies \\| Mondays 06:30 \\| ${next} \\| 20\\S+ \\S+ \\| came: 2 fetched, 1000 rows added \\| 20`),
  )
  expect(lineOf('twse-t86')).toContain('trading days 18:00 | needs FETCH_CONSENT=www.twse.com.tw | - | -')
  expect(lineOf('securities-firms')).toContain('monthly, day 10 18:00 | when started | - | -')
})

it('twmd schedule --once exits with 1 when a due feed is unreachable', async () => {
  s.reply((_, response) => {
    response.writeHead(404)
    return ''
  })
  expect((await run('companies', '--once')).code).toBe(1)
  expect(stateFile()['companies']).toMatchObject({ tries: 1, last_run: { outcome: 'unreachable' } })
})

it('twmd schedule --once prints what each feed waits for, and how its last run ended', async () => {
  const nextOf = (feed: string): string => String(stateFile()[feed]!['next_at']).slice(0, 16).replace('T', ' ')
  const came = await run('companies', 'twse-t86', '--once')
  expect([came.code, came.stderr.split('\n').toSorted()]).toEqual([
    0,
    [
      '',
      `companies: waits until ${nextOf('companies')}. Last run: came, 2 fetched, 1000 rows added.`,
      'twse-t86: waits for FETCH_CONSENT=www.twse.com.tw.',
    ],
  ])
  const waiting = await run('companies', '--once')
  expect([waiting.code, waiting.stderr]).toEqual([
    0,
    `companies: waits until ${nextOf('companies')}. Last run: came, 2 fetched, 1000 rows added.\n`,
  ])
  s.reply((_, response) => {
    response.writeHead(404)
    return ''
  })
  const failed = await runTwmd(join(dir, 'other'), ['schedule', 'companies', '--once'], settings())
  expect([failed.code, failed.stderr]).toEqual([
    1,
    expect.stringMatching(/^companies: waits until 20\d\d-\d\d-\d\d \d\d:\d\d\. Last run: unreachable, .+\.$/m),
  ])
})

it('twmd schedule refuses to run while another schedule uses the same data folder', async () => {
  mkdirSync(join(dir, 'fetch'), { recursive: true })
  // A lock file with the id of another running process.
  writeFileSync(join(dir, 'fetch/.publishing'), String(process.ppid))
  const { code, stderr } = await run('companies', '--once')
  expect([code, stderr]).toEqual([1, `Process ${process.ppid} already runs the schedule of this data folder. Stop it or wait for it.\n`])
})

it('twmd schedule suggests the nearest feed for an unknown name', async () => {
  const { code, stderr } = await run('companis', '--once')
  expect([code, stderr]).toEqual([2, expect.stringContaining('did you mean companies?')])
})
