import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NOW, service, type TestService } from '../support.ts'

let s: TestService
beforeAll(async () => {
  s = await service({ indexed: false })
})
afterAll(() => s.close())

const PATH = '/v2/datasets/theme-taxonomy'
const tagOf = async (url: string, key = s.keyOn('max')): Promise<string> => String((await s.get(url, key)).headers['etag'])

describe('response headers', () => {
  it('a read states release, publication time, rows, credits and stage timings in its headers', async () => {
    const { headers } = await s.get(PATH, s.keyOn('free', 'headers@example.test'))
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'private, no-cache',
      'x-content-type-options': 'nosniff',
      'x-release': '20260701T120000000Z',
      'last-modified': 'Wed, 01 Jul 2026 12:00:00 GMT',
      'x-row-count': '2',
      'x-row-limit': '50; default',
      'x-total-rows': '2',
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

  it('a read of an unpublished dataset has no X-Release and no Last-Modified header', async () => {
    const bare = await service({ examples: false, indexed: false })
    const { headers } = await bare.get('/v2/datasets/events?symbol=2330', bare.keyOn('pro'))
    await bare.close()
    expect(headers).not.toHaveProperty('x-release')
    expect(headers).not.toHaveProperty('last-modified')
    expect(headers['etag']).toMatch(/^"/)
  })
})

describe('If-None-Match', () => {
  it('if the trading calendar changes the empty reason, If-None-Match gets a full response', async () => {
    const key = s.keyOn('max')
    const like = s.dataset('bond-yield-curve').example[0]
    await s.publish('bond-yield-curve', [{ ...like, trade_date: '2026-06-22', as_of: '2026-06-22' }])
    const read = async (headers = {}) => s.get('/v2/datasets/bond-yield-curve?symbol=TWGB&trade_date=2026-06-23', key, headers)
    const before = await read()
    await s.publish('trading-calendar', [{ market: 'TWSE', date: '2026-06-23', is_open: false, reason: '颱風' }])
    const after = await read({ 'if-none-match': before.headers['etag'] })
    expect(before.json().quality.empty_reason).toBe('not_captured')
    expect([after.statusCode, after.json().quality.empty_reason]).toEqual([200, 'not_trading_day'])
  })

  it('M4: If-None-Match with the current ETag returns 304 without a body or a charge', async () => {
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
    'the service compares If-None-Match weakly, tag by tag: form %#',
    async form => {
      const key = s.keyOn('free')
      expect((await s.get(PATH, key, { 'if-none-match': form(await tagOf(PATH, key)) })).statusCode).toBe(304)
    },
  )

  it.each([(tag: string) => tag.slice(1, -1), (tag: string) => tag.replace('"', '"x'), () => '""', () => ''])(
    'the service charges a full response when If-None-Match has no matching tag: form %#',
    async form => {
      const key = s.keyOn('free')
      const response = await s.get(PATH, key, { 'if-none-match': form(await tagOf(PATH, key)) })
      expect([response.statusCode, response.headers['x-credits-charged']]).toEqual([200, '1'])
    },
  )

  it('If-None-Match: * does not bypass the plan, the parameters or the key', async () => {
    expect((await s.get('/v2/datasets/bond-yield-curve?symbol=TWGB', s.keyOn('free'), { 'if-none-match': '*' })).statusCode).toBe(403)
    expect((await s.get(`${PATH}?limit=0`, s.keyOn('free'), { 'if-none-match': '*' })).statusCode).toBe(422)
    expect((await s.get(PATH, undefined, { 'if-none-match': '*' })).statusCode).toBe(401)
  })
})

describe('headers of a failed read', () => {
  const OF_ANSWERS = ['etag', 'last-modified', 'x-release', 'x-dataset', 'x-row-limit', 'x-data-as-of', 'x-warnings', 'x-row-count', 'link']
  const paged = '/v2/datasets/institutional-positioning?symbol=2330&limit=1'
  const cachedTags = async (key: string) => {
    const { statusCode, headers } = await s.get(paged, key)
    return [statusCode, ...OF_ANSWERS.filter(name => name in headers)]
  }

  it('a refused read has no headers of a successful read, whether it is refused before or after its rows are read', async () => {
    const key = s.keyOn('pro', 'no-headers@example.test')
    expect(await cachedTags(key)).toEqual([200, ...OF_ANSWERS])
    s.control.db.exec('ALTER TABLE usage_ledger RENAME TO gone')
    expect(await cachedTags(key)).toEqual([500])
    s.control.db.exec('ALTER TABLE gone RENAME TO usage_ledger')
    const { accountId, keyId } = s.control.keys.find(key, NOW)!
    const publishedAt = '2026-07-01T20:00:00.000+08:00'
    await s.control.ledger.record({ requestId: 'req_all', accountId, keyId, dataset: 'events', at: publishedAt, credits: 99_998, rows: 0 })
    expect(await cachedTags(key)).toEqual([402])
  })
})

describe('the ETag', () => {
  it('the ETag differs between plans, because the body has the name and the row limit of the plan', async () => {
    expect(await tagOf(PATH, s.keyOn('free'))).not.toBe(await tagOf(PATH, s.keyOn('pro')))
  })

  it('a refused read has no ETag', async () => {
    const spent = await s.get(`${PATH}?limit=0`, s.keyOn('free'))
    expect([spent.statusCode, spent.headers['etag'], spent.headers['x-release']]).toEqual([422, undefined, undefined])
  })

  it('equivalent queries have the same ETag', async () => {
    const tag = await tagOf(PATH)
    expect(await tagOf(`${PATH}?offset=0&sort_by=as_of_date&sort_order=desc&format=json`)).toBe(tag)
    expect(await tagOf(`${PATH}?market=twse`)).toBe(await tagOf(`${PATH}?market=TWSE`))
  })

  it('the ETag differs for each parameter that selects rows or columns', async () => {
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

  it('a response cut by the row limit of the plan has its own ETag', async () => {
    expect(await tagOf(`${PATH}?limit=5000`, s.keyOn('free'))).not.toBe(await tagOf(`${PATH}?limit=1000`, s.keyOn('free')))
  })

  it('a new release changes the ETag, and a pinned release keeps its ETag', async () => {
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
