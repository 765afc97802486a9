import { mkdirSync, writeFileSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { loadCatalog } from '../../catalog/index.ts'
import { ACCEPTABLE } from '../../ingest/publish/index.ts'
import { twmd } from '../fixtures/cli/in-process.ts'
import { stored } from '../fixtures/publish/store.ts'
import { calendarFolder } from './calendar-folder.ts'

const catalog = await loadCatalog()
const SLUG = 'bond-yield-curve'
const rows = catalog.get(SLUG)!.example
let dir: string
let good: string
beforeEach(async () => {
  dir = await calendarFolder()
  good = partitionFile('good.ndjson', rows)
})
afterEach(() => rm(dir, { recursive: true, force: true }))

function partitionFile(name: string, content: readonly object[]): string {
  const file = join(dir, name)
  writeFileSync(file, content.map(row => JSON.stringify(row)).join('\n'))
  return file
}
const releases = () => join(dir, 'releases')

it('twmd publish reports the new release, and publishes nothing if the same file is published again', async () => {
  const first = await twmd(dir, 'publish', SLUG, good)
  const { release, manifest } = stored(releases(), SLUG)
  const { date_from, date_to } = manifest.changes
  expect(first).toEqual({
    code: 0,
    stdout: `${SLUG}: published ${release}: ${rows.length} rows added, 0 changed, 0 removed, ${date_from} to ${date_to}.\n`,
    stderr: '',
  })
  expect(await twmd(dir, 'publish', SLUG, good)).toEqual({
    code: 0,
    stdout: `${SLUG}: every row is already served by ${release}; nothing to publish.\n`,
    stderr: '',
  })
  expect(manifest.synthetic).toBe(false)
})

it('twmd publish exits with 1 for an invalid file and prints rule, column, count, first value and quarantine folder', async () => {
  const bad = partitionFile('bad.ndjson', [{ ...rows[0], yield_rate: 'high' }])
  const { code, stdout, stderr } = await twmd(dir, 'publish', SLUG, bad)
  expect([code, stdout]).toEqual([1, ''])
  const [folder] = await readdir(join(dir, 'quarantine', SLUG))
  expect(stderr.split('\n')).toEqual(
    expect.arrayContaining([
      'refused  type (yield_rate), 1×: 1 values of yield_rate are not finite numbers.',
      '           row 1: yield_rate high',
      `         stored with its report in ${join(dir, 'quarantine', SLUG, folder!)}`,
      `${SLUG}: refused, nothing was published.`,
    ]),
  )
})

it('twmd publish --json prints one JSON document for several files, published or refused', async () => {
  const files = [partitionFile('1.ndjson', rows.slice(0, 1)), partitionFile('2.ndjson', rows.slice(1))]
  const published = await twmd(dir, 'publish', 'bond_yield_curve', ...files, '--json')
  expect(stored(releases(), SLUG).manifest.sources.map(({ name }) => name)).toEqual(['1.ndjson', '2.ndjson'])
  expect(JSON.parse(published.stdout)).toEqual({
    status: 'published',
    release: stored(releases(), SLUG).release,
    changes: stored(releases(), SLUG).manifest.changes,
    faults: [],
    notices: [],
    rowsBySource: { 0: 1, 1: rows.length - 1 },
    rowsConfirmed: 0,
    samplesReplaced: 0,
    quarantined: [],
    quarantine: { left: [], reportOnly: [] },
    followUps: [],
  })
  const refused = await twmd(dir, 'publish', SLUG, partitionFile('bad.ndjson', [{ ...rows[0], yield_rate: 99 }]), '--json')
  expect([refused.code, JSON.parse(refused.stdout)]).toMatchObject([
    1,
    {
      status: 'refused',
      release: null,
      changes: null,
      faults: [{ rule: 'yield_in_percent', count: 1, source: 0 }],
      quarantined: [expect.any(String)],
    },
  ])
})

it.each([
  [
    ['bond-yeld-curve', 'good.ndjson'],
    'There is no dataset named bond-yeld-curve; did you mean bond-yield-curve? Known: adjusted-prices, adjustment-factors, all-segments, ',
  ],
  [
    ['nothing-like-it', 'good.ndjson'],
    'There is no dataset named nothing-like-it. Known: adjusted-prices, adjustment-factors, all-segments, ',
  ],
  [[SLUG, 'absent.csv'], /^File not found: \S+absent\.csv\.$/m],
  [[SLUG, 'folder'], /The folder \S+folder has no files\.$/m],
  [[SLUG, '/dev/null'], /dev\/null is a device, not a file\. Write its content to a file first\.$/m],
  [[SLUG, 'good.ndjson', '--accept', 'grain'], `--accept grain: only ${ACCEPTABLE.join(', ')} can be accepted.`],
])('twmd publish %j exits with 2 and suggests the right command', async (args, message) => {
  mkdirSync(join(dir, 'folder'))
  const { code, stdout, stderr } = await twmd(dir, 'publish', ...args.map((arg, index) => (index === 1 ? resolve(dir, arg) : arg)))
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(message)
  expect(stderr).not.toMatch(/ at .*\.ts:/)
})

it('twmd releases lists releases by age, marks the served release, shows a manifest and verifies every part', async () => {
  expect(await twmd(dir, 'releases', 'list', SLUG)).toMatchObject({ code: 0, stdout: expect.stringContaining('no release yet') })
  await twmd(dir, 'publish', SLUG, good)
  const first = stored(releases(), SLUG)
  await twmd(dir, 'publish', SLUG, partitionFile('more.ndjson', [{ ...rows[0], trade_date: '2026-07-01', as_of: '2026-07-01' }]))
  const second = stored(releases(), SLUG)
  const listed = await twmd(dir, 'releases', 'list', SLUG)
  expect(listed.stdout.split('\n').slice(1, 3)).toEqual([
    expect.stringMatching(new RegExp(`^ +${first.release} +${rows.length} `)),
    expect.stringMatching(new RegExp(`^\\* +${second.release} +${rows.length + 1} +2026-07-01 +new_rows +\\+1 ~0 -0$`)),
  ])
  const json = JSON.parse((await twmd(dir, 'releases', 'list', SLUG, '--json')).stdout)
  expect(json.map(({ release, served }: Record<string, unknown>) => [release, served])).toEqual([
    [first.release, false],
    [second.release, true],
  ])
  const shown = await twmd(dir, 'releases', 'show', SLUG)
  for (const pattern of [/^release +\S+$/m, new RegExp(`^parent +${first.release}$`, 'm'), /^sources +more\.ndjson \(1\)$/m])
    expect(shown.stdout).toMatch(pattern)
  expect(JSON.parse((await twmd(dir, 'releases', 'show', SLUG, '--json')).stdout)).toEqual(second.manifest)
  expect(await twmd(dir, 'releases', 'verify', SLUG, '--json')).toMatchObject({ code: 0 })
})
