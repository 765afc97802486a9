import { afterAll, expect, it, vi } from 'vitest'
import { quote, weekdays } from '../fixtures/publish/rows.ts'
import { service } from '../support.ts'

const s = await service({ examples: false, indexed: false })
afterAll(() => s.close())

it('the search index reads only the new rows of an appended day', async () => {
  const [first, second] = weekdays('2026-06-01', 2)
  const of = (day: string, name: string) => [quote('1101', day, 1_000), quote('2330', day, 1_000, { name })]
  expect((await s.publish('daily-prices', of(first!, '舊名'))).faults).toEqual([])
  await s.search.refresh()
  expect((await s.publish('daily-prices', of(second!, '新名'))).faults).toEqual([])
  const read = vi.spyOn(s.pool, 'read')
  await s.search.refresh()
  const parts = s.releases.served(s.dataset('daily-prices'))!.manifest.parts
  const statements = read.mock.calls.map(([{ text }]) => text)
  read.mockRestore()
  const [base, delta] = [parts.find(({ role }) => role === 'base')!, parts.find(({ role }) => role === 'delta')!]
  expect(statements).toEqual([expect.stringContaining(delta.sha256)])
  expect(statements.join()).not.toContain(base.sha256)
  const index = await s.search.current()
  expect(index.ofType('symbol').map(({ id, title }) => [id, title])).toEqual([
    ['1101', '股1101'],
    ['2330', '新名'],
  ])
})

it('a publication of a day without new names keeps the search index and its ETag', async () => {
  const [, , third] = weekdays('2026-06-01', 3)
  const former = await s.search.current()
  const indexed = () => s.lines.filter(line => line.includes('search indexed')).length
  const before = indexed()
  const rows = [quote('1101', third!, 3_000), quote('2330', third!, 3_000, { name: '新名' })]
  expect((await s.publish('daily-prices', rows)).faults).toEqual([])
  await s.search.refresh()
  const index = await s.search.current()
  expect(indexed()).toBe(before)
  expect(index.tag).not.toBe(former.tag)
  expect(
    index
      .find('新名')
      .page('symbol', 0, 5)
      .map(({ entity }) => entity.id),
  ).toEqual(['2330'])
})
