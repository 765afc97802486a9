import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Manifest, releasePaths } from '../../../src/releases/index.ts'
import { twmd } from '../../fixtures/cli/twmd.ts'
import { damagedParts, releaseIds, stored } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'
import { publicationKilledAt } from './killed-publication.ts'

const SLUG = 'broker-branch-reference'
/** Number of rows, which fill two buckets. */
const ROWS = 27_000
const KILLS = 20
let s: TestService
beforeAll(async () => {
  s = await service({ examples: false })
})
afterAll(() => s.close())

/** A file of rows with one mark. */
async function version(mark: string): Promise<string> {
  const file = join(s.dir, `${mark}.parquet`)
  await s.workspace.session.run(
    `COPY (SELECT '5850' AS parent_broker_code, '統一' AS parent_broker_name, printf('%04x', i) AS branch_code, '${mark}' AS branch_name, 'TWSE' AS market,
       'twse' AS source_provider, 'canonical' AS source_role, 'open' AS source_family, '{}' AS source_lineage, '[]' AS data_gaps FROM range(${ROWS}) AS a(i))
     TO '${file}' (FORMAT parquet)`,
  )
  return file
}

/** Reads the whole dataset in a loop until stopped. */
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
    /** Resolves at the end of a read that began after the call. */
    async another(): Promise<void> {
      await heard.promise
      await heard.promise
    },
    /** @returns marks, rows and release of every answer */
    stop() {
      stopped = true
      return reading
    },
  }
}

it('D1: if a publication is killed at any point, the served release is intact and every read is from one release', async () => {
  expect((await twmd(s.dir, 'publish', SLUG, await version('first'))).code).toBe(0)
  await s.releases.refresh()
  const reader = keepReading(s.keyOn('max'))

  let kills = 0
  try {
    for (let turn = 0; kills < KILLS && turn < 2 * KILLS; turn++) {
      // A publication makes about fourteen changes: lock, stage, parts, release, current, lock again.
      const moment = { nth: 1 + ((turn * 5) % 13), afterMs: turn % 3 === 2 ? (turn * 37) % 150 : 0 }
      if (await publicationKilledAt(s, SLUG, await version(`v${turn}`), moment)) kills++
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
