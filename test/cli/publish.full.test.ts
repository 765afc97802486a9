import { execFileSync, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { loadCatalog } from '../../catalog/index.ts'
import { twmd } from '../fixtures/cli/in-process.ts'
import { CLI, ended, environment, type Ran } from '../fixtures/cli/twmd.ts'
import { openTestWorkspace, publishRows } from '../support.ts'

const catalog = await loadCatalog()
const SLUG = 'bond-yield-curve'
const rows = catalog.get(SLUG)!.example
let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twmd-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

function partitionFile(name: string, content: readonly object[]): string {
  const file = join(dir, name)
  writeFileSync(file, content.map(row => JSON.stringify(row)).join('\n'))
  return file
}
/** Runs `twmd` with a file size limit in KB, which has the effect of a full disk. */
async function twmdWithin(kilobytes: number, ...args: readonly string[]): Promise<Ran> {
  const limited = `ulimit -f ${kilobytes}; exec "$0" "$@"`
  return ended(spawn('bash', ['-c', limited, process.execPath, CLI, ...args], { env: environment(dir), stdio: ['ignore', 'pipe', 'pipe'] }))
}
const many = Array.from({ length: 3_000 }, (_, day) => ({
  ...rows[0],
  trade_date: new Date(Date.UTC(2010, 0, 1 + day)).toISOString().slice(0, 10),
  as_of: new Date(Date.UTC(2010, 0, 1 + day)).toISOString().slice(0, 10),
}))

it.each([
  ['before it is read', 100],
  ['while its release is written', 1],
])('twmd publish on a full disk (%s) exits with 1 and leaves the file in place, not in quarantine', async (_, kilobytes) => {
  const file = kilobytes === 1 ? partitionFile('small.ndjson', rows.slice(0, 1)) : partitionFile('many.ndjson', many)
  const before = readFileSync(file)
  const { code, stdout, stderr } = await twmdWithin(kilobytes, 'publish', SLUG, file)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^Failed: The disk is full\. .* none was quarantined\. Free disk space, then run the command again\.\n$/)
  expect(await readdir(join(dir, 'quarantine'))).toEqual([])
  expect(readFileSync(file)).toEqual(before)
})

it('twmd publish on a full disk leaves no partial copy of a refused file in quarantine', async () => {
  const bad = partitionFile(
    'bad.ndjson',
    rows.map(row => ({ ...row, note: 'x'.repeat(80_000) })),
  )
  const { code, stderr } = await twmdWithin(100, 'publish', SLUG, bad)
  expect([code, stderr]).toEqual([1, expect.stringContaining('The disk is full')])
  expect(await readdir(join(dir, 'quarantine'))).toEqual([])
})

it('twmd publish refuses a pipe as a file and exits with 2', async () => {
  execFileSync('mkfifo', [join(dir, 'pipe.csv')])
  const { code, stdout, stderr } = await twmd(dir, 'publish', SLUG, join(dir, 'pipe.csv'))
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(/pipe\.csv is a pipe, not a file\. Write its content to a file first\.$/m)
})

it('twmd publish --accept publishes rows that violate the named rule and reports the derived datasets that are refused', async () => {
  const [row] = catalog.get('income-statements')!.example
  const ahead = partitionFile('ahead.ndjson', [{ ...row, fiscal_year: 2199, period_end: '2199-03-31' }])
  expect(await twmd(dir, 'publish', 'income-statements', ahead)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('future_date (period_end)'),
  })
  const { code, stdout, stderr } = await twmd(dir, 'publish', 'income-statements', ahead, '--accept', 'future_date')
  // The derived datasets must pass the same rule, because --accept does not apply to them.
  expect([code, stdout]).toEqual([1, expect.stringMatching(/^income-statements: published \S+: 1 rows added/)])
  expect(stderr).toMatch(/^refused {3}earnings: period_end is in the future.*\nrefused {3}company-earnings: period_end is in the future/)
})

it('twmd publish accepts announced holidays of the next year and refuses holidays of a distant year', async () => {
  const holiday = (date: string) => ({ market: 'TWSE', date, is_open: false, reason: '照公告休市' })
  const next = `${new Date().getUTCFullYear() + 1}-02-04`
  expect(await twmd(dir, 'publish', 'trading-calendar', partitionFile('next.ndjson', [holiday(next)]))).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(` changed, 0 removed, ${next} to ${next}.`),
  })
  const wrong = await twmd(dir, 'publish', 'trading-calendar', partitionFile('wrong.ndjson', [holiday('2199-02-04')]))
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('future_date (date), 1×: date is more than 500 days')])
})

it('twmd publish reports the sample rows that real rows replace', async () => {
  const workspace = await openTestWorkspace(dir)
  await publishRows(workspace, dir, catalog.get(SLUG)!, rows, { synthetic: true })
  workspace.close()
  const gone = `${rows.length} sample rows are no longer served`
  const first = await twmd(dir, 'publish', SLUG, partitionFile('one.ndjson', rows.slice(0, 1)))
  expect([first.code, first.stdout]).toEqual([
    0,
    expect.stringMatching(new RegExp(`1 rows added, 0 changed, 0 removed, .*; ${gone}\\.\\n$`)),
  ])
  const second = await twmd(dir, 'publish', SLUG, partitionFile('two.ndjson', rows.slice(1)))
  expect(second.stdout).not.toContain('sample')
})
