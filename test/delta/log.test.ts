import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { rebuildTable, serveAgain } from '../../ingest/publish/index.ts'
import { day, trade } from '../fixtures/publish/rows.ts'
import { rowsAt } from '../fixtures/tables/log.ts'
import { NOW, publishRows } from '../support.ts'
import { fiveVersions, type LogWorkspace, openLogWorkspace, SLUG } from './log-workspace.ts'

let t: LogWorkspace
afterEach(() => t.close())

const flip = (file: string): void => {
  const bytes = readFileSync(file)
  bytes[bytes.length >> 1]! ^= 4
  writeFileSync(file, bytes)
}

describe('table logs', () => {
  beforeEach(async () => {
    t = await openLogWorkspace()
  })

  it('a table log gets a version each time a release becomes the served release, with exactly the rows of the release', async () => {
    const made = [
      await t.released(day('2026-05-28', 1)),
      // An append, a revision, and rows of a new month, which are merged into the buckets.
      await t.released(day('2026-05-29', 2)),
      await t.released([trade('2330', '2026-05-28', 999)]),
      await t.released(day('2026-06-01', 3)),
    ]
    await serveAgain(t.w, t.dataset, made[1]!.release)
    made.push(made[1]!, await t.released(day('2026-06-02', 4)))

    expect(t.releases()).toEqual(made.map(({ release }) => release))
    for (const [version, { rows }] of made.entries()) expect(await rowsAt(t.w.session, t.w.releases, SLUG, t.log()[version]!)).toEqual(rows)
    expect(t.log().map(({ at }) => at)).toEqual([...t.log()].map(({ at }) => at).sort())
    expect(new Set(t.log().map(({ at }) => at)).size).toBe(made.length)
    for (const [version, { at }] of t.log().entries()) expect(statSync(t.commitFile(version)).mtimeMs).toBe(at)
    expect(await t.check()).toBeNull()
  })

  it('versions of a table log have increasing times even if the clock stands still', async () => {
    const still = { ...t.w, clock: () => NOW }
    await publishRows(still, t.dir, t.dataset, day('2026-06-29', 1))
    await publishRows(still, t.dir, t.dataset, day('2026-06-30', 2))
    expect(t.log().map(({ at }) => at)).toEqual([NOW.getTime(), NOW.getTime() + 1])
  })

  it('a table log declares protocol and metadata once, and forbids other writers', async () => {
    await t.publish(day('2026-06-29', 1))
    await t.publish(day('2026-06-30', 2))
    expect(t.log().map(({ actions }) => actions)).toEqual([
      ['commitInfo', 'protocol', 'metaData', 'add'],
      ['commitInfo', 'add'],
    ])
    const protocol = JSON.parse(readFileSync(t.commitFile(0), 'utf8').split('\n')[1]!)
    expect(protocol).toEqual({
      protocol: { minReaderVersion: 1, minWriterVersion: 7, writerFeatures: ['inCommitTimestamp', 'invariants', 'twmdManaged'] },
    })
  })

  it('an unchanged publication adds nothing to a table log', async () => {
    await t.publish(day('2026-06-29', 1))
    const before = t.texts()
    await t.publish(day('2026-06-29', 1))
    expect(t.texts()).toEqual(before)
  })
})

describe('damaged table logs', () => {
  let original: LogWorkspace
  beforeAll(async () => {
    original = await fiveVersions()
  })
  afterAll(() => original.close())
  beforeEach(async () => {
    t = await openLogWorkspace(original.dir)
  })

  it('a rebuilt table log is byte for byte the same as the lost table log', async () => {
    const before = t.texts()
    rmSync(t.logDir(), { recursive: true })
    expect(await t.check()).toBe('there is no log')
    expect(await rebuildTable(t.w, t.dataset)).toEqual({ status: 'rebuilt', version: 4, written: 5, because: 'there was no log' })
    expect(t.texts()).toEqual(before)
    expect(await rebuildTable(t.w, t.dataset)).toEqual({ status: 'whole', version: 4, written: 0, because: null })
  })

  it.each([1, 2, 3, 4])('the next publication continues a table log that lacks its last %i versions', async lacking => {
    const before = t.texts()
    for (let version = 5 - lacking; version < 5; version++) rmSync(t.commitFile(version))
    expect(await t.check()).toContain('is served')
    await t.publish(day('2026-06-30', 5))
    expect(t.log().length).toBe(6)
    expect(t.texts()).toMatchObject(before)
    expect(await t.check()).toBeNull()
  })

  it.each([
    ['lacks a version', () => rmSync(t.commitFile(2))],
    ['has a flipped bit', () => flip(t.commitFile(1))],
    ['has half a commit', () => writeFileSync(t.commitFile(4), readFileSync(t.commitFile(4)).subarray(0, 300))],
    ['has an empty commit', () => writeFileSync(t.commitFile(0), '')],
  ])('the next publication repairs a table log that %s, and rewrites nothing else', async (_, damage) => {
    const before = t.texts()
    const times = [0, 1, 2, 3, 4].map(version => statSync(t.commitFile(version)).ino)
    damage()
    expect(await t.check()).toMatch(/missing|damaged/)
    await t.publish(day('2026-06-30', 5))
    expect(t.texts()).toMatchObject(before)
    expect(await t.check()).toBeNull()
    expect([0, 1, 2, 3, 4].filter(version => statSync(t.commitFile(version)).ino !== times[version]).length).toBe(1)
  })

  it('the next publication removes an unfinished file that a killed writer left in a table log', async () => {
    writeFileSync(join(t.logDir(), '.00000000000000000005.json.draft'), '{')
    await t.publish(day('2026-06-30', 5))
    expect(readdirSync(t.logDir()).filter(name => name.startsWith('.'))).toEqual([])
  })

  it('if a table log cannot be written, the publication still succeeds, and the log is written later', async () => {
    rmSync(t.logDir(), { recursive: true })
    writeFileSync(t.logDir(), 'in the way')
    const { status, notices } = await t.publish(day('2026-06-30', 5))
    expect(status).toBe('published')
    expect(notices.map(({ rule }) => rule)).toContain('table_log')
    rmSync(t.logDir())
    await t.publish(day('2026-07-01', 6))
    expect(await t.check()).toBeNull()
  })
})
