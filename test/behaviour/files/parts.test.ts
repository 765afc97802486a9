import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadCatalog, served } from '../../../catalog/index.ts'
import { recordRetired } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'
import { FREE, PAID, partsOf } from './signed.ts'

let s: TestService
const SOLD = served(await loadCatalog())

beforeAll(async () => {
  s = await service({ inMemory: false })
})
afterAll(() => s.close())

const errorOf = (response: { json(): { error: { error_code: string } } }) => response.json().error.error_code
const list = (slug: string, query: string, key: string) => s.get(`/v2/datasets/${slug}/parts${query}`, key)
const pathOf = (url: string) => url.replace('http://127.0.0.1', '')

it('the list of parts names the files of the served release, and each URL returns that file', async () => {
  const key = s.keyOn('max')
  for (const { slug } of SOLD) {
    const response = await list(slug, '', key)
    const { release, data, ...answer } = response.json()
    const { id, manifest } = s.releases.current(s.dataset(slug))
    expect
      .soft([response.statusCode, release, answer.data_count, answer.row_count], slug)
      .toEqual([200, id, manifest.parts.length, manifest.statistics.rows])
    expect
      .soft(
        data?.map((part: { sha256: string }) => part.sha256),
        slug,
      )
      .toEqual(manifest.parts.map(part => part.sha256))
    for (const { url, sha256, bytes, rows, ...file } of data ?? []) {
      const label = `${slug}, ${sha256}`
      expect.soft(file, label).toMatchObject({ release: id, kind: 'part' })
      expect.soft(rows, label).toBeGreaterThan(0)
      const { statusCode, rawPayload } = await s.get(pathOf(url))
      const found = [statusCode, rawPayload.length, createHash('sha256').update(rawPayload).digest('hex')]
      expect.soft(found, label).toEqual([200, bytes, sha256])
    }
  }
})

it('a list of parts costs as much as reading its rows in full pages, and its files cost nothing more', async () => {
  const key = s.keyOn('free', 'pays@example.test')
  const { access } = s.dataset(FREE)
  const before = (await s.get('/v2/account/entitlements', key)).json().credits.used
  const response = await list(FREE, '', key)
  expect(response.headers['x-credits-charged']).toBe(String(access!.credits))
  for (const { url } of response.json().data) await s.get(pathOf(url))
  expect((await s.get('/v2/account/entitlements', key)).json().credits.used - before).toBe(access!.credits)
})

it('HEAD and dry_run of a list of parts are free, and dry_run reports rows, bytes and credits', async () => {
  const key = s.keyOn('max', 'asks@example.test')
  const dry = await list(PAID, '?dry_run=true', key)
  const { manifest } = s.releases.current(s.dataset(PAID))
  expect(dry.json()).toMatchObject({
    dry_run: true,
    rows: manifest.statistics.rows,
    credits: s.dataset(PAID).access!.credits,
    estimated_bytes: manifest.parts.reduce((sum, { bytes }) => sum + bytes, 0),
    would_be_refused: false,
  })
  const head = await s.app.inject({ method: 'HEAD', url: `/v2/datasets/${PAID}/parts`, headers: { 'x-api-key': key } })
  expect([head.statusCode, head.body, head.headers['x-release']]).toEqual([200, '', manifest.release])
  expect((await s.get('/v2/account/entitlements', key)).json().credits.used).toBe(0)
  const low = (await list(PAID, '?dry_run=true', s.keyOn('free'))).json()
  expect([low.would_be_refused, low.rows, low.refusal.error.error_code]).toEqual([true, null, 'plan_required'])
})

it('a list of parts that is refused for its plan, dataset, release, parameter or day costs nothing', async () => {
  recordRetired(s.workspace.releases, FREE, '20200101T000000000Z')
  const key = s.keyOn('free', 'refused@example.test')
  for (const [slug, query, status, code] of [
    [PAID, '', 403, 'plan_required'],
    ['nothing', '', 404, 'unknown_dataset'],
    [FREE, '?release=20200101T000000000Z', 410, 'release_retired'],
    [FREE, '?release=..%2f..', 404, 'unknown_id'],
    [FREE, '?since=20200101T000000000Z', 410, 'release_retired'],
    [FREE, '?limit=1', 422, 'invalid_parameter'],
    [FREE, '?start_date=2026-02-30', 422, 'invalid_parameter'],
    [FREE, '?start_date=2026-02-03&end_date=2026-02-02', 422, 'invalid_parameter'],
    [FREE, `?symbol=${Array.from({ length: 501 }, (_, at) => at + 1000).join(',')}`, 422, 'invalid_parameter'],
    ['trading-calendar', '?months=maybe', 422, 'invalid_parameter'],
  ] as const) {
    const response = await list(slug, query, key)
    expect([response.statusCode, errorOf(response)], `${slug}${query}`).toEqual([status, code])
  }
  expect((await s.get('/v2/account/entitlements', key)).json().credits.used).toBe(0)
})

it('since= and date bounds limit the list of parts', async () => {
  const dataset = s.dataset(PAID)
  const former = s.releases.current(dataset).id
  const row = { ...dataset.example[0]!, trade_date: '2026-07-01' }
  await s.publish(PAID, [row])
  const release = s.releases.current(dataset)
  expect(release.id).not.toBe(former)
  const key = s.keyOn('max')
  const shas = async (query: string) => (await list(PAID, query, key)).json().data.map(({ sha256 }: { sha256: string }) => sha256)
  const old = new Set((await shas(`?release=${former}`)) as string[])
  expect(await shas(`?since=${former}`)).toEqual(partsOf(s, PAID).flatMap(({ sha256 }) => (old.has(sha256) ? [] : [sha256])))
  expect(await shas(`?since=${release.id}`)).toEqual([])
  const newest = partsOf(s, PAID).filter(({ last_date }) => last_date! >= '2026-07-01')
  expect(newest.length).toBeLessThan(partsOf(s, PAID).length)
  expect(await shas('?start_date=2026-07-01')).toEqual(newest.map(({ sha256 }) => sha256))
  expect(await shas('?end_date=1990-01-01')).toEqual([])
  const none = await list(PAID, '?end_date=1990-01-01', key)
  expect(none.json()).toMatchObject({ data_count: 0, row_count: 0, expires_at: null })
})

const SAMPLED = 'theme-taxonomy'
const LABEL = 'synthetic_sample_data'

it('lists of parts and releases mark samples, and only samples, as synthetic', async () => {
  const samples = await service({ examples: false, inMemory: false })
  try {
    const key = samples.keyOn('max')
    const get = (path: string) => samples.get(`/v2/datasets/${SAMPLED}${path}`, key)
    const { example } = samples.dataset(SAMPLED)
    await samples.publish(SAMPLED, example, { synthetic: true })
    const page = await get('')
    const parts = await get('/parts')
    const { synthetic, warnings, known_gaps, release } = parts.json()
    expect(synthetic).toBe(true)
    for (const labels of [warnings, known_gaps]) expect(labels).toContain(LABEL)
    expect([warnings.join(', '), known_gaps.join(', ')]).toEqual([page.headers['x-warnings'], page.headers['x-known-gaps']])
    for (const name of ['x-warnings', 'x-known-gaps', 'x-data-as-of', 'last-modified', 'x-release', 'x-dataset'])
      expect([name, parts.headers[name]]).toEqual([name, page.headers[name]])
    await samples.publish(SAMPLED, example)
    const real = (await get('/parts')).json()
    expect([real.synthetic, real.warnings.includes(LABEL), real.known_gaps.includes(LABEL)]).toEqual([false, false, false])
    expect((await get(`/parts?release=${release}`)).json().synthetic).toBe(true)
    const { data } = (await get('/releases')).json()
    expect(data.map((one: { release: string; synthetic: boolean }) => [one.release, one.synthetic])).toEqual([
      [real.release, false],
      [release, true],
    ])
  } finally {
    await samples.close()
  }
})

it('a file requested with a key costs as much as reading its rows, and a 304 or 416 costs nothing', async () => {
  const key = s.keyOn('free', 'file@example.test')
  const { sha256 } = partsOf(s, FREE)[0]!
  const get = (headers: Record<string, string> = {}) => s.get(`/files/${FREE}/${sha256}.parquet`, key, headers)
  expect((await get()).headers['x-credits-charged']).toBe(String(s.dataset(FREE).access!.credits))
  expect((await get({ range: 'bytes=0-3' })).headers['x-credits-charged']).toBe(String(s.dataset(FREE).access!.credits))
  for (const free of [{ 'if-none-match': `"${sha256}"` }, { range: 'bytes=99999999-' }])
    expect((await get(free)).headers['x-credits-charged']).toBe('0')
})

it('the list of releases has the newest first, is paged with before=, and answers 304 while unchanged', async () => {
  const key = s.keyOn('max')
  const response = await s.get(`/v2/datasets/${PAID}/releases`, key)
  const { served, data, releases_count } = response.json()
  expect(served).toBe(s.releases.current(s.dataset(PAID)).id)
  expect(data[0]).toMatchObject({ release: served, served: true, parent: data[1].release })
  expect([data.length, releases_count]).toEqual([2, 2])
  const listed = async (query: string) => (await s.get(`/v2/datasets/${PAID}/releases?${query}`, key)).json().data
  expect(await listed('limit=1')).toEqual([data[0]])
  expect(await listed(`limit=1&before=${data[0].release}`)).toEqual([data[1]])
  expect(await listed(`before=${data[1].release}`)).toEqual([])
  expect(await listed('before=20200101')).toEqual([])
  // Ids are compared as text. Without a check, these values would list all releases, or those of
  // earlier years.
  for (const before of ['x', '2026-07-01', '2026', `${data[0].release}x`, ''])
    expect((await s.get(`/v2/datasets/${PAID}/releases?before=${before}`, key)).json().detail[0]).toMatchObject({
      loc: ['query', 'before'],
      type: 'pattern',
    })
  const again = await s.get(`/v2/datasets/${PAID}/releases`, key, { 'if-none-match': response.headers['etag'] as string })
  expect([again.statusCode, again.body]).toEqual([304, ''])
  expect(response.headers['x-credits-charged']).toBe('0')
})

it('a plan that includes a dataset gets the manifest, seal and spans of its releases byte for byte', async () => {
  const { id, manifest } = s.releases.current(s.dataset(PAID))
  const document = (name: string, release = id) => s.get(`/v2/datasets/${PAID}/releases/${release}/${name}`, s.keyOn('max'))
  const text = (await document('manifest.json')).body
  expect(JSON.parse(text)).toEqual(manifest)
  expect((await document('manifest.sha256')).body.trim()).toBe(createHash('sha256').update(text).digest('hex'))
  expect(
    createHash('sha256')
      .update((await document('spans.json')).rawPayload)
      .digest('hex'),
  ).toBe(manifest.statistics.spans)
  expect((await s.get(`/v2/datasets/${PAID}/releases/${id}/manifest.json`, s.keyOn('free'))).statusCode).toBe(403)
  expect((await document('current')).statusCode).toBe(404)
  recordRetired(s.workspace.releases, PAID, '20200101T000000000Z')
  expect((await document('manifest.json', '20200101T000000000Z')).statusCode).toBe(410)
  expect((await document('manifest.json', '20200102T000000000Z')).statusCode).toBe(404)
  expect((await document('manifest.json', '..%2f..')).statusCode).toBe(404)
})
