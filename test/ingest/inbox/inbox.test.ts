import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ingestFiles, publishFiles } from '../../../ingest/index.ts'
import { serveAgain, withLock } from '../../../ingest/publish/index.ts'
import { CLI, environment } from '../../fixtures/cli/twmd.ts'
import { EMPTY, feeds, t86Body } from '../../fixtures/ingest/bodies.ts'
import { releaseIds, stored } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'
import { inboxOf, outcomesOf, publicationsOf, type TestInbox } from './inbox.ts'

const CALENDAR = 'trading-calendar'
const TRADES = 'institutional-positioning'
const calendar = (...days: readonly string[]): string => ['market,date,is_open', ...days.map(day => `TWSE,${day},false`), ''].join('\n')
let s: TestService
let inbox: TestInbox
beforeEach(async () => {
  s = await service({ examples: false })
  inbox = inboxOf(s)
})
afterEach(() => s.close())

const releases = (slug: string) => releaseIds(s.workspace.releases, slug)
const sourcesOf = (slug: string) => stored(s.workspace.releases, slug).manifest.sources.map(({ name }) => name)

describe('a file dropped into the inbox', () => {
  it.each([
    ['a.csv', calendar('2026-06-19')],
    ['a.csv.gz', gzipSync(calendar('2026-06-19'))],
    ['a.ndjson.zst', zstdCompressSync('{"market":"TWSE","date":"2026-06-19","is_open":false}\n')],
    ['a.json', '[{"market":"TWSE","date":"2026-06-19","is_open":false}]'],
  ])('is published and moved to the archive, by its folder and the day, under its own name: %s', async (name, content) => {
    inbox.drop(`${CALENDAR}/${name}`, content)
    const events = await inbox.once()
    expect(events).toMatchObject([{ kind: 'taken', place: CALENDAR, files: [{ file: name, outcome: 'published', rule: null }] }])
    expect(inbox.files('inbox')).toEqual([])
    expect(inbox.files('archive')).toEqual(['taken.ndjson', `${CALENDAR}/2026-07-01/${name}`])
    expect(readFileSync(join(s.dir, 'archive', CALENDAR, '2026-07-01', name))).toEqual(Buffer.from(content))
    const { data } = (await s.get(`/v2/datasets/${CALENDAR}?market=TWSE&is_open=false`, s.keyOn('free'))).json()
    expect(data).toMatchObject([{ date: '2026-06-19', is_open: false }])
  })

  it('finds a place in the archive where a file of that day has the name of its folder', async () => {
    inbox.drop('feeds/twse-t86/2026-06-30', t86Body('2026-06-30', { '2330': [1, 0, 0] }))
    await inbox.once()
    inbox.drop('feeds/twse-t86/2026-06-30/t86.json', t86Body('2026-06-30', { '2330': [7, 0, 0] }))
    inbox.drop('feeds/twse-t86/z_20260626.json', t86Body('2026-06-26', { '2330': [7, 0, 0] }))
    await inbox.once()
    expect(inbox.files('inbox')).toEqual([])
    expect(inbox.files('archive')).toEqual(
      expect.arrayContaining(['feeds/twse-t86/2026-07-01/2026-06-30', 'feeds/twse-t86/2026-07-01.2/2026-06-30/t86.json']),
    )
  })

  it('of a feed may tell its day by its name or its folder', async () => {
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

  it('of a feed that needs a day and is told none is refused, with the way to tell it', async () => {
    inbox.drop('feeds/indices/list.json', '[{"symbol":"t00","exchange":"TWSE","name":"發行量加權股價指數"}]')
    const [event] = await inbox.once()
    expect(event).toMatchObject({
      files: [{ outcome: 'refused', rule: 'day_not_stated', said: [expect.stringMatching(/In the inbox a file tells it by its name/)] }],
    })
  })

  it('is put into quarantine with its report where it is refused, and the good ones beside it are published', async () => {
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
    const kept = inbox.files('quarantine').filter(path => !path.endsWith('report.json'))
    expect(kept.map(path => path.split('/').at(-1))).toEqual(['cut.csv.gz', 'less.csv', 'more.csv'])
    const report = join(s.dir, 'quarantine', kept[1]!, '..', 'report.json')
    expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({
      for: CALENDAR,
      faults: [{ rule: 'missing_column', column: 'is_open' }],
    })
  })

  it('never takes the place of another in the archive', async () => {
    for (const day of ['2026-06-19', '2026-06-22', '2026-06-23']) {
      inbox.drop(`${CALENDAR}/closed.csv`, calendar(day))
      await inbox.once()
    }
    const days = ['2026-07-01.2', '2026-07-01.3', '2026-07-01']
    expect(inbox.files('archive')).toEqual(['taken.ndjson', ...days.map(day => `${CALENDAR}/${day}/closed.csv`)])
  })

  it('stays where the quarantine has no room for it, under a name that is not taken again', async () => {
    inbox.drop(`${CALENDAR}/large.ndjson`, `${JSON.stringify({ market: 'x'.repeat(1_100_000) })}\n`)
    const env = environment(s.dir, { QUARANTINE_MAX_MB: '1', INBOX_SETTLE_MS: '100' })
    const run = () => execFileSync(process.execPath, [CLI, 'watch', '--once', '--json'], { env, encoding: 'utf8' })
    expect(run).toThrow(/Command failed/)
    expect(inbox.files('inbox')).toEqual([`${CALENDAR}/large.ndjson.refused`])
    expect(run()).toBe('')
  })
})

describe('what is not taken', () => {
  it('is what programs have not finished, and hidden files', async () => {
    const names = ['.a.csv', 'a.csv.part', 'a.csv.tmp', 'a.csv~', 'a.csv.filepart', '.hidden/a.csv', 'b.csv.done']
    for (const name of names) inbox.drop(`${CALENDAR}/${name}`, calendar('2026-06-19'))
    expect(await inbox.once()).toEqual([])
    expect(inbox.files('inbox')).toHaveLength(names.length)
  })

  it('is told once: links, pipes, folders that are no place, files in none', async () => {
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
      '/stray.csv: It lies in no folder of a dataset or feed; move it into the one it belongs to.',
      'feeds/twse-t68/a.json: There is no feed named twse-t68; did you mean feeds/twse-t86? Rename the folder, and its files are taken.',
      'trading-calendar/link.csv: It is a symbolic link; put the file itself here.',
      'trading-calendar/pipe.csv: It is a pipe, not a file; write what it gives into a file first.',
      'trading-calender/a.csv: There is no dataset named trading-calender; did you mean trading-calendar? Rename the folder, and its files are taken.',
    ])
    expect(existsSync(secret)).toBe(true)
    expect(existsSync(join(s.workspace.releases, CALENDAR))).toBe(false)
  })
})

it('a folder named as the mark of a whole file is no mark, and the file beside it is taken', async () => {
  const path = inbox.drop(`${CALENDAR}/a.csv`, calendar('2026-06-19'))
  mkdirSync(`${path}.done`)
  const events = await inbox.once()
  expect(events).toMatchObject([{ kind: 'taken' }])
  expect(outcomesOf(events)).toEqual({ 'a.csv': 'published' })
})

describe('many files at once', () => {
  it('are one publication, whatever their forms', async () => {
    const days = Array.from({ length: 1_000 }, (_, at) => new Date(Date.UTC(2008, 0, 1 + at)).toISOString().slice(0, 10))
    for (const [at, day] of days.entries()) {
      if (at % 2) inbox.drop(`${CALENDAR}/${day}.csv`, calendar(day))
      else inbox.drop(`${CALENDAR}/${day}.ndjson`, `{"market":"TWSE","date":"${day}","is_open":false}\n`)
    }
    const events = await inbox.once()
    expect(Object.values(outcomesOf(events)).filter(outcome => outcome === 'published')).toHaveLength(days.length)
    expect(releases(CALENDAR)).toHaveLength(1)
    expect(inbox.files('inbox')).toEqual([])
  })

  it('of which two are of one day are published one after the other, and the one written last stands', async () => {
    const older = inbox.drop('feeds/twse-t86/first_20260630.json', t86Body('2026-06-30', { '2330': [1, 1, 1] }))
    const newer = inbox.drop('feeds/twse-t86/again_20260630.json', t86Body('2026-06-30', { '2330': [2, 2, 2] }))
    inbox.drop('feeds/twse-t86/other_20260629.json', t86Body('2026-06-29', { '2330': [3, 3, 3] }))
    utimesSync(older, 1_000, 1_000)
    utimesSync(newer, 2_000, 2_000)
    const events = await inbox.once()
    expect(outcomesOf(events)).toEqual({
      'first_20260630.json': 'published',
      'again_20260630.json': 'published',
      'other_20260629.json': 'published',
    })
    expect(sourcesOf(TRADES)).toEqual(['again_20260630.json 2026-06-30'])
    expect(inbox.files('quarantine')).toEqual([])
  })

  it('that hold the same bytes are taken once; the others are said to be there already', async () => {
    for (const name of ['a.csv', 'b.csv', 'c.csv']) inbox.drop(`${CALENDAR}/${name}`, calendar('2026-06-19'))
    const events = await inbox.once()
    expect(outcomesOf(events)).toEqual({ 'a.csv': 'published', 'b.csv': 'already', 'c.csv': 'already' })
    expect(releases(CALENDAR)).toHaveLength(1)
    expect(inbox.files('archive')).toHaveLength(4)
  })

  it('that hold the same rows, packed or not, end as published and unchanged', async () => {
    inbox.drop(`${CALENDAR}/a.csv`, calendar('2026-06-19'))
    inbox.drop(`${CALENDAR}/a.csv.gz`, gzipSync(calendar('2026-06-19')))
    expect(Object.values(outcomesOf(await inbox.once())).sort()).toEqual(['published', 'unchanged'])
    expect(inbox.files('quarantine')).toEqual([])
  })
})

describe('a file that was taken before', () => {
  it('is only moved when it is dropped again, also after later rows replaced its own', async () => {
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

  it('is taken anew once its release was withdrawn', async () => {
    inbox.drop(`${CALENDAR}/a.csv`, calendar('2026-06-19'))
    await inbox.once()
    inbox.drop(`${CALENDAR}/b.csv`, calendar('2026-06-22'))
    await inbox.once()
    await serveAgain(s.workspace, s.dataset(CALENDAR), releases(CALENDAR)[0]!)
    inbox.drop(`${CALENDAR}/b.csv`, calendar('2026-06-22'))
    expect(outcomesOf(await inbox.once())).toEqual({ 'b.csv': 'published' })
    expect(sourcesOf(CALENDAR)).toEqual(['b.csv'])
  })

  it('is read anew where an earlier version of its feed had read it', async () => {
    const drop = () => inbox.drop('feeds/twse-t86/T86_20260629.json', t86Body('2026-06-29', { '2330': [1, 2, 3] }))
    drop()
    await inbox.once()
    const journal = join(s.dir, 'archive', 'taken.ndjson')
    const earlier = readFileSync(journal, 'utf8').replace(/,"sum":"[^"]+"/, '')
    writeFileSync(journal, earlier.replace(/"read_by":"[^"]+"/, '"read_by":"0123456789ab"'))
    drop()
    const again = await inbox.once()
    expect(outcomesOf(again)).toEqual({ 'T86_20260629.json': 'unchanged' })
    expect(again).toMatchObject([{ files: [{ said: [expect.stringContaining('read by an earlier version of the feed')] }] }])
    drop()
    expect(outcomesOf(await inbox.once())).toEqual({ 'T86_20260629.json': 'already' })
  })

  it('and not moved, because the watcher was killed, is found in the release and only moved', async () => {
    const file = inbox.drop(`${CALENDAR}/a.csv`, calendar('2026-06-19'))
    await publishFiles(s.workspace, s.dataset(CALENDAR), [file], { accept: [], synthetic: false, oneByOne: true })
    inbox.drop(`${CALENDAR}/b.csv`, calendar('2026-06-22'))
    const events = await inbox.once()
    expect(outcomesOf(events)).toEqual({ 'a.csv': 'already', 'b.csv': 'published' })
    expect(sourcesOf(CALENDAR)).toEqual(['b.csv'])
    expect(inbox.files('inbox')).toEqual([])
  })

  it('and not moved, of a feed: what it still lacks is published, and no new release names it for the rest', async () => {
    const first = inbox.drop('feeds/twse-t86/T86_20260629.json', t86Body('2026-06-29', { '2330': [1, 2, 3] }))
    const options = { requestedDay: '2026-06-29', accept: [], progress: () => {} }
    await ingestFiles(s.workspace, feeds.get('twse-t86')!, [first], options)
    inbox.drop('feeds/twse-t86/T86_20260630.json', t86Body('2026-06-30', { '2330': [4, 5, 6] }))
    const events = await inbox.once()
    expect(outcomesOf(events)).toEqual({ 'T86_20260629.json': 'unchanged', 'T86_20260630.json': 'published' })
    expect(publicationsOf(events)).toEqual([
      [TRADES, 'unchanged'],
      [TRADES, 'published'],
    ])
    expect(sourcesOf(TRADES)).toEqual(['T86_20260630.json 2026-06-30'])
  })
})

describe('files that have to wait', () => {
  it('stay in the inbox while another process publishes their dataset, and others are taken', async () => {
    inbox.drop(`${CALENDAR}/a.csv`, calendar('2026-06-19'))
    inbox.drop('feeds/twse-t86/T86_20260630.json', t86Body('2026-06-30', { '2330': [4, 5, 6] }))
    const events = await withLock(join(s.workspace.releases, CALENDAR), () => inbox.once())
    expect(events.filter(({ kind }) => kind === 'failed')).toMatchObject([{ place: CALENDAR, againInMs: 1_000 }])
    expect(outcomesOf(events)).toEqual({ 'T86_20260630.json': 'published' })
    expect(inbox.files('inbox')).toEqual([`${CALENDAR}/a.csv`])
    expect(outcomesOf(await inbox.once())).toEqual({ 'a.csv': 'published' })
  })

  it('a second watcher of the same data folder is refused', async () => {
    const first = withLock(join(s.dir, 'inbox'), () => expect(inbox.once()).rejects.toThrow(/takes the files of this inbox already/), {
      file: '.watching',
      rule: 'being_watched',
      taken: () => '',
    })
    await first
  })
})
