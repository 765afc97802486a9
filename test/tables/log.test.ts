import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Dataset, Row } from '../../catalog/index.ts'
import { rebuildTable, serveAgain, type Workspace } from '../../ingest/publish/index.ts'
import { checkLog, logFolder } from '../../src/tables/index.ts'
import { day, trade } from '../fixtures/publish/rows.ts'
import { releaseIds, stored, storedRows } from '../fixtures/publish/store.ts'
import { replayed, rowsAt } from '../fixtures/tables/log.ts'
import { dataFolder, NOW, openTestWorkspace, publishRows } from '../support.ts'

const SLUG = 'institutional-positioning'
let folder: Awaited<ReturnType<typeof dataFolder>>
let w: Workspace
let dataset: Dataset
let minutes = 0
beforeEach(async () => {
  folder = await dataFolder()
  w = await openTestWorkspace(folder.dir, () => new Date(NOW.getTime() + ++minutes * 60_000))
  dataset = w.catalog.get(SLUG)!
})
afterEach(async () => {
  w.close()
  await folder.remove()
})

const publish = (rows: readonly Row[], synthetic = false) => publishRows(w, folder.dir, dataset, rows, { synthetic })
const log = () => replayed(w.releases, SLUG)
const logDir = () => logFolder(w.releases, SLUG)
const commitFile = (version: number) => join(logDir(), `${String(version).padStart(20, '0')}.json`)
const texts = () => Object.fromEntries(readdirSync(logDir()).map(name => [name, readFileSync(join(logDir(), name), 'utf8')]))
const releases = () => log().map(({ release }) => release)
const check = async () => (await checkLog(w.releases, dataset)).fault

/** Publishes and gives the release with its rows as they are served. */
async function released(rows: readonly Row[]) {
  const { release } = await publish(rows)
  return { release: release!, rows: await storedRows(w.session, w.releases, SLUG, '*', 'ORDER BY ALL') }
}

describe('the log of an open table', () => {
  it('has a version for each time a release became the served one, and each holds exactly its rows', async () => {
    const made = [
      await released(day('2026-05-28', 1)),
      // An append, a revision, and rows of a new month, which are folded into the buckets.
      await released(day('2026-05-29', 2)),
      await released([trade('2330', '2026-05-28', 999)]),
      await released(day('2026-06-01', 3)),
    ]
    await serveAgain(w, dataset, made[1]!.release)
    made.push(made[1]!, await released(day('2026-06-02', 4)))

    expect(releases()).toEqual(made.map(({ release }) => release))
    for (const [version, { rows }] of made.entries()) expect(await rowsAt(w.session, w.releases, SLUG, log()[version]!)).toEqual(rows)
    expect(log().map(({ at }) => at)).toEqual([...log()].map(({ at }) => at).sort())
    expect(new Set(log().map(({ at }) => at)).size).toBe(made.length)
    for (const [version, { at }] of log().entries()) expect(statSync(commitFile(version)).mtimeMs).toBe(at)
    expect(await check()).toBeNull()
  })

  it('says once what the table is, and that no other engine may write it', async () => {
    await publish(day('2026-06-29', 1))
    await publish(day('2026-06-30', 2))
    expect(log().map(({ actions }) => actions)).toEqual([
      ['commitInfo', 'protocol', 'metaData', 'add'],
      ['commitInfo', 'add'],
    ])
    const protocol = JSON.parse(readFileSync(commitFile(0), 'utf8').split('\n')[1]!)
    expect(protocol).toEqual({
      protocol: { minReaderVersion: 1, minWriterVersion: 7, writerFeatures: ['inCommitTimestamp', 'invariants', 'twmdManaged'] },
    })
  })

  it('names no row twice where a series lies there by month, too', async () => {
    const tickers = Array.from({ length: 100 }, (_, index) => String(1_101 + index))
    const days = Array.from({ length: 280 }, (_, index) =>
      new Date(Date.parse('2025-06-01') + index * 86_400_000).toISOString().slice(0, 10),
    )
    await publishRows(
      w,
      folder.dir,
      dataset,
      days.flatMap(date => day(date, 1, tickers)),
      { accept: ['same_body', 'closed_day'] },
    )
    const { manifest } = stored(w.releases, SLUG)
    expect(manifest.months?.length).toBeGreaterThan(1)
    expect(log()[0]!.files).toEqual(manifest.parts.map(({ sha256 }) => `parts/${sha256}.parquet`).sort())
  })

  it('tells that real rows took the place of samples', async () => {
    await publish(day('2026-06-29', 1), true)
    await publish(day('2026-06-30', 2))
    expect(releases()).toEqual(releaseIds(w.releases, SLUG))
    rmSync(logDir(), { recursive: true })
    await rebuildTable(w, dataset)
    expect(releases()).toEqual(releaseIds(w.releases, SLUG))
  })

  it('says of every version that it holds samples, and of the table as long as it does', async () => {
    await publish(day('2026-06-29', 1), true)
    await publish(day('2026-06-30', 2))
    await serveAgain(w, dataset, releaseIds(w.releases, SLUG)[0]!)
    const commits = Object.values(texts()).map(text =>
      Object.assign(
        {},
        ...text
          .trimEnd()
          .split('\n')
          .map(line => JSON.parse(line)),
      ),
    )
    expect(
      commits.map(({ commitInfo: { operationParameters, userMetadata }, metaData }) => [
        operationParameters.synthetic,
        userMetadata === `${operationParameters.release}${operationParameters.synthetic ? ' (sample data)' : ''}`,
        metaData.description.startsWith('Sample data, made up. '),
        metaData.configuration['twmd.synthetic'],
      ]),
    ).toEqual([
      ['true', true, true, 'true'],
      [undefined, true, false, undefined],
      ['true', true, true, 'true'],
    ])
  })

  it('tells that samples are served again after real rows', async () => {
    await publish(day('2026-06-29', 1), true)
    await publish(day('2026-06-30', 2))
    const [samples, real] = releaseIds(w.releases, SLUG)
    await serveAgain(w, dataset, samples!)
    await serveAgain(w, dataset, real!)
    await serveAgain(w, dataset, samples!)
    const before = texts()
    expect(releases()).toEqual([samples, real, samples, real, samples])
    rmSync(logDir(), { recursive: true })
    await rebuildTable(w, dataset)
    expect(texts()).toEqual(before)
  })

  it('gains nothing from a publication without changes', async () => {
    await publish(day('2026-06-29', 1))
    const before = texts()
    await publish(day('2026-06-29', 1))
    expect(texts()).toEqual(before)
  })
})

describe('a log that is not whole', () => {
  beforeEach(async () => {
    await publish(day('2026-06-24', 1))
    await publish(day('2026-06-25', 2))
    await serveAgain(w, dataset, releaseIds(w.releases, SLUG)[0]!)
    await publish(day('2026-06-26', 3))
    await publish(day('2026-06-29', 4))
  })

  it('is written again byte for byte from the releases and withdrawals that are kept', async () => {
    const before = texts()
    rmSync(logDir(), { recursive: true })
    expect(await check()).toBe('there is none')
    expect(await rebuildTable(w, dataset)).toEqual({ status: 'rebuilt', version: 4, written: 5, because: 'there was none' })
    expect(texts()).toEqual(before)
    expect(await rebuildTable(w, dataset)).toEqual({ status: 'whole', version: 4, written: 0, because: null })
  })

  it.each([1, 2, 3, 4])('is continued by the next publication when it ends %i versions too early', async lacking => {
    const before = texts()
    for (let version = 5 - lacking; version < 5; version++) rmSync(commitFile(version))
    expect(await check()).toContain('is served')
    await publish(day('2026-06-30', 5))
    expect(log().length).toBe(6)
    expect(texts()).toMatchObject(before)
    expect(await check()).toBeNull()
  })

  it.each([
    ['lacks a version', () => rmSync(commitFile(2))],
    ['has a flipped bit', () => flip(commitFile(1))],
    ['has half a commit', () => writeFileSync(commitFile(4), readFileSync(commitFile(4)).subarray(0, 300))],
    ['has an empty commit', () => writeFileSync(commitFile(0), '')],
  ])('is mended by the next publication when it %s, and nothing else in it is written anew', async (_, damage) => {
    const before = texts()
    const times = [0, 1, 2, 3, 4].map(version => statSync(commitFile(version)).ino)
    damage()
    expect(await check()).toMatch(/missing|damaged/)
    await publish(day('2026-06-30', 5))
    expect(texts()).toMatchObject(before)
    expect(await check()).toBeNull()
    expect([0, 1, 2, 3, 4].filter(version => statSync(commitFile(version)).ino !== times[version]).length).toBe(1)
  })

  it('is exchanged when it tells of other parts than were released', async () => {
    const before = texts()
    await publishRows(w, folder.dir, w.catalog.get('daily-prices')!, w.catalog.get('daily-prices')!.example)
    rmSync(logDir(), { recursive: true })
    mkdirSync(logDir())
    for (const [name, text] of Object.entries(replayedTexts('daily-prices'))) writeFileSync(join(logDir(), name), text)
    expect(await check()).not.toBeNull()
    await rebuildTable(w, dataset)
    expect(texts()).toEqual(before)
    expect(readdirSync(join(logDir(), '..')).filter(name => name.startsWith('.'))).toEqual([])
  })

  it('keeps versions of releases that are gone, and tells of those that are kept when it is written anew', async () => {
    rmSync(join(logDir(), '..', releaseIds(w.releases, SLUG)[1]!), { recursive: true })
    expect(await check()).toBeNull()
    await publish(day('2026-06-30', 5))
    expect(log().length).toBe(6)
    rmSync(logDir(), { recursive: true })
    await rebuildTable(w, dataset)
    expect([...new Set(releases())]).toEqual(releaseIds(w.releases, SLUG))
    expect(await check()).toBeNull()
  })

  it('loses what a killed writer left in it', async () => {
    writeFileSync(join(logDir(), '.00000000000000000005.json.draft'), '{')
    await publish(day('2026-06-30', 5))
    expect(readdirSync(logDir()).filter(name => name.startsWith('.'))).toEqual([])
  })

  it('does not keep a release from being served, and is written later', async () => {
    rmSync(logDir(), { recursive: true })
    writeFileSync(logDir(), 'in the way')
    const { status, notices } = await publish(day('2026-06-30', 5))
    expect(status).toBe('published')
    expect(notices.map(({ rule }) => rule)).toContain('table_log')
    rmSync(logDir())
    await publish(day('2026-07-01', 6))
    expect(await check()).toBeNull()
  })
})

const flip = (file: string): void => {
  const bytes = readFileSync(file)
  bytes[bytes.length >> 1]! ^= 4
  writeFileSync(file, bytes)
}
const replayedTexts = (slug: string) => {
  const from = logFolder(w.releases, slug)
  return Object.fromEntries(readdirSync(from).map(name => [name, readFileSync(join(from, name), 'utf8')]))
}
