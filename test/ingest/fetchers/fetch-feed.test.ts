import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FetchedFeed } from '../../../ingest/index.ts'
import { fetchSetup } from '../../fixtures/fetch/source.ts'
import { asDay, bodyOfDay, requestedDayOf } from '../../fixtures/fetch/t86.ts'
import { stored } from '../../fixtures/publish/store.ts'

const TRADES = 'institutional-positioning'
let f: Awaited<ReturnType<typeof fetchSetup>>
beforeEach(async () => {
  f = await fetchSetup({ reply: asDay })
})
afterEach(() => f.close())

const requestedDays = (): readonly string[] => f.source.requests.map(requestedDayOf)
const published = (): readonly string[] => stored(join(f.dir, 'releases'), TRADES).manifest.sources.flatMap(({ name }) => name.slice(-10))
const range = (from: string, to: string) => ({ wanted: { from, to } })
const outcomesOf = ({ ingested }: FetchedFeed) => ingested.flatMap(({ results }) => results.map(({ outcome, said }) => [outcome, said]))
const log = (feed = 'twse-t86') =>
  readFileSync(join(f.dir, 'captures/raw', feed, 'log.ndjson'), 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Record<string, unknown>)

describe('a single day', () => {
  it('fetching without a day requests and publishes the newest due day', async () => {
    const fetched = await f.fetch('twse-t86')
    expect(requestedDays()).toEqual(['2026-07-01'])
    expect(outcomesOf(fetched)).toEqual([['published', null]])
    expect(published()).toEqual(['2026-07-01'])
  })

  it('a fetched body is stored compressed and logged with its sha256, time, URL and source', async () => {
    await f.fetch('twse-t86', range('2026-06-30', '2026-06-30'))
    const [record] = log()
    const sha256 = createHash('sha256').update(bodyOfDay('2026-06-30')).digest('hex')
    expect(record).toMatchObject({
      fetched_at: '2026-07-01T20:00:00.000+08:00',
      feed: 'twse-t86',
      day: '2026-06-30',
      url: 'https://www.twse.com.tw/rwd/zh/fund/T86?date=20260630&selectType=ALLBUT0999&response=json',
      asked_at: expect.stringContaining(f.source.url),
      status: 200,
      sha256,
      attribution: 'Taiwan Stock Exchange (TWSE)',
    })
    const capture = readFileSync(join(f.dir, 'captures/raw/twse-t86', String(record!['file'])))
    expect(gunzipSync(capture).toString()).toBe(bodyOfDay('2026-06-30'))
  })

  it('fetching from a source that forbids programs requires FETCH_CONSENT', async () => {
    const fetcher = f.fetcherFor({ consent: new Set() })
    await expect(f.fetch('twse-t86', {}, fetcher)).rejects.toThrow('set FETCH_CONSENT=www.twse.com.tw. Otherwise download files')
    await fetcher.close()
    expect(f.source.requests).toEqual([])
  })

  it("fetching refuses a feed without a URL, a day before the feed's first day, and any day for a feed with only its newest body", async () => {
    await expect(f.fetch('twse-t86', range('2012-05-01', '2012-05-01'))).rejects.toThrow('has no data before 2012-05-02')
    await expect(f.fetch('securities-firms', range('2026-01-05', '2026-01-05'))).rejects.toThrow(
      'Only the newest data of securities-firms can be fetched',
    )
    await expect(f.fetch('indices')).rejects.toThrow('has no download address')
  })
})

describe('ranges of days', () => {
  it('fetching a range requests trading days only and publishes them together', async () => {
    const { skipped, captures } = await f.fetch('twse-t86', range('2026-06-26', '2026-07-01'))
    expect(requestedDays()).toEqual(['2026-06-26', '2026-06-29', '2026-06-30', '2026-07-01'])
    expect([skipped, captures.length]).toEqual([{ closed: 2, published: 0, captured: 0 }, 4])
    expect(published()).toEqual(['2026-06-26', '2026-06-29', '2026-06-30', '2026-07-01'])
  })

  it('fetching skips published days unless `again` is set', async () => {
    await f.fetch('twse-t86', range('2026-06-29', '2026-06-30'))
    const { skipped } = await f.fetch('twse-t86', range('2026-06-29', '2026-07-01'))
    expect(skipped.published).toBe(2)
    expect(requestedDays()).toEqual(['2026-06-29', '2026-06-30', '2026-07-01'])
    const again = await f.fetch('twse-t86', { ...range('2026-06-30', '2026-06-30'), again: true })
    expect(outcomesOf(again)).toEqual([['unchanged', null]])
    expect(log().filter(({ day }) => day === '2026-06-30')).toHaveLength(2)
    expect(readdirSync(join(f.dir, 'captures/raw/twse-t86'))).toHaveLength(4)
  })
})

describe('wrong bodies', () => {
  it('a fetched body of another day is retried, then refused, and requested again in the next run', async () => {
    f.source.reply(() => bodyOfDay('2026-06-29'))
    const refused = await f.fetch('twse-t86', range('2026-06-30', '2026-06-30'))
    expect(outcomesOf(refused)).toEqual([['refused', 'wrong_day']])
    expect(f.source.requests).toHaveLength(4)
    f.source.reply(asDay)
    const taken = await f.fetch('twse-t86', range('2026-06-30', '2026-06-30'))
    expect(outcomesOf(taken)).toEqual([['published', null]])
  })

  it('a fetch run stops after three periods in a row that return a security page', async () => {
    f.source.reply(() => '<html><title>x</title>因為安全性考量，您所執行的頁面無法呈現</html>')
    const { stopped, captures } = await f.fetch('twse-t86', range('2026-06-01', '2026-07-01'))
    expect(stopped?.en).toContain('in a row')
    expect(captures).toHaveLength(3)
    expect(f.slept.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(3_600_000)
  })

  it('a fetch run stops at the first redirect', async () => {
    f.source.reply((_, response) => {
      response.writeHead(302, { location: '/' })
      return ''
    })
    const { stopped, failures } = await f.fetch('twse-t86', range('2026-06-26', '2026-07-01'))
    expect(stopped?.en).toContain('status 302')
    expect([failures.length, f.source.requests.length]).toEqual([1, 1])
  })
})
