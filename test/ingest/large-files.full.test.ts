import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ended, startTwmd } from '../fixtures/cli/twmd.ts'
import { body } from '../fixtures/ingest/bodies.ts'
import { weekdays } from '../fixtures/publish/rows.ts'
import { sha256, stored } from '../fixtures/publish/store.ts'
import { service, type TestService } from '../support.ts'

let s: TestService
beforeAll(async () => {
  s = await service({ examples: false })
})
afterAll(() => s.close())

const SMALL_READS = new URL('../fixtures/ingest/small-reads.ts', import.meta.url).href

it('twmd publish accepts a partition file that needs several reads, and records its sha256', async () => {
  const heading = 'market,date,is_open,reason'
  const days = weekdays('1990-01-01', 9_000).map(day => `TWSE,${day},true,${'x'.repeat(100)}`)
  const file = join(s.dir, 'calendar.csv')
  writeFileSync(file, [heading, ...days, ''].join('\n'))
  expect(statSync(file).size).toBeGreaterThan(2 ** 20)
  const { code, stderr } = await ended(startTwmd(s.dir, ['publish', 'trading-calendar', file], { NODE_OPTIONS: `--import=${SMALL_READS}` }))
  expect([code, stderr]).toEqual([0, ''])
  expect(stored(s.workspace.releases, 'trading-calendar').manifest.sources).toMatchObject([
    { name: 'calendar.csv', sha256: sha256(readFileSync(file)), bytes: statSync(file).size, rows: 9_000 },
  ])
  expect(readdirSync(join(s.dir, 'tmp')).filter(name => !s.workspace.scratch.endsWith(name))).toEqual([])
})

it('twmd publish names PUBLISH_MEMORY_LIMIT when rows exceed it, and quarantines nothing', async () => {
  const file = join(s.dir, 'rows.csv')
  const days = weekdays('1990-01-01', 9_000).map(day => `TPEX,${day},true,${'x'.repeat(100)}`)
  writeFileSync(file, ['market,date,is_open,reason', ...days, ''].join('\n'))
  const run = startTwmd(s.dir, ['publish', 'trading-calendar', file], { PUBLISH_MEMORY_LIMIT: '300KB' })
  const { code, stdout, stderr } = await ended(run)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^Failed: The rows need more memory than PUBLISH_MEMORY_LIMIT\. .* raise PUBLISH_MEMORY_LIMIT\.\n$/)
  expect(readdirSync(s.workspace.quarantine)).toEqual([])
})

it('twmd ingest leaves a refused file in its folder if the file exceeds the limit of the quarantine', async () => {
  const large = body(s, 'large.json', '')
  truncateSync(large, 64 * 2 ** 20 + 1)
  const { code, stdout, stderr } = await ended(startTwmd(s.dir, ['ingest', 'twse-quotes', large], { QUARANTINE_MAX_MB: '1' }))
  expect([code, stdout]).toEqual([1, 'twse-quotes: 0 published, 0 unchanged, 0 empty, 1 refused.\n'])
  expect(stderr).toMatch(
    /^refused {3}large\.json: large\.json has 64\.0 MB, but .*\n {10}not moved, because it is larger than the quarantine \(QUARANTINE_MAX_MB\); its report is in \S+\n$/,
  )
  expect(readdirSync(/its report is in (\S+)/.exec(stderr)![1]!)).toEqual(['report.json'])
})
