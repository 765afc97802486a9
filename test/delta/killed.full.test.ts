import { once } from 'node:events'
import { existsSync, readFileSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Row } from '../../catalog/index.ts'
import type { Workspace } from '../../ingest/publish/index.ts'
import { Manifest, releasePaths } from '../../src/releases/index.ts'
import { startTwmd, twmd } from '../fixtures/cli/twmd.ts'
import { replayed, rowsAt } from '../fixtures/tables/log.ts'
import { dataFolder, openTestWorkspace, publishRows } from '../support.ts'

const SLUG = 'bond-yield-curve'
/** Number of kills. `test/delta/run` sets fifty. */
const KILLS = Number(process.env['TABLES_KILLS'] ?? 4)
let folder: Awaited<ReturnType<typeof dataFolder>>
let w: Workspace
beforeEach(async () => {
  folder = await dataFolder()
  w = await openTestWorkspace(folder.dir)
})
afterEach(async () => {
  w.close()
  await folder.remove()
})

/** The example rows, all with the same mark. */
const marked = (mark: string): readonly Row[] => w.catalog.get(SLUG)!.example.map(row => ({ ...(row as Row), index_version: mark }))
const paths = () => releasePaths(w.releases, SLUG)
const current = (): string => readFileSync(paths().current, 'utf8').trim()
const partsOf = (release: string): readonly string[] =>
  Manifest.parse(JSON.parse(readFileSync(paths().manifest(release), 'utf8')))
    .parts.map(({ sha256 }) => `parts/${sha256}.parquet`)
    .sort()

/**
 * Starts a publication and kills it `afterMs` after `current` was replaced.
 * @returns whether it was killed
 */
async function killAfterServing(mark: string, afterMs: number): Promise<boolean> {
  const file = join(folder.dir, `${mark}.ndjson`)
  writeFileSync(
    file,
    marked(mark)
      .map(row => `${JSON.stringify(row)}\n`)
      .join(''),
  )
  const before = current()
  const child = startTwmd(folder.dir, ['publish', SLUG, file])
  const watcher = watch(paths().home, async (_, name) => {
    if (name !== 'current' || current() === before) return
    if (afterMs > 0) await sleep(afterMs)
    child.kill('SIGKILL')
  })
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null]
  watcher.close()
  return signal === 'SIGKILL'
}

/** Checks that a reader can open every version and that each version equals its release. */
function expectWhole(): void {
  for (const { release, files } of replayed(w.releases, SLUG)) {
    expect(files).toEqual(partsOf(release))
    for (const file of files) expect(existsSync(join(paths().home, file))).toBe(true)
  }
}

it('D1: if a publication is killed before it writes the log, the table stays readable; the next publication completes the log', async () => {
  await publishRows(w, folder.dir, w.catalog.get(SLUG)!, marked('first'))
  const served = [current()]
  let [kills, behind] = [0, 0]
  for (let attempt = 0; kills < KILLS && attempt < 3 * KILLS; attempt++) {
    if (await killAfterServing(`v${attempt}`, attempt % 8)) kills++
    served.push(current())
    expectWhole()
    if (replayed(w.releases, SLUG).at(-1)!.release !== current()) behind++
  }
  expect(kills).toBe(KILLS)
  expect(behind).toBeGreaterThan(0)
  expect(await twmd(folder.dir, 'publish', SLUG, join(folder.dir, 'v0.ndjson'))).toMatchObject({ code: 0 })
  expectWhole()
  expect(replayed(w.releases, SLUG).map(({ release }) => release)).toEqual([...served, current()])
  expect(await twmd(folder.dir, 'tables', 'check', SLUG)).toMatchObject({ code: 0 })
}, 600_000)

it('D3: during publications, each read of a table gets one whole release, never an older one than the read before', async () => {
  await publishRows(w, folder.dir, w.catalog.get(SLUG)!, marked('v0'))
  const reader = await openTestWorkspace(folder.dir)
  let hasEnded = false
  const publishing = (async () => {
    for (let version = 1; version <= 15; version++) await publishRows(w, folder.dir, w.catalog.get(SLUG)!, marked(`v${version}`))
    hasEnded = true
  })()
  const seen: number[] = []
  while (!hasEnded) {
    const versions = replayed(w.releases, SLUG)
    const rows = await rowsAt(reader.session, w.releases, SLUG, versions.at(-1)!)
    expect([rows.length, [...new Set(rows.map(row => row['index_version']))]]).toEqual([marked('').length, [`v${versions.length - 1}`]])
    seen.push(versions.length)
    await turn()
  }
  await publishing
  reader.close()
  expect(seen).toEqual(seen.toSorted((one, other) => one - other))
  expect(new Set(seen).size).toBeGreaterThan(5)
  expect(replayed(w.releases, SLUG).length).toBe(16)
}, 120_000)
