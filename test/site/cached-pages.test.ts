import { gunzipSync } from 'node:zlib'
import { parse } from 'node-html-parser'
import { afterAll, expect, it } from 'vitest'
import { readEmail } from '../../src/accounts/index.ts'
import { closedByRule } from '../../src/calendar/index.ts'
import { partsOf } from '../../src/http/kernel/answer.ts'
import { answered, codedSoFar, keepAnswers, notFound } from '../../src/http/kernel/index.ts'
import { cell } from '../http/cells.ts'
import { NOW, service } from '../support.ts'

let clock = NOW
const s = await service({ now: () => clock })
afterAll(() => s.close())

const PATHS = ['/', '/datasets', '/datasets/earnings', '/company/2330', '/market/indices', '/market/calendar', '/explore/valuation']
const PAGES = PATHS.flatMap(path => [path, path === '/' ? '/zh' : `/zh${path}`])
const ZIPPED = { 'accept-encoding': 'gzip' }

it('the service renders and compresses each page only once while the content is unchanged', async () => {
  for (const path of PAGES)
    await cell(path, async () => {
      clock = NOW
      const [plain, first] = [await s.get(path), await s.get(path, undefined, ZIPPED)]
      const { misses } = codedSoFar()
      clock = new Date(NOW.getTime() + 60_000)
      const again = await s.get(path, undefined, ZIPPED)
      expect([again.statusCode, again.headers['etag'], codedSoFar().misses]).toEqual([200, first.headers['etag'], misses])
      expect(again.rawPayload.equals(first.rawPayload)).toBe(true)
      expect(gunzipSync(again.rawPayload).toString()).toBe(plain.body)
      expect((await s.get(path, undefined, { ...ZIPPED, 'if-none-match': first.headers['etag'] as string })).statusCode).toBe(304)
    })
})

it('the service serves each page with the same body to signed-in and anonymous visitors', async () => {
  for (const path of PAGES)
    await cell(path, async () => {
      const pages = await Promise.all(
        [undefined, 'one@example.test', 'other@example.test'].map(email =>
          s.get(path, undefined, email === undefined ? {} : signedIn(email)),
        ),
      )
      expect(new Set(pages.map(({ body }) => body)).size).toBe(1)
      for (const { body, headers } of pages) {
        expect([headers['set-cookie'], headers['vary'], headers['cache-control']]).toEqual([
          undefined,
          'Accept-Encoding',
          'public, no-cache',
        ])
        expect(body).not.toMatch(/@example\.test|twmd-session/)
      }
    })
})

function signedIn(email: string): Record<string, string> {
  const { id } = s.control.accounts.ensure(readEmail(email)!, s.now())
  return { cookie: `twmd-session=${s.control.sessions.open(id, s.now()).token}` }
}

it('the service caches the English and the Chinese page separately', async () => {
  for (const path of PATHS) {
    const [en, zh] = [await s.get(path), await s.get(path === '/' ? '/zh' : `/zh${path}`)]
    expect([en.body.includes('<html lang="en">'), zh.body.includes('<html lang="zh-Hant">')]).toEqual([true, true])
  }
})

it('a publication updates cached pages and adds the page of a new symbol', async () => {
  const paths = ['/', '/datasets/daily-prices', '/company/2330', '/market/calendar', '/explore/daily-prices']
  const former = await Promise.all(paths.map(path => s.get(path)))
  expect((await s.get('/company/9998')).statusCode).toBe(404)
  const [row] = s.dataset('daily-prices').example
  const { status } = await s.publish(
    'daily-prices',
    ['2330', '9998'].map(ticker => ({ ...row, ticker, trade_date: '2019-01-03' })),
  )
  expect(status).toBe('published')
  for (const [index, path] of paths.entries()) {
    const { statusCode, body, headers } = await s.get(path, undefined, { 'if-none-match': former[index]!.headers['etag'] as string })
    expect([path, statusCode, headers['etag'] === former[index]!.headers['etag']]).toEqual([path, 200, false])
    expect(body).not.toBe(former[index]!.body)
    if (path === '/company/2330') expect(body).toContain('2019-01-03')
  }
  expect((await s.get('/company/9998')).statusCode).toBe(200)
})

it('a market page contains the last day of each dataset and the newest trading days, also after a publication', async () => {
  const daysIn = async () => {
    const root = parse((await s.get('/zh/market/heat-map')).body)
    return ['last-days', 'trading-days'].map(name => root.querySelector(`meta[name=${name}]`)!.getAttribute('content')!.split(' '))
  }
  const { data } = (await s.get('/v2/datasets')).json() as { data: { slug: string; last_date: string | null }[] }
  const lastOf = (slug: string) => `${slug}=${data.find(one => one.slug === slug)!.last_date}`
  const [lastDays, tradingDays] = (await daysIn()) as [string[], string[]]
  expect(lastDays).toContain(lastOf('daily-prices'))
  expect(tradingDays).toHaveLength(10)
  expect(tradingDays).toEqual([...new Set(tradingDays)].sort())
  expect(tradingDays.filter(closedByRule)).toEqual([])
  const [row] = s.dataset('daily-prices').example
  await s.publish('daily-prices', [{ ...row, trade_date: '2026-06-30' }])
  const [newLastDays, newTradingDays] = (await daysIn()) as [string[], string[]]
  expect(newLastDays).toContain('daily-prices=2026-06-30')
  // 2026-06-27 and 28 are a weekend.
  expect(newTradingDays.slice(-3)).toEqual(['2026-06-26', '2026-06-29', '2026-06-30'])
})

const page = (text: string) => answered(Buffer.from(text.padEnd(4_000)), {})
/** The source that cached answers are made from. */
const source = { release: 1 }

it('the response cache rebuilds an answer when its source changes', () => {
  const keep = keepAnswers(1_000_000)
  const first = keep(source, '/a', () => page('a'))
  expect(keep(source, '/a', () => page('b'))).toBe(first)
  expect(keep({ ...source }, '/a', () => page('b'))).not.toBe(first)
})

it('the response cache evicts the least recently used answer when it is full', () => {
  const keep = keepAnswers(20_000)
  const [a, b] = ['/a', '/b'].map(address => keep(source, address, () => page(address)))
  expect(keep(source, '/a', () => page('again'))).toBe(a)
  keep(source, '/c', () => page('c'))
  expect(keep(source, '/a', () => page('again'))).toBe(a)
  expect(keep(source, '/b', () => page('again'))).not.toBe(b)
})

it('the response cache copies a body that is part of a shared buffer', () => {
  const { body, headers } = partsOf(
    keepAnswers(1_000_000)(source, '/a', () => answered(Buffer.from('a'.repeat(4_000)), { headers: { a: 1 } })),
  )
  const cached = body as Buffer
  expect([cached.toString(), headers]).toEqual(['a'.repeat(4_000), { a: 1 }])
  expect(cached.buffer.byteLength).toBe(cached.length)
})

it('the response cache does not store 404 answers', () => {
  const keep = keepAnswers(1_000_000)
  const first = keep(source, '/a', () => notFound(Buffer.from('nothing'), {}))
  expect(keep(source, '/a', () => page('a'))).not.toBe(first)
})
