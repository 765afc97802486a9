import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { withLock } from '../../../ingest/publish/index.ts'
import { EMPTY, t86Body } from '../../fixtures/ingest/bodies.ts'
import { releaseIds, stored } from '../../fixtures/publish/store.ts'
import { type Publisher, publisher } from '../publish/publisher.ts'
import { inboxOf, outcomesOf, type TestInbox } from './inbox.ts'

const CALENDAR = 'trading-calendar'
const TRADES = 'institutional-positioning'
const calendar = (...days: readonly string[]): string => ['market,date,is_open', ...days.map(day => `TWSE,${day},false`), ''].join('\n')
let s: Publisher
let inbox: TestInbox
beforeEach(async () => {
  s = await publisher()
  inbox = inboxOf(s)
})
afterEach(() => s.close())

const releases = (slug: string) => releaseIds(s.workspace.releases, slug)
const sourcesOf = (slug: string) => stored(s.workspace.releases, slug).manifest.sources.map(({ name }) => name)

it('dropped files of every format are published together and archived by folder and day under their own names', async () => {
  const contents: Readonly<Record<string, string | Buffer>> = {
    'a.csv': calendar('2026-06-19'),
    'b.csv.gz': gzipSync(calendar('2026-06-22')),
    'c.ndjson.zst': zstdCompressSync('{"market":"TWSE","date":"2026-06-23","is_open":false}\n'),
    'd.json': '[{"market":"TWSE","date":"2026-06-24","is_open":false}]',
  }
  const names = Object.keys(contents)
  for (const [name, content] of Object.entries(contents)) inbox.drop(`${CALENDAR}/${name}`, content)
  expect(outcomesOf(await inbox.once())).toEqual(Object.fromEntries(names.map(name => [name, 'published'])))
  expect(inbox.files('inbox')).toEqual([])
  expect(inbox.files('archive')).toEqual(['taken.ndjson', ...names.map(name => `${CALENDAR}/2026-07-01/${name}`)])
  for (const name of names)
    expect.soft(readFileSync(join(s.dir, 'archive', CALENDAR, '2026-07-01', name)), name).toEqual(Buffer.from(contents[name]!))
  const days = await s.rows(CALENDAR, 'date::VARCHAR AS day', 'ORDER BY 1')
  expect([releases(CALENDAR).length, days.map(row => row['day'])]).toEqual([1, ['2026-06-19', '2026-06-22', '2026-06-23', '2026-06-24']])
})

it('a feed file takes its day from its file name or folder, and is refused when its content states another day', async () => {
  inbox.drop('feeds/twse-t86/T86_20260629.json', t86Body('2026-06-29', { '2330': [1, 2, 3] }))
  inbox.drop('feeds/twse-t86/2026-06-30/T86.json', t86Body('2026-06-30', { '2330': [4, 5, 6] }))
  inbox.drop('feeds/twse-t86/2026-06-26/echo.json', t86Body('2026-06-25', { '2330': [7, 8, 9] }))
  inbox.drop('feeds/twse-t86/2026-06-27/T86.json', EMPTY)
  const events = await inbox.once()
  expect(outcomesOf(events)).toMatchObject({
    'T86_20260629.json': 'published',
    '2026-06-30/T86.json': 'published',
    '2026-06-26/echo.json': 'wrong_day',
    '2026-06-27/T86.json': 'empty',
  })
  expect(releases(TRADES)).toHaveLength(1)
  expect(inbox.files('archive')).toEqual([
    'feeds/twse-t86/2026-07-01/2026-06-27/T86.json',
    'feeds/twse-t86/2026-07-01/2026-06-30/T86.json',
    'feeds/twse-t86/2026-07-01/T86_20260629.json',
    'taken.ndjson',
  ])
})

it('a feed file without a day in content, name or folder is refused, and the report states how to name the file', async () => {
  inbox.drop('feeds/indices/list.json', '[{"symbol":"t00","exchange":"TWSE","name":"發行量加權股價指數"}]')
  const [event] = await inbox.once()
  expect(event).toMatchObject({
    files: [
      {
        outcome: 'refused',
        rule: 'day_not_stated',
        said: [expect.stringMatching(/In the inbox, put the date into the file name/)],
      },
    ],
  })
})

it('refused files go to quarantine with a report, and the other files are published', async () => {
  inbox.drop(`${CALENDAR}/more.csv`, 'market,date,is_open,extra\nTWSE,2026-06-22,false,1\n')
  inbox.drop(`${CALENDAR}/less.csv`, 'market,date\nTWSE,2026-06-22\n')
  inbox.drop(`${CALENDAR}/cut.csv.gz`, gzipSync(calendar('2026-06-23')).subarray(0, 30))
  inbox.drop(`${CALENDAR}/good.csv`, calendar('2026-06-19'))
  const events = await inbox.once()
  expect(outcomesOf(events)).toEqual({
    'more.csv': 'unknown_column',
    'less.csv': 'missing_column',
    'cut.csv.gz': 'unreadable',
    'good.csv': 'published',
  })
  expect(inbox.files('inbox')).toEqual([])
  const quarantined = inbox.files('quarantine').filter(path => !path.endsWith('report.json'))
  expect(quarantined.map(path => path.split('/').at(-1))).toEqual(['cut.csv.gz', 'less.csv', 'more.csv'])
  const report = join(s.dir, 'quarantine', quarantined[1]!, '..', 'report.json')
  expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({
    for: CALENDAR,
    faults: [{ rule: 'missing_column', column: 'is_open' }],
  })
})

it('unfinished and hidden files stay in the inbox', async () => {
  const names = ['.a.csv', 'a.csv.part', 'a.csv.tmp', 'a.csv~', 'a.csv.filepart', '.hidden/a.csv', 'b.csv.done']
  for (const name of names) inbox.drop(`${CALENDAR}/${name}`, calendar('2026-06-19'))
  expect(await inbox.once()).toEqual([])
  expect(inbox.files('inbox')).toHaveLength(names.length)
})

it('links, pipes, unknown folders and files outside folders are reported and left in place', async () => {
  const secret = join(s.dir, 'secret.csv')
  writeFileSync(secret, calendar('2026-06-19'))
  inbox.drop('trading-calender/a.csv', 'x')
  inbox.drop('feeds/twse-t68/a.json', 'x')
  inbox.drop('stray.csv', 'x')
  mkdirSync(join(s.dir, 'inbox', CALENDAR), { recursive: true })
  symlinkSync(secret, join(s.dir, 'inbox', CALENDAR, 'link.csv'))
  execFileSync('mkfifo', [join(s.dir, 'inbox', CALENDAR, 'pipe.csv')])
  const events = await inbox.once()
  expect(events.map(event => (event.kind === 'left' ? `${event.place}/${event.file}: ${event.message}` : event.kind)).sort()).toEqual([
    '/stray.csv: The file is not in the folder of a dataset or feed. Move it into the right one.',
    'feeds/twse-t68/a.json: There is no feed named twse-t68; did you mean feeds/twse-t86? Rename the folder and its files are picked up.',
    'trading-calendar/link.csv: This is a symbolic link. Put the file itself here.',
    'trading-calendar/pipe.csv: This is a pipe, not a regular file. Save its content to a file first.',
    'trading-calender/a.csv: There is no dataset named trading-calender; did you mean trading-calendar? Rename the folder and its files are picked up.',
  ])
  expect(existsSync(secret)).toBe(true)
  expect(existsSync(join(s.workspace.releases, CALENDAR))).toBe(false)
})

it('files with equal bytes are published once, and the other copies are reported as already published', async () => {
  for (const name of ['a.csv', 'b.csv', 'c.csv']) inbox.drop(`${CALENDAR}/${name}`, calendar('2026-06-19'))
  const events = await inbox.once()
  expect(outcomesOf(events)).toEqual({ 'a.csv': 'published', 'b.csv': 'already', 'c.csv': 'already' })
  expect(releases(CALENDAR)).toHaveLength(1)
  expect(inbox.files('archive')).toHaveLength(4)
})

it('a file that is dropped a second time is archived and not published, even if later rows replaced its rows', async () => {
  const first = calendar('2026-06-19')
  inbox.drop(`${CALENDAR}/a.csv`, first)
  await inbox.once()
  inbox.drop(`${CALENDAR}/b.csv`, first.replace('false', 'true'))
  await inbox.once()
  const before = releases(CALENDAR)
  inbox.drop(`${CALENDAR}/late.csv`, first)
  expect(outcomesOf(await inbox.once())).toEqual({ 'late.csv': 'already' })
  expect(releases(CALENDAR)).toEqual(before)
})

it('if a killed watcher left a published file in the inbox, the file is archived and adds no release', async () => {
  const file = inbox.drop(`${CALENDAR}/a.csv`, calendar('2026-06-19'))
  await s.publishFiles(CALENDAR, [file], { oneByOne: true })
  inbox.drop(`${CALENDAR}/b.csv`, calendar('2026-06-22'))
  const events = await inbox.once()
  expect(outcomesOf(events)).toEqual({ 'a.csv': 'unchanged', 'b.csv': 'published' })
  expect(sourcesOf(CALENDAR)).toEqual(['b.csv'])
  expect(inbox.files('inbox')).toEqual([])
})

it('files wait in the inbox while another process publishes their dataset; files of other datasets are published', async () => {
  inbox.drop(`${CALENDAR}/a.csv`, calendar('2026-06-19'))
  inbox.drop('feeds/twse-t86/T86_20260630.json', t86Body('2026-06-30', { '2330': [4, 5, 6] }))
  const events = await withLock(join(s.workspace.releases, CALENDAR), () => inbox.once())
  expect(events.filter(({ kind }) => kind === 'failed')).toMatchObject([{ place: CALENDAR, againInMs: 1_000 }])
  expect(outcomesOf(events)).toEqual({ 'T86_20260630.json': 'published' })
  expect(inbox.files('inbox')).toEqual([`${CALENDAR}/a.csv`])
  expect(outcomesOf(await inbox.once())).toEqual({ 'a.csv': 'published' })
})

it('a second watcher of the same data folder is refused', async () => {
  await withLock(join(s.dir, 'inbox'), () => expect(inbox.once()).rejects.toThrow(/already watches this inbox/), {
    file: '.watching',
    rule: 'being_watched',
    taken: () => '',
  })
})
