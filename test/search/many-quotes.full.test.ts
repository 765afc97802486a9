import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { publishFiles } from '../../ingest/index.ts'
import { literal } from '../../src/engine/index.ts'
import { service, type TestService } from '../support.ts'

let s: TestService
beforeAll(async () => {
  s = await service({ examples: false, indexed: false })
})
afterAll(() => s.close())

const find = async (q: string, type: string) => {
  const response = await s.get(`/v2/search?q=${encodeURIComponent(q)}&type=${type}`, s.keyOn('max'))
  return response.json().data.map(({ title }: { title: string }) => title)
}

it('a search hit of a security has the name of its newest quote, also if quotes have many parts', async () => {
  const file = join(s.dir, 'quotes.parquet')
  const days = `SELECT (1000 + i)::VARCHAR AS ticker, 'TWSE' AS market, DATE '2025-01-06' + (d // 6 * 7 + d % 6)::INTEGER AS trade_date, '舊' || chr(19968 + i::INTEGER) AS name, d AS volume, i AS turnover`
  await s.workspace.session.run(`COPY (${days} FROM range(2300) a(i), range(100) b(d)) TO ${literal(file)} (FORMAT parquet)`)
  const quotes = s.dataset('daily-prices')
  expect(await publishFiles(s.workspace, quotes, [file], { accept: [], synthetic: false })).toMatchObject({
    status: 'published',
    faults: [],
  })
  const later = { ...quotes.example[0], ticker: '1234', trade_date: '2026-06-30', name: '新' }
  const earlier = { ...quotes.example[0], ticker: '2345', trade_date: '2024-12-31', name: '更舊' }
  expect(await s.publish('daily-prices', [later, earlier], { accept: ['row_count_drift'] })).toMatchObject({ status: 'published' })
  await s.search.refresh()
  expect(s.releases.current(quotes).manifest.parts.length).toBeGreaterThan(8)
  const titles = await Promise.all(['1234', '2345', '3299'].map(q => find(q, 'symbol')))
  expect(titles).toEqual([['新'], [`舊${String.fromCodePoint(19_968 + 1_345)}`], [`舊${String.fromCodePoint(19_968 + 2_299)}`]])
})
