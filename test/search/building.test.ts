import { rm } from 'node:fs/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { scrubbed } from '../fixtures/releases/scrubbed.ts'
import { NOW, publishRows, service, type TestService } from '../support.ts'
import { balanced, holder } from '../usage/ledger.ts'

let s: TestService
beforeEach(async () => {
  s = await service({ indexed: false, inMemory: false })
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

it('a search waits briefly for the first index, then is refused with 503 and costs nothing', async () => {
  const account = holder(s, 'free', 'early@example.test', NOW)
  const { statusCode, headers, ...response } = await s.get('/v2/search?q=2330', account.key)
  expect([statusCode, response.json().error]).toMatchObject([503, { error_code: 'overloaded', retry_after: 2 }])
  expect([headers['retry-after'], headers['x-credits-charged']]).toEqual(['2', '0'])
  expect(balanced(s.dir, account.accountId).credits).toBe(0)
  const [answered] = await Promise.all([s.get('/v2/search?q=2330', account.key), s.search.refresh()])
  expect(answered.statusCode).toBe(200)
})

it('the search index is rebuilt only if a release it was built from changes', async () => {
  await s.search.refresh()
  await s.search.refresh()
  expect(logged('search indexed')).toBe(1)
  await s.publish('index-classification', [{ ...s.dataset('index-classification').example[0], index_code: 'IX9999', index_name: '新指數' }])
  await s.search.refresh()
  expect(await find('新指數')).toEqual(['新指數'])
  await s.publish('trading-calendar', [{ ...s.dataset('trading-calendar').example[0], date: '2026-02-17' }])
  await s.search.refresh()
  expect(logged('search indexed')).toBe(2)
})

it('a failed index build keeps the former index, is logged once and retried after the next release', async () => {
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
  // The release that is served again has the indexed names.
  expect(logged('search indexed')).toBe(2)
  expect(await find('IX0001')).toEqual(['IX0001二'])
})

it('stopping the service abandons an index build without an error', async () => {
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
