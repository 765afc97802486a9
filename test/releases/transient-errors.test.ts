import files from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Refusal } from '../../src/core/index.ts'
import { openReleases } from '../../src/releases/index.ts'
import { day } from '../fixtures/publish/rows.ts'
import { releaseIds, stored } from '../fixtures/publish/store.ts'
import { service, type TestService } from '../support.ts'

const SLUG = 'institutional-positioning'
const { open, readFile, readdir } = files
/** How often each file still fails, by its path; and of what. */
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

/** Node hands a replaced function of its own modules to everyone who imported it by name only when asked to. */
function replaceReads(by: Pick<typeof files, 'open' | 'readFile' | 'readdir'>): void {
  Object.assign(files, by)
  syncBuiltinESMExports()
}

/** Has every file and folder of the releases fail so many times, and clears what failed before. */
function failEach(most: number, of: string): void {
  ;[times, code] = [most, of]
  failures.clear()
}

let s: TestService
let ids: readonly string[]
beforeEach(async () => {
  s = await service({ examples: false })
  await s.publish(SLUG, day('2026-06-29', 1))
  await s.publish(SLUG, day('2026-06-30', 2))
  ids = releaseIds(s.workspace.releases, SLUG)
  replaceReads({ open: failing(open), readFile: failing(readFile), readdir: failing(readdir) } as unknown as typeof files)
})
afterEach(async () => {
  failEach(0, '')
  replaceReads({ open, readFile, readdir })
  await s.close()
})

/** A release store beside the service's, and every event it logged. */
async function opened() {
  const events: string[] = []
  const { releases: root, catalog } = s.workspace
  const releases = await openReleases({ root, catalog, log: event => void events.push(event) })
  return { releases, events }
}

describe('an error that is gone a moment later', () => {
  it.each(['EMFILE', 'ENFILE', 'ENOMEM', 'EIO'])(
    'is got over: every file that fails twice of %s is read, and none is damaged',
    async of => {
      failEach(2, of)
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
    },
  )
})

describe('an error that stays', () => {
  it.each(['EMFILE', 'ENFILE', 'ENOMEM'])('of what the machine is short of says nothing of a file: %s', async of => {
    const { releases, events } = await opened()
    const dataset = s.dataset(SLUG)
    const newest = releases.current(dataset)
    failEach(Number.POSITIVE_INFINITY, of)
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
})
