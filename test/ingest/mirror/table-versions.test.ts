import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openRemote, pullDataset, pullTable } from '../../../ingest/mirror/index.ts'
import { createTableVersions } from '../../../src/delta/index.ts'
import type { Session } from '../../../src/engine/index.ts'
import { releaseIds } from '../../fixtures/publish/store.ts'
import { service } from '../../support.ts'
import { commitName, commitsIn, type Mirror, type Origin, openMirror, openOrigin, RELEASES, SLUG } from './table-mirror.ts'

let origin: Origin
let mirror: Mirror

/** Compares the mirror's log with the origin's, and the rows of the versions whose files it has. */
async function expectSameVersions(readable: readonly number[]): Promise<void> {
  expect(commitsIn(mirror.folder)).toEqual(commitsIn(origin.folder))
  for (const version of mirror.releases().keys()) {
    const rows = await mirror.rows(version)
    if (readable.includes(version)) expect(rows, `version ${version}`).not.toBeNull()
    if (rows) expect(rows, `version ${version}`).toEqual(await origin.rows(version))
  }
  expect(await mirror.fault()).toBeNull()
}

describe('table versions of a mirror', () => {
  beforeAll(async () => {
    origin = await openOrigin()
  })
  afterAll(() => origin.close())
  beforeEach(async () => {
    mirror = await openMirror(origin)
  })
  afterEach(() => mirror.close())

  it('a mirror gives versions the same numbers as its origin, even if it starts late and misses releases', async () => {
    await origin.publish(0, 1, 2)
    await mirror.pull()
    await expectSameVersions([2])
    await origin.publish(3)
    await mirror.pull()
    await expectSameVersions([2, 3])
    await origin.publish(4, 5)
    await origin.withdraw()
    await mirror.pull()
    expect(mirror.releases()).toHaveLength(7)
    await expectSameVersions([2, 3, 6])
    const { table } = (await origin.s.get(RELEASES, origin.key)).json()
    expect(table).toMatchObject({ version: 6, release: mirror.releases()[0] })
  })

  it('a mirror requests no commits while its table is up to date', async () => {
    await mirror.pull()
    expect(mirror.requests.at(-1)).toContain('/table?')
    mirror.requests.length = 0
    await mirror.pull()
    expect(mirror.requests).toEqual([`${RELEASES}?limit=50`])
  })

  it('a replica lists the same table versions as its origin', async () => {
    const replica = await service({ examples: false, inMemory: false, indexed: false })
    try {
      const [dataset, root] = [replica.dataset(SLUG), replica.workspace.releases]
      const remote = openRemote({ url: origin.url, key: origin.key })
      const withSession = <T>(write: (session: Session) => Promise<T>) => write(replica.workspace.session)
      const pulled = await pullDataset(remote, root, dataset)
      await pullTable({ remote, root, tableVersions: createTableVersions(root), withSession }, dataset, pulled)
      await replica.releases.refresh()
      const key = replica.keyOn('max')
      const [ofReplica, ofOrigin] = [(await replica.get(RELEASES, key)).json(), (await origin.s.get(RELEASES, origin.key)).json()]
      expect([ofReplica.served, ofReplica.table]).toEqual([ofOrigin.served, ofOrigin.table])
      const path = `/v2/datasets/${SLUG}/table?from=1&limit=3`
      const versions = (await replica.get(path, key)).json()
      expect(versions).toEqual((await origin.s.get(path, origin.key)).json())
      expect(versions.data.map(({ version }: { readonly version: number }) => version)).toEqual([1, 2, 3])
    } finally {
      await replica.close()
    }
  })

  it('a replica gives no version number to a release that is not in its table log yet', async () => {
    const replica = await service({ examples: false, inMemory: false, indexed: false })
    const other = await openOrigin()
    try {
      const [dataset, root] = [replica.dataset(SLUG), replica.workspace.releases]
      const remote = openRemote({ url: other.url, key: other.key })
      const withSession = <T>(write: (session: Session) => Promise<T>) => write(replica.workspace.session)
      const deps = { remote, root, tableVersions: createTableVersions(root), withSession }
      const key = replica.keyOn('max')
      const version = `/delta-sharing/shares/${dataset.access!.plan}/schemas/twmd/tables/institutional_positioning/version`
      const current = async () => {
        await replica.releases.refresh()
        return (await replica.get(version, undefined, { authorization: `Bearer ${key}` })).headers['delta-table-version']
      }
      await other.publish(0)
      await pullTable(deps, dataset, await pullDataset(remote, root, dataset))
      expect(await current()).toBe('0')
      await other.publish(1, 2)
      const pulled = await pullDataset(remote, root, dataset)
      expect(await current()).toBe('0')
      await pullTable(deps, dataset, pulled)
      expect(await current()).toBe('2')
    } finally {
      await other.close()
      await replica.close()
    }
  })

  it.each([
    ['a missing commit', (folder: string) => rmSync(join(folder, commitName(3)))],
    ['a damaged commit', (folder: string) => writeFileSync(join(folder, commitName(3)), '{}\n')],
    ['a missing newest commit', (folder: string) => rmSync(join(folder, commitName(6)))],
    ['a missing log', (folder: string) => rmSync(folder, { recursive: true })],
    ['a damaged checkpoint', (folder: string) => writeFileSync(join(folder, `${commitName(6).slice(0, 20)}.checkpoint.parquet`), 'x')],
  ])('the next pull restores a mirror with %s', async (_, damage) => {
    await mirror.pull()
    damage(mirror.folder)
    expect(await mirror.fault()).not.toBeNull()
    await mirror.pull()
    await expectSameVersions([6])
  })
})

describe('a mirror with another log', () => {
  beforeEach(async () => {
    origin = await openOrigin()
    mirror = await openMirror(origin)
  })
  afterEach(async () => {
    await mirror.close()
    await origin.close()
  })

  it('the next pull replaces a log whose version numbers differ from the origin, and the newest version stays readable', async () => {
    await origin.publish(0, 1)
    await mirror.pullWithOwnNumbers()
    await origin.publish(2, 3)
    await mirror.pullWithOwnNumbers()
    await origin.publish(4)
    expect(mirror.releases()).toHaveLength(2)
    let isPulling = true
    const broken = new Set<string>()
    const watch = (): void => {
      const names = readdirSync(mirror.folder)
      if (!isReadable(names)) broken.add(names.join())
      if (isPulling) setImmediate(watch)
    }
    watch()
    await mirror.pull()
    isPulling = false
    expect([...broken]).toEqual([])
    await expectSameVersions([1, 3, 4])
  })

  it('the next pull replaces a log whose origin has fewer versions', async () => {
    await origin.publish(0, 1, 2)
    await mirror.pull()
    const [first] = releaseIds(origin.s.workspace.releases, SLUG)
    rmSync(join(origin.folder, '..', first!), { recursive: true })
    rmSync(origin.folder, { recursive: true })
    await origin.writeLog()
    await mirror.pull()
    expect(mirror.releases()).toHaveLength(2)
    await expectSameVersions([1])
  })

  it('while its origin has no table log, a mirror numbers the pulled releases itself; later it copies the log', async () => {
    await origin.publish(0, 1)
    rmSync(origin.folder, { recursive: true })
    await mirror.pull()
    expect(mirror.releases()).toHaveLength(1)
    await origin.writeLog()
    await mirror.pull()
    await expectSameVersions([1])
  })

  it('a mirror refuses a log that names files outside of parts', async () => {
    await origin.publish(0)
    await mirror.pull()
    const before = commitsIn(mirror.folder)
    await origin.publish(1)
    forge(1, text => text.replace('"path":"parts/', '"path":"../../secret/parts/'))
    await expect(mirror.pull()).rejects.toThrow('version 1 of the service has another format')
    expect(commitsIn(mirror.folder)).toEqual(before)
  })

  it('a mirror refuses a log whose newest version lists other parts than the release', async () => {
    await origin.publish(0)
    forge(0, text => text.replace(/^\{"add".*\n/m, ''))
    await expect(mirror.pull()).rejects.toThrow('the log of the service has other parts than the release')
    expect(() => readdirSync(mirror.folder)).toThrow('ENOENT')
  })
})

/** True if the newest version is complete: no gap after the checkpoint or the first commit. */
function isReadable(names: readonly string[]): boolean {
  const numbers = (form: RegExp) => names.filter(name => form.test(name)).map(name => Number.parseInt(name, 10))
  const versions = numbers(/^\d{20}\.json$/).sort((a, b) => a - b)
  const checkpoint = Math.max(-1, ...numbers(/^\d{20}\.checkpoint\.parquet$/))
  const later = versions.filter(version => version > checkpoint)
  return (checkpoint >= 0 || versions.length > 0) && later.every((version, index) => version === checkpoint + 1 + index)
}

/** Changes a commit of the origin, with the sha256 of its new text. */
function forge(version: number, change: (text: string) => string): void {
  const file = join(origin.folder, commitName(version))
  const own = /"sha256":"[0-9a-f]{64}"/
  const unsigned = change(readFileSync(file, 'utf8')).replace(own, `"sha256":"${'0'.repeat(64)}"`)
  writeFileSync(file, unsigned.replace(own, `"sha256":"${createHash('sha256').update(unsigned).digest('hex')}"`))
}
