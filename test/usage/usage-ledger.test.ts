import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Column, Row } from '../../catalog/index.ts'
import { createUsageEntries } from '../../src/usage/entries.ts'
import { usageWindow } from '../../src/usage/report.ts'
import { refused } from '../accounts/portal.ts'
import { openSession } from '../fixtures/formats/session.ts'
import { parsers } from '../formats/parsing.ts'
import { NOW, service, type TestService } from '../support.ts'
import { type Holder, holder } from './ledger.ts'

const LEDGER = '/v2/account/usage-ledger'
const READS = [
  { url: '/v2/datasets/institutional-positioning?symbol=2330', slug: 'institutional-positioning' },
  { url: '/v1/earnings?symbol=2330', slug: 'earnings' },
  { url: '/v2/datasets/securities-firm-master', slug: 'securities-firm-master' },
] as const

let s: TestService
let currentTime = NOW
let [first, second, other]: readonly [Holder, Holder, Holder] = [] as never
const made: Row[] = []

beforeAll(async () => {
  s = await service({ now: () => currentTime })
  first = holder(s, 'max', 'ledger@example.test', NOW)
  second = holder(s, 'max', 'ledger@example.test', NOW)
  other = holder(s, 'max', 'other@example.test', NOW)
  for (const [turn, day] of ['2026-06-29', '2026-06-30', '2026-07-01', '2026-07-01'].entries())
    for (const { url, slug } of READS) {
      currentTime = new Date(`${day}T09:0${turn}:00+08:00`)
      const { key, keyId } = turn % 2 ? second : first
      const { statusCode, headers } = await s.get(url, key)
      expect(statusCode, url).toBe(200)
      made.unshift({
        request_id: headers['x-request-id'],
        at: `${day}T09:0${turn}:00+08:00`,
        dataset: s.catalog.get(slug)!.id,
        slug,
        key_id: keyId,
        credits: Number(headers['x-credits-charged']),
        rows: Number(headers['x-row-count']),
        kind: 'use',
        credited: 0,
        reason: null,
        refunded_request_id: null,
      })
      // None of these requests is a charged read of the account.
      await s.get(`${url}${url.includes('?') ? '&' : '?'}limit=-1`, key)
      await s.get(url, other.key)
      await s.get(url, key, { 'if-none-match': String(headers['etag']) })
    }
  currentTime = NOW
})
afterAll(() => s.close())

const ask = async (query: string) => (await s.get(`${LEDGER}?${query}`, first.key)).json()

describe('usage ledger', () => {
  it('the usage ledger lists every charged read of all keys, newest first, and nothing else', async () => {
    const answer = await ask('window=30d')
    expect(answer.data).toEqual(made)
    expect(answer).toMatchObject({ row_count: made.length, data_count: made.length, next_before: null, window: { name: '30d' } })
  })

  it('the usage ledger adds up to the summary of the same window', async () => {
    for (const window of ['today', '7d', '2026-06', 'month']) {
      const [{ data }, { totals }] = [
        await ask(`window=${window}`),
        (await s.get(`/v2/account/usage-summary?window=${window}`, first.key)).json(),
      ]
      const sum = (name: string): number => data.reduce((all: number, row: Row) => all + Number(row[name]), 0)
      expect([window, data.length, sum('credits'), sum('rows')]).toEqual([window, totals.requests, totals.credits, totals.rows])
      expect(data.length).toBeGreaterThan(0)
    }
  })

  it('the usage ledger filters by dataset id, dataset slug and key', async () => {
    for (const name of ['securities-firm-master', 'securities_firm_master'])
      expect((await ask(`window=30d&dataset=${name}`)).data).toEqual(made.filter(({ slug }) => slug === 'securities-firm-master'))
    expect((await ask(`window=30d&key_id=${second.keyId}`)).data).toEqual(made.filter(row => row['key_id'] === second.keyId))
    expect((await ask(`window=30d&key_id=${other.keyId}`)).data).toEqual([])
  })

  it('next_before and the Link header of a usage ledger page lead to the next page', async () => {
    const seen: Row[] = []
    for (let before = ''; ; ) {
      const answer = await s.get(`${LEDGER}?window=30d&limit=5&dataset=&${before}`.replace('dataset=&', ''), first.key)
      const { data, next_before: next } = answer.json()
      seen.push(...data)
      const link = next === null ? undefined : `<${LEDGER}?window=30d&limit=5&before=${next}>; rel="next"`
      expect(parts(answer.headers['link'])).toEqual(parts(link))
      if (next === null) break
      before = `before=${next}`
    }
    expect(seen).toEqual(made)
  })

  it('the usage ledger is free and refuses invalid parameters', async () => {
    const answer = await s.get(LEDGER, first.key)
    expect([answer.headers['x-credits-charged'], answer.headers['cache-control']]).toEqual(['0', 'no-store'])
    for (const [query, code] of [
      ['window=ever', 'invalid_parameter'],
      ['limit=0', 'invalid_parameter'],
      ['bom=true', 'invalid_parameter'],
      ['format=xlsx', 'invalid_parameter'],
    ])
      expect([query, ...refused(await s.get(`${LEDGER}?${query}`, first.key))]).toEqual([query, 422, code])
    expect(refused(await s.get(LEDGER, first.key, { accept: 'image/png' }))).toEqual([406, 'format_not_supported'])
  })

  it('the usage ledger has the same rows in every format', async () => {
    const text = { type: 'text', zh: '', doc: '', docZh: '。' } as const satisfies Column
    const [whole, time] = [
      { ...text, type: 'integer' },
      { ...text, type: 'timestamp' },
    ] as const
    const columns = {
      request_id: text,
      at: time,
      dataset: text,
      slug: text,
      key_id: text,
      credits: whole,
      rows: whole,
      kind: text,
      credited: whole,
      reason: text,
      refunded_request_id: text,
    }
    const { dir, session, close } = await openSession()
    for (const [format, parse] of Object.entries(parsers(session, dir))) {
      const answer = await s.get(`${LEDGER}?window=30d&format=${format}`, first.key)
      expect([format, answer.headers['x-row-count']]).toEqual([format, String(made.length)])
      expect(await parse(answer.rawPayload, columns), format).toEqual(made)
    }
    await close()
  })
})

it('a page of the usage ledger has the same entries for any size of the searched intervals', async () => {
  const wanted = { window: usageWindow('30d', NOW), dataset: null, keyId: null, before: null, limit: 1_000 }
  for (const size of [1, 2, 5, 1_000]) {
    const { entries, more } = await createUsageEntries(s.control.db, s.control.creditEntries, size).page(first.accountId, wanted)
    expect([size, entries.map(({ requestId }) => requestId), more]).toEqual([size, made.map(row => row['request_id']), false])
    const page = await createUsageEntries(s.control.db, s.control.creditEntries, size).page(first.accountId, { ...wanted, limit: 4 })
    expect([size, page.entries.length, page.more]).toEqual([size, 4, true])
  }
})

it('a request with a session gets the same usage ledger as a request with a key', async () => {
  const { token } = s.control.sessions.open(first.accountId, NOW)
  const { data } = (await s.get('/v2/self-serve/usage-ledger?window=30d', undefined, { 'x-self-serve-token': token })).json()
  expect(data).toEqual(made)
})

/** The parameters of a link, in any order. */
const parts = (link: unknown): readonly string[] => String(link).split(/[?&>]/).sort()
