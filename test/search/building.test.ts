import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { publishFiles } from '../../ingest/index.ts'
import { literal } from '../../src/engine/index.ts'
import { balanced, holder } from '../accounts/usage/ledger.ts'
import { scrubbed } from '../fixtures/releases/scrubbed.ts'
import { NOW, publishRows, service, type TestService } from '../support.ts'

let s: TestService
beforeEach(async () => {
  s = await service({ indexed: false })
})
afterEach(() => s.close())

const find = async (q: string, type = 'index') => {
  const response = await s.get(`/v2/search?q=${encodeURIComponent(q)}&type=${type}`, s.keyOn('max'))
  return response.json().data.map(({ title }: { title: string }) => title)
}
const publishName = (name: string) => {
  const dataset = s.dataset('index-classification')
  return publishRows(
    s.workspace,
    s.dir,
    dataset,
    dataset.example.map(row => ({ ...row, index_name: `${row['index_code' as never]}${name}` })),
  )
}
const logged = (words: string): number => s.lines.filter(line => line.includes(words)).length

describe('the search index', () => {
  it('is waited for a moment; while there is none a search is refused and costs nothing', async () => {
    const account = holder(s, 'free', 'early@example.test', NOW)
    const { statusCode, headers, ...response } = await s.get('/v2/search?q=2330', account.key)
    expect([statusCode, response.json().error]).toMatchObject([503, { error_code: 'overloaded', retry_after: 2 }])
    expect([headers['retry-after'], headers['x-credits-charged']]).toEqual(['2', '0'])
    expect(balanced(s.dir, account.accountId).credits).toBe(0)
    const [answered] = await Promise.all([s.get('/v2/search?q=2330', account.key), s.search.refresh()])
    expect(answered.statusCode).toBe(200)
  })

  it('is rebuilt when a release it was built from changes, and only then', async () => {
    await s.search.refresh()
    await s.search.refresh()
    expect(logged('search indexed')).toBe(1)
    await s.publish('index-classification', [
      { ...s.dataset('index-classification').example[0], index_code: 'IX9999', index_name: '新指數' },
    ])
    expect(await find('新指數')).toEqual(['新指數'])
    await s.publish('trading-calendar', [{ ...s.dataset('trading-calendar').example[0], date: '2026-02-17' }])
    expect(logged('search indexed')).toBe(2)
  })

  it('stays as it was when a build fails; that is logged once, and tried again once the releases change', async () => {
    await s.search.refresh()
    await publishName('二')
    await s.releases.refresh()
    await s.search.refresh()
    await publishName('三')
    await s.releases.refresh()
    const { pathOf, manifest } = s.releases.current(s.dataset('index-classification'))
    for (const part of manifest.parts) await rm(pathOf(part))
    await s.search.refresh()
    await s.search.refresh()
    expect(logged('building the search index')).toBe(1)
    expect(await find('IX0001')).toEqual(['IX0001二'])
    await scrubbed(s.releases)
    await s.search.refresh()
    expect(logged('search indexed')).toBe(3)
    expect(await find('IX0001')).toEqual(['IX0001二'])
  })

  it('names a security as its newest quote does, however many parts its quotes are in', async () => {
    await s.close()
    s = await service({ examples: false, indexed: false })
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
    expect(s.releases.current(quotes).manifest.parts.length).toBeGreaterThan(8)
    const titles = await Promise.all(['1234', '2345', '3299'].map(q => find(q, 'symbol')))
    expect(titles).toEqual([['新'], [`舊${String.fromCodePoint(19_968 + 1_345)}`], [`舊${String.fromCodePoint(19_968 + 2_299)}`]])
  })

  it('is abandoned when the service stops during a build', async () => {
    const { read } = s.pool
    const reads = vi.spyOn(s.pool, 'read').mockImplementation((statement, use) => {
      stopped ??= s.search.close()
      return read(statement, use)
    })
    let stopped: Promise<void> | undefined
    await s.search.refresh()
    await stopped
    expect(reads).toHaveBeenCalledOnce()
    expect([logged('search indexed'), logged('building the search index')]).toEqual([0, 0])
  })
})
