import { afterAll, beforeAll, expect, it } from 'vitest'
import { served } from '../../catalog/index.ts'
import { tableName } from '../../src/delta/index.ts'
import { DELTA, EARNINGS, linesOf, namesOf, SHARES, type Sharing, sharing } from './sharing.ts'

let s: Sharing
let [free, pro, max] = ['', '', '']
beforeAll(async () => {
  s = await sharing()
  ;[free, pro, max] = [s.keyOn('free'), s.keyOn('pro'), s.keyOn('max')]
})
afterAll(() => s.close())

it('a caller sees one share for each plan up to the caller’s, with the datasets of that plan', async () => {
  for (const [key, shares] of [
    [free, ['free']],
    [pro, ['free', 'pro']],
    [max, ['free', 'pro', 'max']],
  ] as const) {
    expect(namesOf(await s.ask(SHARES, key))).toEqual(shares)
    for (const share of shares) {
      const expected = served(s.catalog)
        .filter(dataset => dataset.access!.plan === share && s.releases.served(dataset))
        .map(tableName)
      expect(namesOf(await s.ask(`${SHARES}/${share}/all-tables`, key))).toEqual(expected)
      expect(namesOf(await s.ask(`${SHARES}/${share}/schemas/twmd/tables`, key))).toEqual(expected)
    }
  }
})

it('share, schema and table names are case-insensitive', async () => {
  expect((await s.ask(`${SHARES}/PRO`, pro)).json()).toEqual({ share: { name: 'pro' } })
  expect((await s.ask(`${SHARES}/Pro/schemas`, pro)).json()).toEqual({ items: [{ name: 'twmd', share: 'pro' }] })
  const [lower, upper] = [await s.ask(`${EARNINGS}/metadata`, pro), await s.ask(`${SHARES}/PRO/schemas/TWMD/tables/EARNINGS/metadata`, pro)]
  expect([upper.statusCode, upper.body]).toEqual([200, lower.body])
})

it('every path of a share above the caller’s plan is refused with plan_required', async () => {
  for (const path of ['', '/schemas', '/schemas/twmd/tables', '/all-tables', '/schemas/twmd/tables/bond_yield_curve/metadata']) {
    const refused = await s.ask(`${SHARES}/max${path}`, pro)
    expect([refused.statusCode, refused.json().errorCode]).toEqual([403, 'plan_required'])
    expect(refused.json().error).toMatchObject({ required_plan: 'max', current_plan: 'pro' })
  }
  expect((await s.query(`${SHARES}/max/schemas/twmd/tables/bond_yield_curve`, free)).statusCode).toBe(403)
})

it('a table is not found in the share of another plan', async () => {
  const refused = await s.query(`${SHARES}/free/schemas/twmd/tables/bond_yield_curve`, free)
  expect([refused.statusCode, refused.json().errorCode]).toEqual([404, 'unknown_id'])
})

it.each([
  '/none',
  '/none/all-tables',
  '/free/schemas/none/tables',
  '/free/schemas/twmd/tables/none/version',
  '/free/schemas/twmd/tables/__proto__/metadata',
  '/free/schemas/twmd/tables/..%2f..%2fmax/metadata',
  '/free/schemas/twmd/tables/theme-taxonomy/metadata',
])('the share path %s is refused with unknown_id', async path => {
  const refused = await s.ask(`${SHARES}${path}`, free)
  expect([refused.statusCode, refused.json().errorCode]).toEqual([404, 'unknown_id'])
})

it('shares omit datasets that are not sold', async () => {
  const all = (await Promise.all(['free', 'pro', 'max'].map(share => s.ask(`${SHARES}/${share}/all-tables`, max)))).flatMap(namesOf)
  for (const dataset of s.catalog.values())
    expect(all.includes(tableName(dataset)), dataset.slug).toBe(Boolean(dataset.access && s.releases.served(dataset)))
})

it('a table of a dataset without a release is refused with the reason, and not listed', async () => {
  const empty = await sharing({ examples: false })
  const key = empty.keyOn('pro')
  expect(namesOf(await empty.ask(`${SHARES}/pro/all-tables`, key))).toEqual([])
  const refused = await empty.query(EARNINGS, key)
  expect([refused.statusCode, refused.json().message]).toEqual([404, expect.stringContaining('no release yet')])
  await empty.close()
})

it('lists of tables are paged by maxResults and pageToken', async () => {
  const whole = namesOf(await s.ask(`${SHARES}/pro/all-tables`, pro))
  const found: string[] = []
  for (let token = ''; ; ) {
    const page = await s.ask(`${SHARES}/pro/all-tables?maxResults=2${token}`, pro)
    found.push(...namesOf(page))
    if (page.json().nextPageToken === undefined) break
    expect(namesOf(page)).toHaveLength(2)
    token = `&pageToken=${page.json().nextPageToken}`
  }
  expect(found).toEqual(whole)
  const empty = (await s.ask(`${SHARES}?maxResults=0`, pro)).json()
  expect([empty.items, typeof empty.nextPageToken]).toEqual([[], 'string'])
  expect(namesOf(await s.ask(`${SHARES}?maxResults=2147483647`, max))).toHaveLength(3)
})

it.each(['-1', '2147483648', '1e3', 'all', ''])('lists of shares refuse maxResults="%s"', async most => {
  const refused = await s.ask(`${SHARES}?maxResults=${most}`, pro)
  expect([refused.statusCode, refused.json().errorCode]).toEqual([422, 'invalid_parameter'])
})

it('lists of shares and tables refuse a page token of another list', async () => {
  const { nextPageToken } = (await s.ask(`${SHARES}?maxResults=1`, pro)).json()
  expect(namesOf(await s.ask(`${SHARES}?pageToken=${nextPageToken}`, pro))).toEqual(['pro'])
  for (const url of [`${SHARES}?pageToken=x`, `${SHARES}?pageToken=`, `${SHARES}/pro/all-tables?pageToken=${nextPageToken}`]) {
    const refused = await s.ask(url, pro)
    expect([refused.statusCode, refused.json().errorCode]).toEqual([400, 'invalid_cursor'])
  }
})

it('table metadata is in the requested response format, parquet by default', async () => {
  const dataset = s.dataset('earnings')
  const old = await s.ask(`${EARNINGS}/metadata`, pro)
  expect(old.headers).toMatchObject({
    'content-type': 'application/x-ndjson; charset=utf-8',
    'delta-sharing-capabilities': 'responseformat=parquet',
  })
  const [protocol, { metaData }] = linesOf(old)
  expect(protocol).toEqual({ protocol: { minReaderVersion: 1 } })
  const fields = JSON.parse(metaData.schemaString).fields.map(({ name }: { name: string }) => name)
  expect(fields).toEqual(Object.keys(dataset.columns).filter(name => dataset.columns[name]!.virtual === undefined))

  const made = await s.ask(`${EARNINGS}/metadata`, pro, DELTA)
  expect(made.headers['delta-sharing-capabilities']).toBe('responseformat=delta')
  const { version, size, numFiles, ...metadata } = metaData
  expect(linesOf(made)).toEqual([
    { protocol: { deltaProtocol: { minReaderVersion: 1, minWriterVersion: 2 } } },
    { metaData: { version, size, numFiles, deltaMetadata: metadata } },
  ])
  expect((await s.ask(`${EARNINGS}/metadata`, pro, { 'delta-sharing-capabilities': 'ResponseFormat=Parquet' })).body).toBe(old.body)
})

it('every answer about a table, also to HEAD, has the version of the table in a header', async () => {
  const version = (await s.ask(`${EARNINGS}/version`, pro)).headers['delta-table-version']
  expect(Number(version)).toBeGreaterThanOrEqual(0)
  const answers = [
    await s.ask(`${EARNINGS}/metadata`, pro),
    await s.query(EARNINGS, pro),
    await s.ask(EARNINGS, pro),
    await s.app.inject({ method: 'HEAD', url: EARNINGS, headers: { authorization: `Bearer ${pro}` } }),
  ]
  expect(answers.map(({ statusCode, headers }) => [statusCode, headers['delta-table-version']])).toEqual(
    Array.from({ length: 4 }, () => [200, version]),
  )
})

it('a table version with sample rows is marked as such in metadata and headers, in both formats', async () => {
  const slug = 'theme-taxonomy'
  const samples = await sharing({ examples: false, inMemory: false })
  try {
    const key = samples.keyOn('max')
    const table = `${SHARES}/${samples.dataset(slug).access!.plan}/schemas/twmd/tables/${tableName(samples.dataset(slug))}`
    const { example } = samples.dataset(slug)
    const { release } = await samples.publish(slug, example, { synthetic: true })
    await samples.publish(slug, example)
    const marks = async (answer: Promise<Awaited<ReturnType<Sharing['ask']>>>) => {
      const { headers, ...rest } = await answer
      const { metaData } = linesOf({ body: rest.body })[1]
      const { description, configuration } = metaData.deltaMetadata ?? metaData
      const label = (name: string) => String(headers[name]).includes('synthetic_sample_data')
      return [description.startsWith('Synthetic sample data. '), configuration, label('x-warnings'), label('x-known-gaps')]
    }
    const sampled = [true, { 'twmd.synthetic': 'true' }, true, true]
    for (const format of [{}, DELTA]) {
      expect(await marks(samples.ask(`${table}/metadata?version=0`, key, format))).toEqual(sampled)
      expect(await marks(samples.query(table, key, { version: 0 }, format))).toEqual(sampled)
      expect(await marks(samples.query(table, key, {}, format))).toEqual([false, {}, false, false])
    }
    expect((await samples.query(table, key, { version: 0 })).headers['x-release']).toBe(release)
  } finally {
    await samples.close()
  }
})

it('a request for the changes of a table is refused because changes are not shared', async () => {
  const refused = await s.ask(`${EARNINGS}/changes?startingVersion=0&endingVersion=1`, pro)
  expect([refused.statusCode, refused.json().errorCode]).toEqual([404, 'unknown_path'])
  expect(refused.json().message).toContain('are not shared')
  expect((await s.ask(`${EARNINGS}/changes`, free)).json().errorCode).toBe('plan_required')
})

it('refusals of shares have errorCode and message in the requested language, also for unknown paths', async () => {
  for (const [url, status, code] of [
    [`${SHARES}/none`, 404, 'unknown_id'],
    ['/delta-sharing/none', 404, 'unknown_path'],
  ] as const) {
    const english = await s.ask(url, free)
    expect([english.statusCode, english.json().errorCode, english.json().message]).toEqual([
      status,
      code,
      english.json().error.error_message,
    ])
    expect((await s.ask(url, free, { 'accept-language': 'zh-TW' })).json().message).toMatch(/[一-鿿]/)
  }
  expect((await s.get('/v2/none')).json()).not.toHaveProperty('errorCode')
})
