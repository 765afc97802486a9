import { rename } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Row } from '../../catalog/index.ts'
import { planRead, type ReadLimits } from '../../src/read/index.ts'
import { bucketOf, type Part } from '../../src/releases/index.ts'
import { weekdays } from '../fixtures/publish/rows.ts'
import { service, type TestService } from '../support.ts'

const limits: ReadLimits = { plan: 'max', rowLimit: 100_000, queueKey: 'acct' }
const SLUG = 'institutional-positioning'
const TICKERS = Array.from({ length: 60 }, (_, index) => String(1_101 + index))
const DAYS = 1_000
const SESSIONS = weekdays('2022-01-03', DAYS + 2)
const dayOf = (number: number): string => SESSIONS[number]!
const flow = (ticker: string, day: number): Row => ({
  ticker,
  market: 'TWSE',
  trade_date: dayOf(day),
  foreign_net_buy: Number(ticker) * 1_000 + day,
  investment_trust_net_buy: day,
  dealer_net_buy: -Number(ticker),
})

let s: TestService
beforeAll(async () => {
  s = await service({ examples: false, inMemory: false })
  await s.publish(
    SLUG,
    Array.from({ length: DAYS * 60 }, (_, index) => flow(TICKERS[index % 60]!, Math.floor(index / 60))),
  )
  await s.publish(
    SLUG,
    TICKERS.map(ticker => flow(ticker, DAYS)),
  )
})
afterAll(() => s.close())

const manifest = () => s.releases.current(s.dataset(SLUG)).manifest
const [base, delta] = [(part: Part) => part.role === 'base', (part: Part) => part.role === 'delta']

/** Parts of the release that a read would open. */
function opened(query: string): readonly Part[] {
  const release = s.releases.current(s.dataset(SLUG))
  const parts = planRead(s.dataset(SLUG), release, Object.fromEntries(new URLSearchParams(query)), limits).parts()
  return release.manifest.parts.filter(part => parts.includes(release.pathOf(part)))
}

describe('reads by ticker', () => {
  it('the release of this test has three buckets and a delta part', () => {
    expect(manifest().buckets).toBe(3)
    expect(manifest().parts.map(({ role, bucket }) => [role, bucket])).toEqual([
      ['base', 0],
      ['base', 1],
      ['base', 2],
      ['delta', null],
    ])
  })

  /** The first 12 tickers with their buckets of 3, computed by another program. */
  it.each([
    ['1101', 0],
    ['1102', 0],
    ['1103', 1],
    ['1104', 0],
    ['1105', 1],
    ['1106', 1],
    ['1107', 2],
    ['1108', 0],
    ['1109', 1],
    ['1110', 0],
    ['1111', 2],
    ['1112', 2],
  ])('a read of %s opens bucket %i and the delta part', (ticker, home) => {
    const parts = opened(`symbol=${ticker}`)
    expect(parts.filter(base).map(({ bucket }) => bucket)).toEqual([home])
    expect(parts.filter(delta)).toHaveLength(1)
  })

  it('a read opens each bucket once, regardless of its number of tickers', () => {
    const together = TICKERS.filter(ticker => bucketOf(ticker, 3) === 1)
    expect(together.length).toBeGreaterThan(2)
    expect(opened(`symbol=${together.slice(0, 50).join(',')}`).filter(base)).toHaveLength(1)
    expect(opened(`symbol=${TICKERS.slice(0, 50).join(',')}`).filter(base)).toHaveLength(3)
  })

  it('a read opens the delta part only if the read includes days of the delta part', () => {
    expect(opened(`symbol=1101&start_date=${dayOf(DAYS)}`).map(({ role }) => role)).toEqual(['delta'])
    expect(opened(`symbol=1101&end_date=${dayOf(DAYS - 1)}`).map(({ role }) => role)).toEqual(['base'])
  })

  it('a read of days or keys that the release does not have opens no file', () => {
    expect(opened('symbol=1101&end_date=2021-12-31')).toEqual([])
    expect(opened(`symbol=1101&start_date=${dayOf(DAYS + 1)}`)).toEqual([])
    expect(opened('symbol=9999')).toEqual([])
    expect(opened('symbol=0050')).toEqual([])
  })

  it('a read succeeds even if parts that it does not open are missing', async () => {
    const { parts } = manifest()
    const { pathOf } = s.releases.current(s.dataset(SLUG))
    const key = s.keyOn('pro')
    const needed = opened('symbol=1101')
    const away = parts.filter(part => !needed.includes(part))
    expect(away).toHaveLength(2)
    for (const part of away) await rename(pathOf(part), `${pathOf(part)}.away`)
    const mine = await s.get(`/v2/datasets/${SLUG}?symbol=1101&limit=2000`, key)
    expect([mine.statusCode, mine.json().row_count]).toEqual([200, DAYS + 1])
    const elsewhere = TICKERS.find(ticker => bucketOf(ticker, 3) !== bucketOf('1101', 3))!
    const other = await s.get(`/v2/datasets/${SLUG}?symbol=${elsewhere}`, key)
    expect([other.statusCode, other.json().error.error_code]).toEqual([503, 'data_unavailable'])
    for (const part of away) await rename(`${pathOf(part)}.away`, pathOf(part))
    const mended = async () => (await s.get(`/v2/datasets/${SLUG}?symbol=${elsewhere}`, key)).statusCode === 200
    await vi.waitUntil(mended, { timeout: 10_000, interval: 200 })
  })

  it('Q6: a read over fifty years is cut at the row limit of the plan', async () => {
    const all = `/v2/datasets/${SLUG}?symbol=${TICKERS.slice(0, 50).join(',')}&start_date=1980-01-01&end_date=2029-12-31&limit=100000`
    const response = await s.get(all, s.keyOn('pro'))
    expect(response.json().row_count).toBe(20_000)
    expect(response.headers).toMatchObject({
      'x-row-limit': '20000; limited',
      'x-row-count': '20000',
      link: expect.stringContaining('offset=20000'),
    })
  })
})

describe('reads without a key', () => {
  it('a read of a dataset without a key column opens every part', async () => {
    await s.publish('theme-taxonomy', s.dataset('theme-taxonomy').example)
    const release = s.releases.current(s.dataset('theme-taxonomy'))
    const parts = planRead(s.dataset('theme-taxonomy'), release, {}, limits).parts()
    expect(parts).toEqual(release.manifest.parts.map(release.pathOf))
  })
})
