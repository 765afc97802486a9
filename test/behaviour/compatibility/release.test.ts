import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { twmd } from '../../fixtures/cli/twmd.ts'
import { day } from '../../fixtures/publish/rows.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'

/**
 * `test/behaviour/compatibility/release/` contains two releases of institutional-positioning that
 * version 0.1.0 wrote, and the rows of their answers. The second release appends to the first. They
 * are never rewritten, because an upgraded service finds such folders.
 */
const GOLDEN = 'test/behaviour/compatibility/release'
const SLUG = 'institutional-positioning'
const [FIRST, SECOND] = ['20260629T120000000Z', '20260630T120000000Z']
const rows = JSON.parse(readFileSync(join(GOLDEN, 'rows.json'), 'utf8')) as readonly { readonly trade_date: string }[]

let s: TestService
beforeAll(async () => {
  s = await service({ examples: false, inMemory: false })
  cpSync(join(GOLDEN, SLUG), join(s.dir, 'releases', SLUG), { recursive: true })
  await s.releases.refresh()
  await s.publications.refresh()
})
afterAll(() => s.close())

const read = async (more = '') => {
  const { headers, body } = await s.get(`/v2/datasets/${SLUG}?symbol=2330${more}`, s.keyOn('max'))
  return { release: headers['x-release'], rows: JSON.parse(body).data as typeof rows }
}

it('releases of version 0.1.0 are served with the rows that were originally written', async () =>
  expect(await read()).toEqual({ release: SECOND, rows }))

it('a release of version 0.1.0 can be read by its id', async () =>
  expect(await read(`&release=${FIRST}`)).toMatchObject({
    release: FIRST,
    rows: [{ trade_date: '2026-06-29' }, { trade_date: '2026-06-26' }],
  }))

it('the updates feed lists data releases that twmd 0.1.0 published', async () => {
  const { data } = (await s.get('/v2/updates?published_since=2026-06-01')).json() as { data: readonly Record<string, unknown>[] }
  expect(data).toMatchObject([
    { release_version: SECOND, previous_release_version: FIRST },
    { release_version: FIRST, previous_release_version: null },
  ])
})

it('a publication over releases of version 0.1.0 still refuses rows that equal another day’s rows (same_body)', async () => {
  expect(await s.publish(SLUG, day('2026-07-01', 3))).toMatchObject({ status: 'refused', faults: [{ rule: 'same_body' }] })
  expect(await read()).toEqual({ release: SECOND, rows })
})

it('the next publication extends the rows of version 0.1.0 and rewrites its LZ4_RAW parts as SNAPPY', async () => {
  const codecs = async () => {
    const files = stored(s.workspace.releases, SLUG).files.map(file => `'${file}'`)
    return s.workspace.session.rows(`SELECT DISTINCT compression FROM parquet_metadata([${files}])`)
  }
  expect(await codecs()).toEqual([{ compression: 'LZ4_RAW' }])
  await s.publish(SLUG, day('2026-07-01', 4))
  expect(await codecs()).toEqual([{ compression: 'SNAPPY' }])
  const after = await read()
  expect(after.rows.slice(1)).toEqual(rows)
  expect(after.rows[0]).toMatchObject({ trade_date: '2026-07-01', foreign_net_buy: 402, buy_streak: 4 })
  // The command also verifies the releases of version 0.1.0.
  expect(await twmd(s.dir, 'releases', 'verify', SLUG)).toMatchObject({ code: 0, stderr: '' })
})
