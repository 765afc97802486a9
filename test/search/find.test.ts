import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FOUND_TYPES, loadCatalog, served } from '../../catalog/index.ts'
import { service, type TestService } from '../support.ts'

const catalog = await loadCatalog()
let s: TestService
let key: string
beforeAll(async () => {
  s = await service()
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

/** Held by every declaration for being there; none is named. */
const declared = [...catalog.values()].flatMap(dataset =>
  dataset.planned ? [] : (dataset.search ?? []).map(search => ({ dataset, search })),
)

describe.each(declared)('a $search.type of $dataset.slug, searched for,', ({ dataset, search: { type, id, title, param } }) => {
  const wanted = [...new Set(dataset.example.map(row => String(row[id as never])))]

  it('is found by its code, in the datasets that have rows of it', async () => {
    for (const code of wanted) {
      const hit = (await search(code, `&type=${type}`)).data[0]!
      expect(hit).toMatchObject({ type, id: code, score: 1, matched_on: 'code' })
      if (dataset.access) expect(hit.datasets).toContain(dataset.id)
      else expect(hit.datasets).not.toContain(dataset.id)
    }
  })

  it.skipIf(title === undefined)('is found by its name', async () => {
    for (const row of dataset.example) {
      const name = (title ?? []).map(column => row[column as never]).join('-')
      expect(await ids(name, `&type=${type}&limit=100`)).toContain(`${type} ${row[id as never]}`)
    }
  })

  it.skipIf(param === undefined)('leads to a read that has rows of it', async () => {
    for (const code of wanted) {
      const response = await s.get((await search(code, `&type=${type}`)).data[0]!.url, key)
      expect(response.statusCode).toBe(200)
      expect(JSON.stringify(response.json())).toContain(code)
    }
  })
})

describe.each(served(catalog))('dataset $slug', dataset => {
  it.each(['slug', 'id', 'title', 'titleZh'] as const)('is the first dataset found by its %s', async name => {
    expect(await first(dataset[name], '&type=dataset')).toBe(`dataset ${dataset.id}`)
  })

  it('has every column found by name and by 中文 label', async () => {
    for (const [name, { zh }] of Object.entries(dataset.columns)) {
      const field = `field ${dataset.id}.${name}`
      for (const q of [name, zh]) expect(await ids(q, '&type=field&limit=100')).toContain(field)
      expect(await first(`${dataset.id}.${name}`)).toBe(field)
    }
  })
})

describe('a query', () => {
  it.each([
    ['2330', 'symbol 2330'],
    ['２３３０', 'symbol 2330'],
    ['台積電', 'symbol 2330'],
    ['臺積電', 'symbol 2330'],
    ['台积电', 'symbol 2330'],
    ['台', 'symbol 2330'],
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
  ])('%s is %s first', async (q, hit) => expect(await first(q)).toBe(hit))

  it.each([
    ['臺積電', '台積電'],
    ['台积电', '台積電'],
    ['台積電*', '台積電'],
    ['　台積電', '台積電'],
    ['２３３０', '2330'],
    ['ｔｗ０００２３３０００８', 'TW0002330008'],
    ['FOREIGN-NET-BUY', 'foreign_net_buy'],
  ])('%s is %s', async (q, plain) => {
    const { data } = await search(plain)
    expect(data.length).toBeGreaterThan(0)
    expect((await search(q)).data.map(({ id, matched_on }) => [id, matched_on])).toEqual(data.map(({ id, matched_on }) => [id, matched_on]))
    expect((await search(q)).data[0]!.score).toBeGreaterThan(0.7)
  })

  it('is never taken for a code one digit away', async () => expect((await search('2331')).total).toBe(0))

  it('finds both branches whose codes differ in case, the one as written first', async () => {
    expect((await ids('585B')).slice(0, 2)).toEqual(['branch 585B', 'branch 585b'])
    expect((await ids('585b')).slice(0, 2)).toEqual(['branch 585b', 'branch 585B'])
    expect((await search('585b')).data.slice(0, 2).map(({ url }) => url.slice(-4))).toEqual(['585b', '585B'])
  })

  it('finds the companies of an industry by its English name, too, after the industry itself', async () => {
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

  it('has all the words, or some where nothing has all', async () => {
    expect(await ids('台積電 半導體')).toEqual(['symbol 2330'])
    expect(await ids('富邦金 殖利率曲線')).toEqual(expect.arrayContaining(['symbol 2881', 'dataset bond_yield_curve']))
  })
})

describe('the next step a search suggests', () => {
  it('is in words where nothing is found, and only there', async () => {
    expect(await search('MediaTek')).toMatchObject({ total: 0, hint: expect.stringContaining('TSMC') })
    expect(await search('Hon Hai Precision', '&type=symbol')).toMatchObject({
      total: 0,
      hint: expect.stringContaining('in Chinese'),
    })
    expect(await search('2330')).not.toHaveProperty('hint')
  })

  it('for a field is its name in a query, null where it has none', async () => {
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

  it('is a read that the caller’s plan includes, else the coverage of the symbol', async () => {
    const free = s.keyOn('free')
    const url = async (q: string, as: string) =>
      (await s.get(`/v2/search?q=${encodeURIComponent(q)}&type=symbol`, as)).json().data[0].url as string
    expect(await url('10Y', free)).toBe('/v2/coverage/bond-yield-curve?symbol=10Y')
    expect(await url('10Y', key)).toBe('/v2/datasets/bond-yield-curve?symbol=10Y')
    for (const code of ['2330', '2881']) expect((await s.get(await url(code, free), free)).statusCode).toBe(200)
  })
})

describe('the order of hits', () => {
  it('is exact code, beginning of a code, exact name, beginning of a name, other words', async () => {
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

  it('is total: pages neither share nor skip a hit, and each but the last links to the next', async () => {
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

  it('of equal scores is type, then id', async () => {
    const { data } = await search('market', '&limit=100')
    const keys = data.map(({ type, id, score }) => [1 - score, FOUND_TYPES.indexOf(type as never), id] as const)
    const sorted = keys.toSorted((a, b) => a[0] - b[0] || a[1] - b[1] || (a[2] < b[2] ? -1 : 1))
    expect(keys).toEqual(sorted)
  })

  it('begins at the offset, of one type as of all', async () => {
    for (const type of ['all', 'field', 'dataset'])
      expect(await ids('code', `&type=${type}&offset=2&limit=3`)).toEqual((await ids('code', `&type=${type}`)).slice(2, 5))
  })
})

describe('the counts of a search', () => {
  it('cover every type whichever is asked for; total is of that one', async () => {
    const all = await search('統一')
    const one = await search('統一', '&type=branch')
    expect(Object.keys(all.facets)).toEqual([...FOUND_TYPES])
    expect(one.facets).toEqual(all.facets)
    expect(all.total).toBe(Object.values(all.facets).reduce((sum, count) => sum + count))
    expect(one.total).toBe(one.facets['branch'])
    expect(one.data.every(({ type }) => type === 'branch')).toBe(true)
    for (const type of FOUND_TYPES) expect(all.data.filter(hit => hit.type === type)).toHaveLength(all.facets[type]!)
  })
})

describe('words that thousands of things have', () => {
  const [BASE, ISSUERS] = [2_400, ['元大', '凱基', '群益']]
  const warrant = (index: number): string =>
    `${String.fromCodePoint(0x4e00 + (index % 800))}訊${ISSUERS[index % 3]}${53 + (index % 4)}購${10 + (index % 7)}`
  const of = (holds: (name: string) => boolean) => Array.from({ length: BASE }, (_, index) => warrant(index)).filter(holds)
  beforeAll(async () => {
    const rows = Array.from({ length: BASE }, (_, index) => quote(String(300_000 + index), '2026-06-30', warrant(index)))
    await s.publish('daily-prices', rows, { accept: ['row_count_drift', 'row_count'] })
  })

  it.each<[string, (name: string) => boolean]>([
    ['元大 購', name => name.includes('元大')],
    ['訊 購 54', name => name.includes('54購')],
    ['訊元大 53購', name => name.includes('元大53')],
    ['購 53 54 55 56 57', () => true],
    ['元大購 群益購', name => !name.includes('凱基')],
  ])('%s are all counted', async (q, holds) => expect((await search(q, '&type=symbol')).total).toBe(of(holds).length))

  it('do not keep a rarer word from coming first', async () => {
    const rare = warrant(7)
    expect((await search(`${rare[0]} 元大 凱基 群益 53 54 購 龘`, '&type=symbol')).data[0]!.title[0]).toBe(rare[0])
  })
})

describe('a symbol that no list has', () => {
  it('is found by the newest name its quotes have', async () => {
    await s.publish('daily-prices', [quote('8888', '2026-06-01', '舊名'), quote('8888', '2026-06-02', '新名')])
    expect((await search('8888')).data[0]).toMatchObject({
      title: '新名',
      market: 'TWSE',
      datasets: expect.arrayContaining(['daily_prices']),
      url: expect.stringMatching(/^\/v2\/datasets\/(adjusted|daily)-prices\?symbol=8888$/),
    })
    expect(await ids('舊名')).toEqual([])
  })

  it('is found by its code where nothing names it', async () => {
    const event = { ...s.dataset('company-risk-events').example[0], symbol: '7777' }
    await s.publish('company-risk-events', [event])
    expect((await search('7777')).data[0]).toMatchObject({ title: '7777', market: null, datasets: ['company_risk_events'] })
  })
})
