import { once } from 'node:events'
import { readdirSync, readFileSync, watch } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Manifest, releasePaths } from '../../../src/releases/index.ts'
import { startTwmd, twmd } from '../../fixtures/cli/twmd.ts'
import { damagedParts, releaseIds, stored } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'

const SLUG = 'broker-branch-reference'
/** Two buckets of them. */
const ROWS = 27_000
const KILLS = 20
let s: TestService
beforeAll(async () => {
  s = await service({ examples: false })
})
afterAll(() => s.close())

/** A file of rows that all carry one mark. */
async function version(mark: string): Promise<string> {
  const file = join(s.dir, `${mark}.parquet`)
  await s.workspace.session.run(
    `COPY (SELECT '5850' AS parent_broker_code, '統一' AS parent_broker_name, printf('%04x', i) AS branch_code, '${mark}' AS branch_name, 'TWSE' AS market,
       'twse' AS source_provider, 'canonical' AS source_role, 'open' AS source_family, '{}' AS source_lineage, '[]' AS data_gaps FROM range(${ROWS}) AS a(i))
     TO '${file}' (FORMAT parquet)`,
  )
  return file
}

/**
 * Starts a publication and kills it a while after the nth change it makes to the dataset's folder.
 *
 * @returns whether it was killed before it was done
 */
async function killAt(nth: number, afterMs: number, file: string): Promise<boolean> {
  const { home, parts } = releasePaths(s.workspace.releases, SLUG)
  const child = startTwmd(s.dir, ['publish', SLUG, file])
  let changes = 0
  const count = async (): Promise<void> => {
    if (++changes !== nth) return
    // The moment of the kill: at a change, or a while into what follows it.
    if (afterMs > 0) await sleep(afterMs)
    child.kill('SIGKILL')
  }
  const watchers = [home, parts].map(folder => watch(folder, () => void count()))
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null]
  for (const watcher of watchers) watcher.close()
  return signal === 'SIGKILL'
}

/** Reads the whole dataset over and over, until stopped. */
function keepReading(key: string) {
  let stopped = false
  let heard = Promise.withResolvers<void>()
  const answers: { readonly marks: readonly string[]; readonly rows: number; readonly release: unknown }[] = []
  const reading = (async () => {
    while (!stopped) {
      const { headers, body } = await s.get(`/v2/datasets/${SLUG}?columns=branch_name&limit=100000`, key)
      const names = ((JSON.parse(body).data ?? []) as readonly { branch_name: string }[]).map(row => row.branch_name)
      answers.push({ marks: [...new Set(names)], rows: names.length, release: headers['x-release'] })
      heard.resolve()
      heard = Promise.withResolvers()
      // Leaves most of the processor to the publication.
      await sleep(100)
    }
    return answers
  })()
  return {
    /** Resolves with the end of a read that began after the call. */
    async another(): Promise<void> {
      await heard.promise
      await heard.promise
    },
    /** @returns every answer's marks, rows and release */
    stop() {
      stopped = true
      return reading
    },
  }
}

describe('D1 a publication killed at any point', () => {
  it('leaves every answer entirely of one release and the served release intact on disk; the next publication cleans up after it', async () => {
    expect((await twmd(s.dir, 'publish', SLUG, await version('first'))).code).toBe(0)
    await s.releases.refresh()
    const reader = keepReading(s.keyOn('max'))

    let kills = 0
    try {
      for (let turn = 0; kills < KILLS && turn < 2 * KILLS; turn++) {
        // A publication makes about fourteen changes: lock, stage, parts, release, current, lock again.
        if (await killAt(1 + ((turn * 5) % 13), turn % 3 === 2 ? (turn * 37) % 150 : 0, await version(`v${turn}`))) kills++
        expect(damagedParts(s.workspace.releases, SLUG)).toEqual([])
        expect(stored(s.workspace.releases, SLUG).manifest.statistics.rows).toBe(ROWS)
      }
      expect(kills).toBe(KILLS)
      expect(await twmd(s.dir, 'publish', SLUG, await version('last'))).toMatchObject({ code: 0 })
      await s.releases.refresh()
      await reader.another()
    } finally {
      await reader.stop()
    }

    const answers = await reader.stop()
    expect(answers.filter(({ marks, rows }) => marks.length !== 1 || rows !== ROWS)).toEqual([])
    const byRelease = Map.groupBy(answers, ({ release }) => release)
    for (const those of byRelease.values()) expect(new Set(those.map(({ marks }) => marks[0])).size).toBe(1)
    expect(byRelease.size).toBeGreaterThan(1)
    expect(answers.at(-1)!.marks).toEqual(['last'])

    const { home, parts, manifest } = releasePaths(s.workspace.releases, SLUG)
    const ids = releaseIds(s.workspace.releases, SLUG)
    expect(readdirSync(home).sort()).toEqual([...ids, '_delta_log', 'current', 'parts'].sort())
    const named = ids.flatMap(id => Manifest.parse(JSON.parse(readFileSync(manifest(id), 'utf8'))).parts)
    expect(readdirSync(parts).sort()).toEqual([...new Set(named.map(({ sha256 }) => `${sha256}.parquet`))].sort())
    expect(await twmd(s.dir, 'releases', 'verify', SLUG)).toMatchObject({ code: 0, stderr: '' })
  }, 400_000)
})
