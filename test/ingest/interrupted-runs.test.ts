import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isTradingDay } from '../../ingest/calendar/index.ts'
import type { Feed } from '../../ingest/formats/index.ts'
import { type Ingested, ingestFiles } from '../../ingest/index.ts'
import { addDays } from '../../src/core/index.ts'
import { CHECKOUT, ended, startTwmd, twmdOf } from '../fixtures/cli/twmd.ts'
import { feeds, t86Body } from '../fixtures/ingest/bodies.ts'
import { service, type TestService } from '../support.ts'

const TRADES = 'institutional-positioning'
const FILES = 120
let s: TestService
let folder: string
beforeEach(async () => {
  s = await service({ examples: false })
  folder = join(s.dir, 'days')
  mkdirSync(folder)
})
afterEach(() => s.close())

const days: string[] = []
for (let day = '2026-06-30'; days.length < FILES; day = addDays(day, -1)) if (isTradingDay(day)) days.unshift(day)
const dayFile = (day: string, shares: number): string => {
  const file = join(folder, `${day}.json`)
  writeFileSync(file, t86Body(day, { '2330': [shares, 0, 0], '0050': [0, shares, 0] }))
  // A time that a test can give it back to the last digit.
  utimesSync(file, 1_780_000_000 + shares, 1_780_000_000 + shares)
  return file
}
const dayFiles = (): readonly string[] => days.map((day, index) => dayFile(day, 1_001 + index))

/** Other bytes that nobody could tell from the file's by its size and time. */
function replaceUnseen(file: string, from: string, to: string): void {
  const { mtime, size } = statSync(file)
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(from, to))
  utimesSync(file, mtime, mtime)
  expect(statSync(file).size).toBe(size)
}

/** @param stopAfter files, after which the run fails as a machine does */
const run = (files: readonly string[], stopAfter?: number): Promise<Ingested> =>
  ingestFiles(s.workspace, feeds.get('twse-t86')!, files, {
    requestedDay: undefined,
    accept: [],
    progress(done) {
      if (done === stopAfter) throw new Error('stopped')
    },
  })

const interrupted = (files: readonly string[]) => expect(run(files, 110)).rejects.toThrow('stopped')

/** The command over the folder, killed once some of it is written down. */
async function killed(): Promise<void> {
  const child = startTwmd(s.dir, ['ingest', 'twse-t86', folder])
  const staging = join(s.dir, 'staging')
  const hasJournal = (): boolean =>
    existsSync(staging) &&
    readdirSync(staging).some(name => (statSync(join(staging, name, 'files.ndjson'), { throwIfNoEntry: false })?.size ?? 0) > 0)
  while (!hasJournal() && child.exitCode === null) await new Promise(resolve => setTimeout(resolve, 1))
  child.kill('SIGKILL')
  await ended(child)
}

/** Foreign net of 2330 on a day that is served. */
async function servedShares(day: string): Promise<unknown> {
  await s.releases.refresh()
  const answer = await s.get(`/v2/datasets/${TRADES}?symbol=2330&start_date=${day}&end_date=${day}`, s.keyOn('pro'))
  return answer.json().data[0].foreign_net_buy
}

describe('interrupted ingest runs', () => {
  it('an interrupted ingest run resumes without rereading files and publishes one release', async () => {
    const files = dayFiles()
    await interrupted(files)
    replaceUnseen(files[0]!, '"1,001"', '"9,001"')
    const { results, publications } = await run(files)
    expect(publications).toMatchObject([{ dataset: TRADES, outcome: { status: 'published', changes: { rows_added: 2 * FILES } } }])
    expect(results.map(({ file, outcome, rows }) => [file, outcome, rows])).toEqual(days.map(day => [`${day}.json`, 'published', 2]))
    expect([await servedShares(days[0]!), await servedShares(days.at(-1)!)]).toEqual([1_001, 1_000 + FILES])
    expect(readdirSync(join(s.dir, 'staging'))).toEqual([])
  })

  it('an interrupted ingest run resumes when files were added after those it had read', async () => {
    const files = dayFiles()
    await interrupted(files.slice(0, -1))
    replaceUnseen(files[0]!, '"1,001"', '"9,001"')
    const { publications } = await run(files)
    expect(publications).toMatchObject([{ outcome: { changes: { rows_added: 2 * FILES } } }])
    expect(await servedShares(days[0]!)).toBe(1_001)
  })

  it.each<[string, (files: readonly string[]) => readonly string[]]>([
    ['a file that was read has changed', files => [dayFile(days[0]!, 7_777), ...files.slice(1)]],
    ['a file that was read is no longer named', files => files.slice(1)],
    ['files that were read are named in another order', files => [files[1]!, files[0]!, ...files.slice(2)]],
  ])('an interrupted ingest run starts over when %s', async (_, change) => {
    const files = dayFiles()
    await interrupted(files)
    replaceUnseen(files[1]!, '"1,002"', '"9,002"')
    const named = change(files)
    const { publications } = await run(named)
    expect(publications).toMatchObject([{ outcome: { changes: { rows_added: 2 * named.length } } }])
    expect(await servedShares(days[1]!)).toBe(9_002)
  })

  it.each([
    ['a spooled row', `${TRADES}.csv`, ',1001,', ',1003,'],
    [
      'the recorded end of the spooled rows',
      'files.ndjson',
      '"ends":{"institutional-positioning":[',
      '"ends":{"institutional-positioning":[1',
    ],
    ['the journal of files', 'files.ndjson', '"path":"', '"qath":"'],
  ])('an interrupted ingest run starts over when %s is corrupt', async (_, name, from, to) => {
    const files = dayFiles()
    await interrupted(files)
    replaceUnseen(files[1]!, '"1,002"', '"9,002"')
    const [spool = ''] = readdirSync(join(s.dir, 'staging'))
    const file = join(s.dir, 'staging', spool, name)
    const text = readFileSync(file, 'utf8')
    expect(text).toContain(from)
    writeFileSync(file, text.replace(from, to))
    const { publications } = await run(files)
    expect(publications).toMatchObject([{ outcome: { changes: { rows_added: 2 * FILES } } }])
    expect([await servedShares(days[0]!), await servedShares(days[1]!)]).toEqual([1_001, 9_002])
  })

  it("an interrupted ingest run starts over under another version of the feed's code", async () => {
    const files = dayFiles()
    await killed()
    const checkout = join(s.dir, 'checkout')
    for (const name of ['catalog', 'ingest', 'src', 'package.json']) cpSync(join(CHECKOUT, name), join(checkout, name), { recursive: true })
    symlinkSync(join(CHECKOUT, 'node_modules'), join(checkout, 'node_modules'))
    const feed = join(checkout, 'ingest/feeds/twse-t86.ts')
    writeFileSync(feed, `${readFileSync(feed, 'utf8')}\n/* another version */\n`)
    replaceUnseen(files[1]!, '"1,002"', '"9,002"')
    expect(await twmdOf(checkout, s.dir, 'ingest', 'twse-t86', folder)).toMatchObject({ code: 0 })
    expect(await servedShares(days[1]!)).toBe(9_002)
  })

  it('a resumed ingest run reports an earlier refused file again and quarantines it once', async () => {
    const files = dayFiles()
    writeFileSync(files[3]!, '<html><title>Home</title></html>')
    await interrupted(files)
    const { results } = await run(files)
    expect(results.filter(({ outcome }) => outcome === 'refused')).toMatchObject([{ file: `${days[3]}.json` }])
    expect(readdirSync(join(s.dir, 'quarantine'))).toHaveLength(1)
  })

  it('twmd ingest resumes after a kill when the same command is repeated', async () => {
    const files = dayFiles()
    await killed()
    replaceUnseen(files[0]!, '"1,001"', '"9,001"')
    const { code, stdout } = await ended(startTwmd(s.dir, ['ingest', 'twse-t86', folder]))
    expect([code, stdout]).toEqual([0, expect.stringContaining(`twse-t86: ${FILES} published, 0 unchanged, 0 empty, 0 refused.`)])
    expect(await servedShares(days[0]!)).toBe(1_001)
  })
})

it('a spooled row of more than two million bytes is read back whole', async () => {
  const feed = feeds.get('twse-t86')!
  const market = 'x'.repeat(3_000_000)
  const wordy: Feed = {
    ...feed,
    parse(...given) {
      const parsed = feed.parse(...given)
      return parsed.kind === 'rows' ? { ...parsed, rows: { [TRADES]: parsed.rows[TRADES]!.map(row => ({ ...row, market })) } } : parsed
    },
  }
  const options = { requestedDay: undefined, accept: [], progress: () => {} }
  const { results } = await ingestFiles(s.workspace, wordy, [dayFile(days[0]!, 1)], options)
  expect(results).toMatchObject([{ outcome: 'refused', said: 'known_market' }])
})
