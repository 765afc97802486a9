import { rm } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { balanced, holder } from '../metering/books.ts'
import { NOW, publishRows, service, type TestService } from '../support.ts'

let s: TestService
beforeEach(async () => {
  s = await service({ indexed: false })
})
afterEach(() => s.close())

const find = async (q: string) => {
  const response = await s.get(`/v2/search?q=${encodeURIComponent(q)}&type=index`, s.keyOn('max'))
  return response.json().data.map(({ title }: { title: string }) => title)
}
const publishName = (name: string) => {
  const dataset = s.dataset('index-classification')
  return publishRows(
    s.desk,
    s.dir,
    dataset,
    dataset.example.map(row => ({ ...row, index_name: `${row['index_code' as never]}${name}` })),
  )
}
const logged = (words: string): number => s.lines.filter(line => line.includes(words)).length

describe('the index', () => {
  it('is waited for a moment; while there is none a search is refused and costs nothing', async () => {
    const account = holder(s, 'free', 'early@example.test', NOW)
    const { statusCode, headers, ...response } = await s.get('/v2/search?q=2330', account.key)
    expect([statusCode, response.json().error]).toMatchObject([503, { error_code: 'overloaded', retry_after: 2 }])
    expect([headers['retry-after'], headers['x-credits-charged']]).toEqual(['2', '0'])
    expect(balanced(s.dir, account.accountId).credits).toBe(0)
    const [answered] = await Promise.all([s.get('/v2/search?q=2330', account.key), s.search.refresh()])
    expect(answered.statusCode).toBe(200)
  })

  it('is built anew when a release it was built from changes, and only then', async () => {
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

  it('of before stays when a build fails; it is logged once, and tried again once the releases change', async () => {
    await s.search.refresh()
    await publishName('二')
    await s.releases.refresh()
    const { pathOf, manifest } = s.releases.current(s.dataset('index-classification'))
    for (const part of manifest.parts) await rm(pathOf(part))
    await s.search.refresh()
    await s.search.refresh()
    expect(logged('building the search index')).toBe(1)
    expect(await find('IX0001')).toEqual(['發行量加權股價指數'])
    await s.releases.recheck()
    await s.search.refresh()
    expect(logged('search indexed')).toBe(2)
    expect(await find('IX0001')).toEqual(['發行量加權股價指數'])
  })

  it('that is being built when the service stops is given up', async () => {
    const building = s.search.refresh()
    await s.search.stop()
    await building
    expect([logged('search indexed'), logged('building the search index')]).toEqual([0, 0])
  })
})
