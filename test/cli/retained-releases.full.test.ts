import { afterAll, beforeAll, expect, it } from 'vitest'
import { twmd } from '../fixtures/cli/in-process.ts'
import { releaseIds } from '../fixtures/publish/store.ts'
import { type SixReleases, SLUG, sixReleases } from '../fixtures/releases/six-releases.ts'

const PATH = `/v2/datasets/${SLUG}?symbol=2330`
let history: SixReleases
let ids: readonly string[]
beforeAll(async () => {
  history = await sixReleases()
  ids = history.ids
})
afterAll(() => history.close())

const run = (...args: string[]) => twmd(history.s.dir, 'releases', ...args)
// The command uses the real clock, so every release of this test is old.
const collect = (...args: string[]) => run('gc', SLUG, ...args)

it('pins and notes set with twmd releases appear in twmd releases list, twmd releases show and over HTTP', async () => {
  expect(await run('pin', SLUG, ids[1]!, '--note', 'audited')).toMatchObject({
    code: 0,
    stdout: `${SLUG}: ${ids[1]} is pinned.\n`,
  })
  expect((await run('notes', SLUG, 'served', 'volumes as restated by the exchange')).stdout).toContain(ids[5])
  const { data } = (await history.s.get(`/v2/datasets/${SLUG}/releases`, history.s.keyOn('pro'))).json()
  expect(data.slice(0, 2).map(({ note }: { note: string | null }) => note)).toEqual(['volumes as restated by the exchange', null])
  const { stdout } = await run('list', SLUG)
  const entryOf = (id: string) => stdout.split('\n').find(text => text.includes(id))
  expect([entryOf(ids[1]!), entryOf(ids[5]!)]).toEqual([
    expect.stringMatching(/pinned: audited$/),
    expect.stringMatching(/^\* .*volumes as restated by the exchange$/),
  ])
  expect((await run('show', SLUG)).stdout).toContain('volumes as restated by the exchange')
  expect((await run('show', SLUG, ids[1]!)).stdout).toMatch(
    new RegExp(`^release +${ids[1]}\\nparent +${ids[0]}\\n[\\s\\S]*^parts +\\d+ in 1 bucket$`, 'm'),
  )
  expect(await run('show', SLUG, '20200101T000000000Z')).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no release') })
  expect(await run('unpin', SLUG, ids[2]!)).toMatchObject({
    code: 1,
    stderr: `Release ${ids[2]} of ${SLUG} is not pinned. Pinned releases: ${ids[1]}.\n`,
  })
  await run('pin', SLUG, 'served')
  expect((await run('unpin', SLUG, 'served')).stdout).toContain(`${SLUG}: ${ids[5]} is unpinned; RETENTION applies`)
  expect(await run('pin', SLUG, '20200101T000000000Z')).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no release') })
  expect((await run('notes', SLUG, 'served', '--remove')).stdout).toBe(`${SLUG}: ${ids[5]}: no note.\n`)
  expect(await run('notes', SLUG, 'served', ' ')).toMatchObject({ code: 2 })
  expect(await run('unpin', SLUG, ids[1]!)).toMatchObject({ code: 0 })
})

it('twmd releases gc retires releases older than --retention only if --remove is set', async () => {
  const all = await collect()
  expect([all.code, all.stdout]).toEqual([
    0,
    'No release expires, because RETENTION is not set. Set it, or use --retention 90d.\nNothing to delete.\n',
  ])
  const dry = await collect('--retention', '1d')
  expect(dry.stdout).toContain(`${SLUG}: 2 releases would stay.\n  would be retired: ${ids.slice(0, 4).join(', ')}\n`)
  expect(dry.stdout).toContain('Nothing was changed; --remove deletes.\n')
  expect(releaseIds(history.workspace.releases, SLUG)).toEqual(ids)
  expect(await history.status(`${PATH}&release=${ids[0]}`)).toEqual([200, ids[0]])
  expect(await collect('--retention', 'long')).toMatchObject({ code: 2 })
  const report = JSON.parse((await collect('--retention', '1d', '--remove', '--json')).stdout)
  expect(report).toMatchObject({
    retention_days: 1,
    removed: true,
    datasets: [{ dataset: SLUG, retired: ids.slice(0, 4), removed: [], waiting: ids.slice(0, 4), bytes_freed: 0 }],
    refused: [],
  })
  expect(await history.status(`${PATH}&release=${ids[0]}`)).toEqual([410, 'release_retired'])
})
