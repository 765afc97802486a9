import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NOW, service, type TestService } from '../support.ts'

let s: TestService
beforeAll(async () => {
  s = await service()
})
afterAll(() => s.close())

const PATH = '/v2/datasets/theme-taxonomy'
const tagOf = async (url: string, key = s.keyOn('max')): Promise<string> => String((await s.get(url, key)).headers['etag'])

describe('the headers of an answer', () => {
  it('name the release, its time, the rows, the credits and the stages', async () => {
    const { headers } = await s.get(PATH, s.keyOn('free', 'headers@example.test'))
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'private, no-cache',
      'x-content-type-options': 'nosniff',
      'x-release': '20260701T120000000Z',
      'last-modified': 'Wed, 01 Jul 2026 12:00:00 GMT',
      'x-row-count': '2',
      'x-row-limit': '1000',
      'x-credits-charged': '1',
      'x-credits-limit': '1000',
      'x-credits-remaining': '999',
      'x-credits-reset': '2026-08-01T00:00:00.000+08:00',
    })
    expect(headers['etag']).toMatch(/^"[\w-]{27}"$/)
    expect(headers['server-timing']).toMatch(
      /^admit;dur=[\d.]+, plan;dur=[\d.]+, hold;dur=[\d.]+, fetch;dur=[\d.]+, encode;dur=[\d.]+, settle;dur=[\d.]+$/,
    )
    expect(headers['x-request-id']).toMatch(/^req_/)
  })

  it('have no release where none was published', async () => {
    const { headers } = await s.get('/v2/datasets/events?symbol=2330', s.keyOn('pro'))
    expect(headers).not.toHaveProperty('x-release')
    expect(headers).not.toHaveProperty('last-modified')
    expect(headers['etag']).toMatch(/^"/)
  })
})

describe('If-None-Match', () => {
  it('is answered whole once the trading calendar gives another reason for having no rows', async () => {
    const other = await service()
    const key = other.keyOn('max')
    const like = other.dataset('bond-yield-curve').example[0]
    await other.publish('bond-yield-curve', [{ ...like, trade_date: '2026-06-22', as_of: '2026-06-22' }])
    const read = async (headers = {}) => other.get('/v2/datasets/bond-yield-curve?symbol=TWGB&trade_date=2026-06-23', key, headers)
    const before = await read()
    await other.publish('trading-calendar', [{ market: 'TWSE', date: '2026-06-23', is_open: false, reason: '颱風' }])
    const after = await read({ 'if-none-match': before.headers['etag'] })
    expect(before.json().quality.empty_reason).toBe('not_captured')
    expect([after.statusCode, after.json().quality.empty_reason]).toEqual([200, 'not_trading_day'])
    await other.close()
  })

  it('M4: with the tag is 304, without a body and without a charge', async () => {
    const key = s.keyOn('free', 'unchanged@example.test')
    const tag = await tagOf(PATH, key)
    const response = await s.get(PATH, key, { 'if-none-match': tag })
    expect(response.statusCode).toBe(304)
    expect(response.body).toBe('')
    expect(response.headers).toMatchObject({
      etag: tag,
      'cache-control': 'private, no-cache',
      'x-release': '20260701T120000000Z',
      'last-modified': 'Wed, 01 Jul 2026 12:00:00 GMT',
      'x-credits-charged': '0',
      'x-credits-remaining': '999',
    })
  })

  it.each([(tag: string) => `W/${tag}`, (tag: string) => `"x", ${tag}`, (tag: string) => `"x",W/${tag},"y"`, () => '*'])(
    'is compared weakly, tag by tag: form %#',
    async form => {
      const key = s.keyOn('free')
      expect((await s.get(PATH, key, { 'if-none-match': form(await tagOf(PATH, key)) })).statusCode).toBe(304)
    },
  )

  it.each([(tag: string) => tag.slice(1, -1), (tag: string) => tag.replace('"', '"x'), () => '""', () => ''])(
    'with another tag is an answer, at its price: form %#',
    async form => {
      const key = s.keyOn('free')
      const response = await s.get(PATH, key, { 'if-none-match': form(await tagOf(PATH, key)) })
      expect([response.statusCode, response.headers['x-credits-charged']]).toEqual([200, '1'])
    },
  )

  it('gives no access that the plan or the parameters deny', async () => {
    expect((await s.get('/v2/datasets/bond-yield-curve?symbol=TWGB', s.keyOn('free'), { 'if-none-match': '*' })).statusCode).toBe(403)
    expect((await s.get(`${PATH}?limit=0`, s.keyOn('free'), { 'if-none-match': '*' })).statusCode).toBe(422)
    expect((await s.get(PATH, undefined, { 'if-none-match': '*' })).statusCode).toBe(401)
  })
})

describe('a refusal', () => {
  const OF_ANSWERS = ['etag', 'last-modified', 'x-release', 'x-dataset', 'x-row-limit', 'x-data-as-of', 'x-warnings', 'x-row-count', 'link']
  const paged = '/v2/datasets/institutional-positioning?symbol=2330&limit=1'
  const kept = async (key: string) => {
    const { statusCode, headers } = await s.get(paged, key)
    return [statusCode, ...OF_ANSWERS.filter(name => name in headers)]
  }

  it('has none of the headers of the answer it replaces, before the rows were read and after', async () => {
    const key = s.keyOn('pro', 'no-headers@example.test')
    expect(await kept(key)).toEqual([200, ...OF_ANSWERS])
    s.control.db.exec('ALTER TABLE usage_ledger RENAME TO gone')
    expect(await kept(key)).toEqual([500])
    s.control.db.exec('ALTER TABLE gone RENAME TO usage_ledger')
    const { accountId, keyId } = s.control.keys.find(key, NOW)!
    const at = '2026-07-01T20:00:00.000+08:00'
    await s.control.ledger.record({ requestId: 'req_all', accountId, keyId, dataset: 'events', at, credits: 99_998, rows: 0 })
    expect(await kept(key)).toEqual([402])
  })
})

describe('the ETag', () => {
  it('is another on another plan, whose name and row limit the answer states', async () => {
    expect(await tagOf(PATH, s.keyOn('free'))).not.toBe(await tagOf(PATH, s.keyOn('pro')))
  })

  it('is not on a refusal, which must not be cached as the answer', async () => {
    const spent = await s.get(`${PATH}?limit=0`, s.keyOn('free'))
    expect([spent.statusCode, spent.headers['etag'], spent.headers['x-release']]).toEqual([422, undefined, undefined])
  })

  it('is the same for the same question, however it is written', async () => {
    const tag = await tagOf(PATH)
    expect(await tagOf(`${PATH}?limit=50&offset=0&sort_by=as_of_date&sort_order=desc&format=json`)).toBe(tag)
    expect(await tagOf(`${PATH}?market=twse`)).toBe(await tagOf(`${PATH}?market=TWSE`))
  })

  it('differs with anything that decides the rows or their names', async () => {
    const urls = [
      '',
      'limit=1',
      'offset=1',
      'columns=symbol',
      'columns=symbol,market',
      'columns=market,symbol',
      'sort_order=asc',
      'symbol=2330',
      'market=TWSE',
    ]
    const tags = await Promise.all(urls.map(query => tagOf(`${PATH}?${query}`)))
    expect(new Set([...tags, await tagOf('/v2/datasets/index-classification')]).size).toBe(urls.length + 1)
  })

  it('differs between a full answer and one the plan cut', async () => {
    expect(await tagOf(`${PATH}?limit=5000`, s.keyOn('free'))).not.toBe(await tagOf(`${PATH}?limit=1000`, s.keyOn('free')))
  })

  it('changes with the release, and a pinned release keeps its own', async () => {
    const path = '/v2/datasets/index-classification'
    const key = s.keyOn('free')
    const before = await s.get(path, key)
    await s.publish(
      'index-classification',
      s.dataset('index-classification').example.map(row => ({ ...row, index_name: '新' })),
    )
    const after = await s.get(path, key, { 'if-none-match': String(before.headers['etag']) })
    expect(after.statusCode).toBe(200)
    expect(after.headers['x-release']).not.toBe(before.headers['x-release'])
    expect(after.headers['etag']).not.toBe(before.headers['etag'])
    const pinned = await s.get(`${path}?release=${before.headers['x-release']}`, key, { 'if-none-match': String(before.headers['etag']) })
    expect(pinned.statusCode).toBe(304)
  })
})
