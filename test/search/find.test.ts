import { afterAll, beforeAll, expect, it } from 'vitest'
import { FOUND_TYPES, loadCatalog, served } from '../../catalog/index.ts'
import { service, type TestService } from '../support.ts'

const catalog = await loadCatalog()
let s: TestService
let key: string
beforeAll(async () => {
  s = await service({ inMemory: false })
  key = s.keyOn('max')
})
afterAll(() => s.close())

interface Hit {
  readonly type: string
  readonly id: string
  readonly title: string
  readonly score: number
  readonly matched_on: string
  readonly datasets: readonly string[]
  readonly url: string
}
const search = async (q: string, more = '') => {
  const response = await s.get(`/v2/search?q=${encodeURIComponent(q)}${more}`, key)
  expect(response.statusCode).toBe(200)
  return response.json() as { total: number; data_count: number; data: Hit[]; facets: Record<string, number> }
}
const ids = async (q: string, more = '') => (await search(q, more)).data.map(({ type, id }) => `${type} ${id}`)
const first = async (q: string, more = '') => (await ids(q, more))[0]
const quote = (ticker: string, day: string, name: string) => ({ ...catalog.get('daily-prices')!.example[0], ticker, trade_date: day, name })

/** Every search declaration of the catalog, so that new ones are tested without changes. */
const declared = [...catalog.values()].flatMap(dataset => (dataset.search ?? []).map(search => ({ dataset, search })))

const codesOf = ({ dataset, search: { id } }: (typeof declared)[number]): readonly string[] => [
  ...new Set(dataset.example.map(row => String(row[id as never]))),
]

it('a search by code finds every hit that a dataset declares, and the hit lists the datasets that have its rows', async () => {
  for (const { dataset, search: declaration } of declared)
    for (const code of codesOf({ dataset, search: declaration })) {
      const { type } = declaration
      const label = `${type} ${code} of ${dataset.slug}`
      const hit = (await search(code, `&type=${type}`)).data[0]
      expect.soft(hit, label).toMatchObject({ type, id: code, score: 1, matched_on: 'code' })
      expect.soft(hit?.datasets.includes(dataset.id), label).toBe(dataset.access !== undefined)
    }
})

it('a search by name finds every hit that a dataset declares with a title', async () => {
  for (const {
    dataset,
    search: { type, id, title },
  } of declared)
    for (const row of title ? dataset.example : []) {
      const name = title!.map(column => row[column as never]).join('-')
      const found = await ids(name, `&type=${type}&limit=100`)
      expect.soft(found, `${type} "${name}" of ${dataset.slug}`).toContain(`${type} ${row[id as never]}`)
    }
})

it('every hit that a dataset declares with a parameter links to a read with its rows', async () => {
  for (const { dataset, search: declaration } of declared.filter(({ search: { param } }) => param !== undefined))
    for (const code of codesOf({ dataset, search: declaration })) {
      const response = await s.get((await search(code, `&type=${declaration.type}`)).data[0]!.url, key)
      expect
        .soft([response.statusCode, response.body], `${declaration.type} ${code} of ${dataset.slug}`)
        .toEqual([200, expect.stringContaining(code)])
    }
})

it('for every dataset, a search by its slug, id or title finds it first among the datasets', async () => {
  for (const dataset of served(catalog))
    for (const name of ['slug', 'id', 'title', 'titleZh'] as const)
      expect.soft(await first(dataset[name], '&type=dataset'), `${name} of ${dataset.slug}`).toBe(`dataset ${dataset.id}`)
})

it('every column is found by its name and its Chinese label, and is the first hit for its qualified name', async () => {
  for (const { id, columns } of served(catalog))
    for (const [name, { zh }] of Object.entries(columns)) {
      const field = `field ${id}.${name}`
      for (const q of [name, zh]) expect.soft(await ids(q, '&type=field&limit=100'), `${id}, ${q}`).toContain(field)
      expect.soft(await first(`${id}.${name}`), `${id}, ${name}`).toBe(field)
    }
})

it.each([
  ['2330', 'symbol 2330'],
  ['２３３０', 'symbol 2330'],
  ['台積電', 'symbol 2330'],
  ['臺積電', 'symbol 2330'],
  ['台积电', 'symbol 2330'],
  ['台', 'symbol 1101'],
  ['台積', 'symbol 2330'],
  ['積電', 'symbol 2330'],
  ['台積店', 'symbol 2330'],
  ['2330 台積電', 'symbol 2330'],
  ['tw0002330008', 'symbol 2330'],
  ['ＩＸ０００１', 'index IX0001'],
  ['電子工業', 'index IX0027'],
  ['半導體', 'theme industry_24'],
  ['統一', 'broker 5850'],
  ['Foreign Net Buy', 'field institutional-positioning.foreign_net_buy'],
  ['三大法人', 'dataset institutional-positioning'],
  ['yield curve', 'dataset bond_yield_curve'],
  ['10y', 'symbol 10Y'],
  ['twgb', 'dataset bond_yield_curve'],
  ['institutional positoning', 'dataset institutional-positioning'],
  ['yeild', 'dataset bond_yield_curve'],
  ['segmnet', 'field all_segments.segment'],
  ['yeild curve', 'dataset bond_yield_curve'],
  ['curve yield goverment', 'dataset bond_yield_curve'],
])('the query "%s" finds %s first', async (q, hit) => expect(await first(q)).toBe(hit))

it.each([
  ['臺積電', '台積電'],
  ['台积电', '台積電'],
  ['台積電*', '台積電'],
  ['　台積電', '台積電'],
  ['２３３０', '2330'],
  ['ｔｗ０００２３３０００８', 'TW0002330008'],
  ['FOREIGN-NET-BUY', 'foreign_net_buy'],
])('the query "%s" finds the same hits as "%s"', async (q, plain) => {
  const { data } = await search(plain)
  expect(data.length).toBeGreaterThan(0)
  expect((await search(q)).data.map(({ id, matched_on }) => [id, matched_on])).toEqual(data.map(({ id, matched_on }) => [id, matched_on]))
  expect((await search(q)).data[0]!.score).toBeGreaterThan(0.7)
})

it('a search does not correct a single digit of a code', async () => expect((await search('2331')).total).toBe(0))

it('a search ranks the branch code in the case of the query before the code in the other case', async () => {
  expect((await ids('585B')).slice(0, 2)).toEqual(['branch 585B', 'branch 585b'])
  expect((await ids('585b')).slice(0, 2)).toEqual(['branch 585b', 'branch 585B'])
  expect((await search('585b')).data.slice(0, 2).map(({ url }) => url.slice(-4))).toEqual(['585b', '585B'])
})

it('a search by an English industry name finds the industry, then its companies', async () => {
  for (const q of ['semiconductor', 'Semiconductor', 'semiconducter']) {
    expect(await first(q)).toBe('theme industry_24')
    expect(await ids(q, '&type=symbol')).toEqual(await ids('半導體業', '&type=symbol'))
  }
  expect(await ids('semiconductor', '&type=symbol')).toEqual(['symbol 2330'])
  expect(await ids('TSMC semiconductor')).toEqual(['symbol 2330'])
  expect((await search('semiconductor', '&type=symbol')).data[0]).toMatchObject({
    matched_on: 'description',
    subtitle: '股票 · 半導體業',
  })
})

it('a search returns hits with all words, or with some of the words if no hit has all', async () => {
  expect(await ids('台積電 半導體')).toEqual(['symbol 2330'])
  expect(await ids('富邦金 殖利率曲線')).toEqual(expect.arrayContaining(['symbol 2881', 'dataset bond_yield_curve']))
})

it('only a search without hits has a hint', async () => {
  expect(await search('MediaTek')).toMatchObject({ total: 0, hint: expect.stringContaining('TSMC') })
  expect(await search('Hon Hai Precision', '&type=symbol')).toMatchObject({
    total: 0,
    hint: expect.stringContaining('Chinese names'),
  })
  expect(await search('2330')).not.toHaveProperty('hint')
})

it('a hit of type field has the name of its field in /v2/query, or null', async () => {
  const queryField = async (id: string) =>
    ((await search(id, '&type=field')).data[0] as unknown as { query_field: string | null }).query_field
  const { data } = (await s.get('/v2/query/fields', key)).json()
  for (const { dataset, column } of data.slice(0, 40)) {
    const names = data
      .filter((field: (typeof data)[0]) => field.dataset === dataset && field.column === column)
      .map(({ field }: (typeof data)[0]) => field)
    const listed = served(catalog).some(({ id }) => id === dataset)
    if (listed) expect(names).toContain(await queryField(`${dataset}.${column}`))
  }
  expect(await queryField('bond_yield_curve.as_of')).toBe('curve.quoted_on')
  expect(await queryField('bond_yield_curve.lineage')).toBeNull()
  expect((await search('2330')).data[0]).toMatchObject({ query_field: null })
})

it('the hit of a symbol links to a read of the caller’s plan, or else to the coverage of the symbol', async () => {
  const free = s.keyOn('free')
  const url = async (q: string, as: string) =>
    (await s.get(`/v2/search?q=${encodeURIComponent(q)}&type=symbol`, as)).json().data[0].url as string
  expect(await url('10Y', free)).toBe('/v2/coverage/bond-yield-curve?symbol=10Y')
  expect(await url('10Y', key)).toBe('/v2/datasets/bond-yield-curve?symbol=10Y')
  for (const code of ['2330', '2881']) expect((await s.get(await url(code, free), free)).statusCode).toBe(200)
})

it('hits rank by exact code, code prefix, exact name, name prefix, other words', async () => {
  await s.publish('daily-prices', [
    quote('9000', '2026-06-30', '甲9001'),
    quote('9001', '2026-06-30', '乙'),
    quote('90011', '2026-06-30', '丙'),
    quote('9002', '2026-06-30', '9001'),
    quote('9003', '2026-06-30', '9001丁'),
  ])
  const { data } = await search('9001')
  expect(data.map(({ id, matched_on }) => [id, matched_on])).toEqual([
    ['9001', 'code'],
    ['90011', 'code'],
    ['9002', 'name'],
    ['9003', 'name'],
    ['9000', 'name'],
  ])
  expect(data.map(({ score }) => score)).toEqual(data.map(({ score }) => score).toSorted((a, b) => b - a))
})

it('a hit with the word in its code ranks before a hit with the word in its name', async () => {
  await s.publish('daily-prices', [quote('9101', '2026-06-30', '龘靐齉 9102'), quote('9102', '2026-06-30', '龘靐齉爩鱻')])
  expect(await ids('9102 龘靐齉', '&type=symbol')).toEqual(['symbol 9102', 'symbol 9101'])
})

it('pages of hits neither repeat nor skip a hit, and link to the next page', async () => {
  const whole = await search('e', '&limit=100')
  expect(whole.total).toBeGreaterThan(10)
  const pages: Hit[] = []
  let url: string | undefined = '/v2/search?q=e&limit=7'
  while (url !== undefined) {
    const { headers, ...response } = await s.get(url, key)
    const body = response.json()
    expect(body).toMatchObject({ total: whole.total, offset: pages.length, limit: 7 })
    pages.push(...body.data)
    url = /<(.*)>; rel="next"/.exec(String(headers['link'] ?? ''))?.[1]
  }
  expect(pages.slice(0, 100)).toEqual(whole.data)
  expect(pages).toHaveLength(whole.total)
  expect(new Set(pages.map(({ type, id }) => `${type} ${id}`)).size).toBe(whole.total)
})

it('hits of equal score rank by type, then id', async () => {
  const { data } = await search('market', '&limit=100')
  const keys = data.map(({ type, id, score }) => [1 - score, FOUND_TYPES.indexOf(type as never), id] as const)
  const sorted = keys.toSorted((a, b) => a[0] - b[0] || a[1] - b[1] || (a[2] < b[2] ? -1 : 1))
  expect(keys).toEqual(sorted)
})

it('offset skips hits of one type or of all types', async () => {
  for (const type of ['all', 'field', 'dataset'])
    expect(await ids('code', `&type=${type}&offset=2&limit=3`)).toEqual((await ids('code', `&type=${type}`)).slice(2, 5))
})

it('the facets of a search count the hits of every type; its total counts the hits of the requested type', async () => {
  const all = await search('統一')
  const hits = await search('統一', '&type=branch')
  expect(Object.keys(all.facets)).toEqual([...FOUND_TYPES])
  expect(hits.facets).toEqual(all.facets)
  expect(all.total).toBe(Object.values(all.facets).reduce((sum, count) => sum + count))
  expect(hits.total).toBe(hits.facets['branch'])
  expect(hits.data.every(({ type }) => type === 'branch')).toBe(true)
  for (const type of FOUND_TYPES) expect(all.data.filter(hit => hit.type === type)).toHaveLength(all.facets[type]!)
})

it('if a symbol is in no list, a search finds it with the name of its newest quote', async () => {
  await s.publish('daily-prices', [quote('8888', '2026-06-01', '舊名'), quote('8888', '2026-06-02', '新名')])
  expect((await search('8888')).data[0]).toMatchObject({
    title: '新名',
    market: 'TWSE',
    datasets: expect.arrayContaining(['daily_prices']),
    url: expect.stringMatching(/^\/v2\/datasets\/(adjusted|daily)-prices\?symbol=8888$/),
  })
  expect(await ids('舊名')).toEqual([])
})

it('a search finds an unnamed symbol by its code', async () => {
  const event = { ...s.dataset('company-risk-events').example[0], symbol: '7777' }
  await s.publish('company-risk-events', [event])
  expect((await search('7777')).data[0]).toMatchObject({ title: '7777', market: null, datasets: ['company_risk_events'] })
})
