import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { DIFFERENCES, diffReleases } from '../../../ingest/history/index.ts'
import { literal } from '../../../src/engine/index.ts'
import { sha256, stored } from '../../fixtures/publish/store.ts'
import { publishRows, service, type TestService } from '../../support.ts'

const SLUG = 'theme-taxonomy'
const LATER = '2026-06-30T18:00:00.5+08:00'

let s: TestService
let former: string
let before: readonly Row[]
beforeAll(async () => {
  s = await service({ examples: false })
  const dataset = s.dataset(SLUG)
  await publishRows(s.workspace, s.dir, dataset, dataset.example)
  former = await withoutZones()
  await s.releases.refresh()
  before = await served()
  const [first, ...others] = dataset.example
  const { faults } = await s.publish(SLUG, [{ ...first, updated_at: LATER }, ...others])
  expect(faults).toEqual([])
})
afterAll(() => s.close())

/** Rewrites the parts of the served release as version 0.1.0: timestamps without a zone. */
async function withoutZones(): Promise<string> {
  const { paths, release, manifest } = stored(s.workspace.releases, SLUG)
  const parts = []
  for (const part of manifest.parts) {
    const file = join(s.dir, 'former.parquet')
    const rows = `SELECT * REPLACE (updated_at::TIMESTAMP AS updated_at) FROM read_parquet(${literal(paths.part(part.sha256))})`
    await s.workspace.session.run(`COPY (${rows}) TO ${literal(file)} (FORMAT parquet)`)
    const bytes = readFileSync(file)
    writeFileSync(paths.part(sha256(bytes)), bytes)
    parts.push({ ...part, sha256: sha256(bytes), bytes: bytes.length })
  }
  const text = JSON.stringify({ ...manifest, parts })
  writeFileSync(paths.manifest(release), text)
  writeFileSync(paths.seal(release), sha256(text))
  return release
}

async function served(release = stored(s.workspace.releases, SLUG).release): Promise<readonly Row[]> {
  const response = await s.get(`/v2/datasets/${SLUG}?release=${release}&limit=1000`, s.keyOn('max'))
  expect(response.statusCode).toBe(200)
  return response.json().envelope.data
}

/** DuckDB types of the timestamps in the parts of a release. */
async function typesOf(release: string): Promise<readonly unknown[]> {
  const files = stored(s.workspace.releases, SLUG, release).files.map(literal).join(', ')
  const rows = await s.workspace.session.rows(`SELECT DISTINCT typeof(updated_at) AS type FROM read_parquet([${files}])`)
  return rows.map(({ type }) => type)
}

it('a part stores timestamps as instants, so readers in any time zone agree', async () => {
  expect(await typesOf(former)).toEqual(['TIMESTAMP'])
  expect(await typesOf(stored(s.workspace.releases, SLUG).release)).toEqual(['TIMESTAMP WITH TIME ZONE'])
})

it('a release of version 0.1.0, whose timestamps have no zone, is read with the same instants', async () => {
  expect(before.map(row => row['updated_at'])).toEqual(before.map(() => '2026-06-30T18:00:00+08:00'))
  expect(await served(former)).toEqual(before)
})

it('a publication after version 0.1.0 changes only the rows that differ', async () => {
  const now = await served()
  expect(now.filter(row => !before.some(old => JSON.stringify(old) === JSON.stringify(row))).map(row => row['updated_at'])).toEqual([
    '2026-06-30T18:00:00.500+08:00',
  ])
  const { summary, pages } = await diffReleases(s.workspace, s.dataset(SLUG), former, stored(s.workspace.releases, SLUG).release)
  const cells: unknown[] = []
  for await (const page of pages(DIFFERENCES)) cells.push(...page.flatMap(row => row.cells))
  expect(cells).toEqual([{ column: 'updated_at', old: '2026-06-30T18:00:00.000+08:00', new: '2026-06-30T18:00:00.500+08:00' }])
  expect(summary.rows).toMatchObject({ added: 0, removed: 0 })
})
