import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { twmd } from '../fixtures/cli/in-process.ts'
import { EMPTY, t86Body } from '../fixtures/ingest/bodies.ts'
import { sha256, stored } from '../fixtures/publish/store.ts'
import { calendarFolder } from './calendar-folder.ts'

const TRADES = 'institutional-positioning'
let dir: string
beforeEach(async () => {
  dir = await calendarFolder()
})
afterEach(() => rm(dir, { recursive: true, force: true }))

function body(name: string, content: string): string {
  const file = join(dir, name)
  writeFileSync(file, content)
  return file
}
const good = (day: string, seed: number) => body(`${day}.json`, t86Body(day, { '2330': [seed, 0, 0], '0050': [0, seed, 0] }))

it('twmd ingest publishes the files of a folder once, skips hidden files, prints a line per dataset and exits with 0', async () => {
  mkdirSync(join(dir, 'days/2026'), { recursive: true })
  body('days/2026-06-30.json', t86Body('2026-06-30', { '2330': [1, 0, 0], '0050': [0, 1, 0] }))
  body('days/2026/2026-06-29.json', t86Body('2026-06-29', { '2330': [2, 0, 0], '0050': [0, 2, 0] }))
  body('days/.listing', 'not a file of the exchange')
  const { code, stdout, stderr } = await twmd(dir, 'ingest', 'twse-t86', join(dir, 'days'))
  const { release } = stored(join(dir, 'releases'), TRADES)
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout.split('\n')).toEqual([
    `published ${TRADES}: 4 rows added, 0 changed, 0 removed (${release})`,
    'twse-t86: 2 published, 0 unchanged, 0 empty, 0 refused.',
    '',
  ])
  const again = await twmd(dir, 'ingest', 'twse-t86', join(dir, 'days'))
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('twse-t86: 0 published, 2 unchanged, 0 empty, 0 refused.')])
})

it('twmd ingest publishes the valid files, quarantines the invalid files and exits with 1', async () => {
  const files = [
    good('2026-06-30', 1),
    body('page.json', '<html><title>Home</title></html>'),
    body('sunday.json', EMPTY.replace('"total"', '"date":"20260628","total"')),
  ]
  const { code, stdout, stderr } = await twmd(dir, 'ingest', 'twse-t86', ...files)
  expect(code).toBe(1)
  expect(stderr).toMatch(/^refused {3}page\.json: .*"Home".*\n {10}stored with its report in \S+\n$/)
  expect(stdout).toContain('empty     sunday.json 2026-06-28: 很抱歉，沒有符合條件的資料!')
  expect(stdout).toContain('twse-t86: 1 published, 0 unchanged, 1 empty, 1 refused.')
  expect(readFileSync(join(/stored with its report in (\S+)/.exec(stderr)![1]!, 'page.json'), 'utf8')).toContain('Home')
})

it('twmd ingest --json prints one JSON document with every result', async () => {
  const [file, bad] = [good('2026-06-30', 1), body('half.json', '{"stat":"OK","data":[')]
  const { code, stdout, stderr } = await twmd(dir, 'ingest', 'twse-t86', file, bad, '--json')
  expect([code, stderr]).toEqual([1, ''])
  const { results, publications } = JSON.parse(stdout)
  const { release, manifest } = stored(join(dir, 'releases'), TRADES)
  expect(publications).toEqual([
    {
      dataset: TRADES,
      status: 'published',
      release,
      changes: manifest.changes,
      faults: [],
      notices: [],
      rowsConfirmed: 0,
      samplesReplaced: 0,
    },
  ])
  const common = { at: expect.stringMatching(/\+08:00$/), feed: 'twse-t86', notes: [] }
  expect(results).toEqual(
    expect.arrayContaining([
      {
        ...common,
        file: '2026-06-30.json',
        sha256: sha256(readFileSync(file)),
        outcome: 'published',
        date: '2026-06-30',
        rows: 2,
        said: null,
        dataset: TRADES,
        message: null,
        message_zh: null,
        quarantined: null,
      },
      {
        ...common,
        file: 'half.json',
        sha256: sha256(readFileSync(bad)),
        outcome: 'refused',
        date: null,
        rows: 0,
        said: 'damaged_body',
        dataset: null,
        message: expect.stringContaining('Fetch it again'),
        message_zh: expect.stringContaining('重新取得'),
        quarantined: expect.stringContaining(join(dir, 'quarantine', 'twse-t86')),
      },
    ]),
  )
  expect(results).toHaveLength(2)
})

it('twmd ingest refuses a file whose day differs from --date', async () => {
  const file = good('2026-06-30', 1)
  expect(await twmd(dir, 'ingest', 'twse-t86', file, '--date', '2026-06-29')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('2026-06-29'),
  })
})

it.each([
  [['twse-t87', 'a.json'], 'There is no feed named twse-t87; did you mean twse-t86? Known: broker-branches, '],
  [['weather', 'a.json'], 'There is no feed named weather. Known: broker-branches, '],
  [['twse-t86', 'absent.json', 'folder'], /^File not found: \S+absent\.json\.\nThe folder \S+folder has no files\.\n$/],
  [['twse-t86', 'a.json', '--date', '2026-02-30'], '--date must be a day that exists, from 1000-01-01 to 9999-12-31, written YYYY-MM-DD.'],
  [['twse-t86', 'a.json', '--accept', 'legs_add_up'], '--accept legs_add_up: only row_count_drift, '],
])('twmd ingest %j exits with 2 and suggests the right command', async (args, message) => {
  body('a.json', '{}')
  mkdirSync(join(dir, 'folder'))
  const paths = ['a.json', 'absent.json', 'folder']
  const { code, stdout, stderr } = await twmd(dir, 'ingest', ...args.map(arg => (paths.includes(arg) ? join(dir, arg) : arg)))
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(message)
})
