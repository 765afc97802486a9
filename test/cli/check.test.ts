import { writeFileSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { loadCatalog, type Row } from '../../catalog/index.ts'
import { ACCEPTABLE } from '../../ingest/publish/index.ts'
import { twmd } from '../fixtures/cli/in-process.ts'
import { quote } from '../fixtures/publish/rows.ts'
import { releaseIds, stored } from '../fixtures/publish/store.ts'
import { calendarFolder } from './calendar-folder.ts'

const catalog = await loadCatalog()
const SLUG = 'bond-yield-curve'
const rows = catalog.get(SLUG)!.example
let dir: string
let before: readonly string[]
beforeEach(async () => {
  dir = await calendarFolder()
  before = await written()
})
afterEach(() => rm(dir, { recursive: true, force: true }))

function partitionFile(name: string, content: readonly Row[]): string {
  const file = join(dir, name)
  writeFileSync(file, content.map(row => JSON.stringify(row)).join('\n'))
  return file
}
/** Paths of all files in the service's folders. */
const written = async (): Promise<readonly string[]> => {
  const folders = (await readdir(dir, { withFileTypes: true })).filter(entry => entry.isDirectory()).map(({ name }) => name)
  return (
    await Promise.all(folders.map(async name => (await readdir(join(dir, name), { recursive: true })).map(file => `${name}/${file}`)))
  ).flat()
}

it('twmd check reports what would be published and writes nothing', async () => {
  expect(await twmd(dir, 'check', SLUG, partitionFile('good.ndjson', rows))).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      new RegExp(
        `^${SLUG}: would publish a release: ${rows.length} rows added, 0 changed, 0 removed, .*, as the first release. Nothing was published.\\n$`,
      ),
    ),
    stderr: '',
  })
  expect(await written()).toEqual(before)
})

it('twmd check counts added, changed and removed rows against the served release without changing the release', async () => {
  const day = (date: string, tickers: readonly string[], volume = 1): readonly Row[] => tickers.map(ticker => quote(ticker, date, volume))
  const first = partitionFile(
    'first.ndjson',
    day(
      '2026-06-30',
      ['1', '2', '3'].map(each => `110${each}`),
    ),
  )
  await twmd(dir, 'publish', 'daily-prices', first)
  const { release } = stored(join(dir, 'releases'), 'daily-prices')
  expect(await twmd(dir, 'check', 'daily-prices', first)).toMatchObject({
    code: 0,
    stdout: `daily-prices: every row is already served by ${release}; nothing to publish.\n`,
  })
  const published = await written()
  const second = [...day('2026-06-30', ['1101']), ...day('2026-06-30', ['1102', '1105'], 9)]
  const { code, stdout } = await twmd(dir, 'check', 'daily-prices', partitionFile('second.ndjson', second), '--json')
  expect([code, JSON.parse(stdout)]).toMatchObject([
    0,
    {
      status: 'publishable',
      served: release,
      changes: { rows_added: 1, rows_changed: 1, rows_removed: 1 },
      faults: [],
      rowsBySource: { 0: 3 },
    },
  ])
  expect([await written(), releaseIds(join(dir, 'releases'), 'daily-prices')]).toEqual([published, [release]])
})

it('twmd check lists the invalid rows under each rule, quarantines nothing and exits with 1', async () => {
  const bad = rows.map((row, index) => ({ ...row, yield_rate: index === 1 ? 130 : row['yield_rate'] }))
  const { code, stdout, stderr } = await twmd(dir, 'check', SLUG, partitionFile('bad.ndjson', bad))
  const { trade_date, tenor_label } = rows[1]!
  expect([code, stdout, stderr.split('\n')]).toEqual([
    1,
    '',
    [
      'refused  yield_in_percent (yield_rate), 1×: yield_rate must be at least -5 and at most 30: The yield is in percent per year, not in basis points. Fix the rows or remove them.',
      `           row 2: trade_date ${trade_date}, tenor_label ${tenor_label}, yield_rate 130.0`,
      `${SLUG}: would be refused. Nothing was published.`,
      '',
    ],
  ])
  expect(await written()).toEqual(before)
})

it('twmd check --json reports rule, file, severity, accepting option and first rows of each finding', async () => {
  const sunday = [quote('2330', '2026-06-28', 1), quote('1101', '2026-06-30', 1)]
  const files = [partitionFile('a.ndjson', sunday), partitionFile('b.ndjson', [quote('1102', '2026-06-29', -1)])]
  const { code, stdout } = await twmd(dir, 'check', 'daily-prices', ...files, '--json')
  expect([code, JSON.parse(stdout).status]).toEqual([1, 'refused'])
  expect(JSON.parse(stdout).faults).toEqual([
    {
      rule: 'nothing_negative',
      source: 1,
      file: 'b.ndjson',
      column: null,
      severity: 'error',
      accept: null,
      count: 1,
      samples: [{ row: 1, ticker: '1102', trade_date: '2026-06-29', volume: '-1', turnover: '-10' }],
      message: expect.any(String),
      message_zh: expect.stringMatching(/^volume、turnover 必須不小於 0：.*請修正資料列/),
    },
    {
      rule: 'closed_day',
      source: 0,
      file: 'a.ndjson',
      column: 'trade_date',
      severity: 'acceptable',
      accept: 'closed_day',
      count: 1,
      samples: ['TWSE 2026-06-28'],
      message: expect.any(String),
      message_zh: '市場於 TWSE 2026-06-28（星期日）並未交易；請檢查資料列的日期，若確有交易，請以 --accept closed_day 放行。',
    },
  ])
})

it('twmd check applies the bundled trading calendar in an empty data folder', async () => {
  const empty = join(dir, 'empty')
  const holiday = partitionFile('holiday.ndjson', [quote('2330', '2026-02-16', 1)])
  expect(await twmd(empty, 'check', 'daily-prices', holiday)).toMatchObject({ code: 1, stderr: expect.stringContaining('closed_day') })
  expect((await readdir(empty, { recursive: true, withFileTypes: true })).filter(entry => entry.isFile())).toEqual([])
})

it('twmd check warns about missing trading days and exits with 0', async () => {
  const gap = partitionFile('gap.ndjson', [quote('2330', '2026-06-24', 1), quote('2330', '2026-06-30', 2)])
  const { code, stderr } = await twmd(dir, 'check', 'daily-prices', gap)
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/^warning {2}missing_days, 3×: The trading days TWSE 2026-06-25, TWSE 2026-06-26, TWSE 2026-06-29 have no rows/),
  ])
})

it.each([
  [['bond-yeld-curve', 'a.csv'], 'did you mean bond-yield-curve?'],
  [[SLUG, 'absent.csv'], /^File not found: absent\.csv\.$/m],
  [[SLUG, 'absent.csv', '--accept', 'grain'], `--accept grain: only ${ACCEPTABLE.join(', ')} can be accepted.`],
])('twmd check %j exits with 2 and suggests the right command', async (args, message) => {
  const { code, stdout, stderr } = await twmd(dir, 'check', ...args)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(message)
})
