import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { rebuildTable, serveAgain } from '../../ingest/publish/index.ts'
import { day } from '../fixtures/publish/rows.ts'
import { releaseIds, stored } from '../fixtures/publish/store.ts'
import { publishRows } from '../support.ts'
import { fiveVersions, type LogWorkspace, openLogWorkspace, SLUG } from './log-workspace.ts'

let t: LogWorkspace
afterEach(() => t.close())

describe('table logs', () => {
  beforeEach(async () => {
    t = await openLogWorkspace()
  })

  it('a table log lists the parts of a release, but not its monthly parts', async () => {
    const tickers = Array.from({ length: 100 }, (_, index) => String(1_101 + index))
    const days = Array.from({ length: 280 }, (_, index) =>
      new Date(Date.parse('2025-06-01') + index * 86_400_000).toISOString().slice(0, 10),
    )
    await publishRows(
      t.w,
      t.dir,
      t.dataset,
      days.flatMap(date => day(date, 1, tickers)),
      { accept: ['same_body', 'closed_day'] },
    )
    const { manifest } = stored(t.w.releases, SLUG)
    expect(manifest.months?.length).toBeGreaterThan(1)
    expect(t.log()[0]!.files).toEqual(manifest.parts.map(({ sha256 }) => `parts/${sha256}.parquet`).sort())
  })

  it('a table log lists the release of samples and the real release that replaced it, also after a rebuild', async () => {
    await t.publish(day('2026-06-29', 1), true)
    await t.publish(day('2026-06-30', 2))
    expect(t.releases()).toEqual(releaseIds(t.w.releases, SLUG))
    rmSync(t.logDir(), { recursive: true })
    await rebuildTable(t.w, t.dataset)
    expect(t.releases()).toEqual(releaseIds(t.w.releases, SLUG))
  })

  it('a table log marks versions of samples, and marks the table while it serves samples', async () => {
    await t.publish(day('2026-06-29', 1), true)
    await t.publish(day('2026-06-30', 2))
    await serveAgain(t.w, t.dataset, releaseIds(t.w.releases, SLUG)[0]!)
    const commits = Object.values(t.texts()).map(text =>
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
        metaData.description.startsWith('Synthetic sample data. '),
        metaData.configuration['twmd.synthetic'],
      ]),
    ).toEqual([
      ['true', true, true, 'true'],
      [undefined, true, false, undefined],
      ['true', true, true, 'true'],
    ])
  })

  it('a rebuilt table log is byte for byte the same after samples and real rows alternate', async () => {
    await t.publish(day('2026-06-29', 1), true)
    await t.publish(day('2026-06-30', 2))
    const [samples, real] = releaseIds(t.w.releases, SLUG)
    await serveAgain(t.w, t.dataset, samples!)
    await serveAgain(t.w, t.dataset, real!)
    await serveAgain(t.w, t.dataset, samples!)
    const before = t.texts()
    expect(t.releases()).toEqual([samples, real, samples, real, samples])
    rmSync(t.logDir(), { recursive: true })
    await rebuildTable(t.w, t.dataset)
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

  it('a rebuild replaces a table log of another table', async () => {
    const before = t.texts()
    await publishRows(t.w, t.dir, t.w.catalog.get('daily-prices')!, t.w.catalog.get('daily-prices')!.example)
    rmSync(t.logDir(), { recursive: true })
    mkdirSync(t.logDir())
    for (const [name, text] of Object.entries(t.texts('daily-prices'))) writeFileSync(join(t.logDir(), name), text)
    expect(await t.check()).not.toBeNull()
    await rebuildTable(t.w, t.dataset)
    expect(t.texts()).toEqual(before)
    expect(readdirSync(join(t.logDir(), '..')).filter(name => name.startsWith('.'))).toEqual([])
  })

  it('a table log keeps versions of deleted releases until it is rebuilt', async () => {
    rmSync(join(t.logDir(), '..', releaseIds(t.w.releases, SLUG)[1]!), { recursive: true })
    expect(await t.check()).toBeNull()
    await t.publish(day('2026-06-30', 5))
    expect(t.log().length).toBe(6)
    rmSync(t.logDir(), { recursive: true })
    await rebuildTable(t.w, t.dataset)
    expect([...new Set(t.releases())]).toEqual(releaseIds(t.w.releases, SLUG))
    expect(await t.check()).toBeNull()
  })
})
