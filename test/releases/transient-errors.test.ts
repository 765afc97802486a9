import files from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { Refusal } from '../../src/core/index.ts'
import { openReleases } from '../../src/releases/index.ts'
import { day } from '../fixtures/publish/rows.ts'
import { releaseIds, stored } from '../fixtures/publish/store.ts'
import { service, type TestService } from '../support.ts'

const SLUG = 'institutional-positioning'
const { open, readFile, readdir } = files
/** Number of failures of each file, and their error code. */
let [times, code] = [0, '']
const failures = new Map<string, number>()

function failing<F extends (path: never, ...rest: never[]) => unknown>(work: F): F {
  const fails = async (path: string, ...rest: never[]): Promise<unknown> => {
    const before = failures.get(path) ?? 0
    if (!path.startsWith(s.workspace.releases) || before >= times) return work(path as never, ...rest)
    failures.set(path, before + 1)
    throw Object.assign(new Error(`${code}: ${basename(path)}`), { code })
  }
  return fails as unknown as F
}

/** Named imports of Node's modules see a replaced function only after `syncBuiltinESMExports`. */
function replaceReads(by: Pick<typeof files, 'open' | 'readFile' | 'readdir'>): void {
  Object.assign(files, by)
  syncBuiltinESMExports()
}

/** Makes every file and folder of the releases fail `most` times. */
function failEach(most: number, errorCode: string): void {
  ;[times, code] = [most, errorCode]
  failures.clear()
}

let s: TestService
let ids: readonly string[]
beforeAll(async () => {
  s = await service({ examples: false, inMemory: false })
  await s.publish(SLUG, day('2026-06-29', 1))
  await s.publish(SLUG, day('2026-06-30', 2))
  ids = releaseIds(s.workspace.releases, SLUG)
  replaceReads({ open: failing(open), readFile: failing(readFile), readdir: failing(readdir) } as unknown as typeof files)
})
afterEach(() => failEach(0, ''))
afterAll(async () => {
  replaceReads({ open, readFile, readdir })
  await s.close()
})

/** A release store in addition to the service's, and its logged events. */
async function opened() {
  const events: string[] = []
  const { releases: root, catalog } = s.workspace
  const releases = await openReleases({ root, catalog, log: event => void events.push(event) })
  return { releases, events }
}

it.each(['EMFILE', 'ENFILE', 'ENOMEM', 'EIO'])('files that fail twice with %s are read, and no file is reported as damaged', async code => {
  failEach(2, code)
  const { releases, events } = await opened()
  const dataset = s.dataset(SLUG)
  const newest = releases.current(dataset)
  expect(newest).toMatchObject({ id: ids[1], degraded: false })
  await releases.reportReadFailure(newest)
  expect(releases.current(dataset)).toMatchObject({ id: ids[1], degraded: false })
  expect(await releases.pinned(dataset, ids[0]!)).toMatchObject({ id: ids[0] })
  expect([...(await releases.lineage.publications(newest))]).toHaveLength(2)
  const { parts, current, manifest, seal } = stored(s.workspace.releases, SLUG).paths
  const failed = [...failures.keys()]
  expect(failed).toEqual(expect.arrayContaining([current, ...ids.flatMap(id => [manifest(id), seal(id)])]))
  expect(failed.some(file => file.startsWith(parts))).toBe(true)
  expect(events.filter(event => event !== 'release served')).toEqual([])
  releases.close()
})

it.each(['EMFILE', 'ENFILE', 'ENOMEM'])('while %s lasts, reads are refused as overloaded and no damage is reported', async code => {
  const { releases, events } = await opened()
  const dataset = s.dataset(SLUG)
  const newest = releases.current(dataset)
  failEach(Number.POSITIVE_INFINITY, code)
  await releases.reportReadFailure(newest)
  const codeOf = (error: Refusal): string => error.code
  expect(await releases.pinned(dataset, ids[0]!).then(({ id }) => id, codeOf)).toBe('overloaded')
  expect(await releases.lineage.publications(newest).then(() => 'known', codeOf)).toBe('overloaded')
  expect(releases.current(dataset)).toMatchObject({ id: ids[1], degraded: false })
  expect(events).not.toContain('release damaged')
  failEach(0, '')
  expect(await releases.pinned(dataset, ids[0]!)).toMatchObject({ id: ids[0] })
  releases.close()
})
