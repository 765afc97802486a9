import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { partFiles } from '../../src/releases/index.ts'
import { twmd } from '../fixtures/cli/in-process.ts'
import { service, type TestService } from '../support.ts'
import { ADMIN, NETS, operatorOf, TRADES } from './operator.ts'

// Tests share the service and continue from the releases of the previous test.
let s: TestService
let o: ReturnType<typeof operatorOf>
beforeAll(async () => {
  s = await service({ examples: false })
  o = operatorOf(s)
})
afterAll(() => s.close())

it('GET /v2/admin/slow-reads lists the slowest reads without their parameters', async () => {
  await o.ingestDay('2026-06-29', NETS)
  await s.releases.refresh()
  expect((await o.read('slow-reads')).data).toEqual([])
  const key = s.keyOn('pro')
  const read = await s.get(`/v2/datasets/${TRADES}?symbol=2337&columns=ticker`, key)
  expect(read.statusCode).toBe(200)
  // The log record of a read is written after its answer was sent.
  const { data } = await vi.waitFor(async () => {
    const slow = await o.read('slow-reads')
    expect(slow.data_count).toBe(1)
    return slow
  }, 20_000)
  expect(data).toMatchObject([{ product: TRADES, rows: 1, request_id: read.headers['x-request-id'], stages: { plan: expect.any(Number) } }])
  expect(data[0].ms).toBeCloseTo(
    Object.values<number>(data[0].stages).reduce((sum, ms) => sum + ms),
    1,
  )
  expect(JSON.stringify(data)).not.toContain('2337')
  expect(JSON.stringify(data)).not.toContain(key)
})

it('GET /v2/admin/releases reports the served, pinned and withdrawn releases of each dataset', async () => {
  await o.ingestDay('2026-06-30', { ...NETS, 2330: [99, 0, 0] })
  await s.releases.refresh()
  const [first, second] = (await o.read(`releases/${TRADES}`)).data.map(({ release }: { release: string }) => release).toReversed()
  expect((await twmd(s.dir, 'releases', 'pin', TRADES, first, '--note', 'audited')).code).toBe(0)
  expect((await twmd(s.dir, 'releases', 'serve', TRADES, first)).code).toBe(0)
  await s.releases.refresh()
  const history = await o.read(`releases/${TRADES}`)
  expect(history.data).toMatchObject([
    { release: second, served: false, standing: 'unused', damaged: false, changes: { rows_added: 20 } },
    { release: first, served: true, standing: 'served', pinned: true, pin_note: 'audited', rows: 20 },
  ])
  expect((await o.read(`releases/${TRADES}?limit=1`)).data.map(({ release }: { release: string }) => release)).toEqual([second])
  const { data } = await o.read('releases')
  expect(data.find(({ slug }: { slug: string }) => slug === TRADES)).toMatchObject({
    served: first,
    named: first,
    kept: 2,
    pinned: 1,
    withdrawn: 1,
    retired: 0,
    damaged: 0,
    rows: 20,
    status: 'verified',
  })
  expect(data.find(({ slug }: { slug: string }) => slug === 'bond-yield-curve')).toMatchObject({
    served: null,
    kept: 0,
    status: 'building',
  })
  expect((await s.get('/v2/admin/releases/institutional-positionin', undefined, ADMIN)).json().error.did_you_mean).toBe(TRADES)
})

it('GET /v2/admin/damage names damaged files and the release served instead', async () => {
  await s.releases.refresh()
  expect(await o.read('damage')).toMatchObject({ data_count: 0, data: [] })
  const former = s.releases.current(s.dataset(TRADES))
  await o.ingestDay('2026-07-01', { ...NETS, 2330: [98, 0, 0] })
  await s.releases.refresh()
  const newest = s.releases.current(s.dataset(TRADES))
  const [part] = partFiles(newest.manifest).filter(({ sha256 }) => !partFiles(former.manifest).some(one => one.sha256 === sha256))
  writeFileSync(newest.pathOf(part!), 'no Parquet')
  await s.releases.reportReadFailure(newest)
  const { data } = await o.read('damage')
  expect(data).toMatchObject([{ slug: TRADES, fallback: former.id }])
  expect(data[0].findings).toMatchObject([{ file: join(TRADES, 'parts', `${part!.sha256}.parquet`) }])
  const shown = (await o.read('releases')).data.find(({ slug }: { slug: string }) => slug === TRADES)
  expect(shown).toMatchObject({ served: former.id, named: newest.id, status: 'degraded', damaged: 1 })
  expect(JSON.stringify(data)).not.toContain(s.dir)
})
