import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { fetchSetup } from '../../fixtures/fetch/source.ts'
import { stored } from '../../fixtures/publish/store.ts'

let f: Awaited<ReturnType<typeof fetchSetup>>
afterEach(() => f.close())

const balance = (code: string, bought: number) => ({
  股票代號: code,
  股票名稱: 'x',
  融資買進: `${bought}`,
  融資賣出: '0',
  融資現金償還: '0',
  融資前日餘額: '100',
  融資今日餘額: `${100 + bought}`,
  融資限額: '1000',
  融券買進: '0',
  融券賣出: '0',
  融券現券償還: '0',
  融券前日餘額: '10',
  融券今日餘額: '10',
  融券限額: '1000',
  資券互抵: '0',
  註記: '',
})

/** @param now in Taipei, on Wednesday 2026-07-01 */
async function resultAt(now: string) {
  f = await fetchSetup({
    now: new Date(`2026-07-01T${now}:00+08:00`),
    reply: () => JSON.stringify([balance('2330', 5), balance('2317', 7)]),
  })
  return f.fetch('twse-margin')
}
const servedDay = () => stored(join(f.dir, 'releases'), 'margin-trading').manifest.statistics.last_date

it.each([
  ['09:00', '2026-06-30'],
  ['22:30', '2026-07-01'],
])('an undated table fetched at %s is dated %s', async (now, day) => {
  await resultAt(now)
  expect(servedDay()).toBe(day)
})

it('an undated table is not requested between the market close and the due hour of the table', async () => {
  await expect(resultAt('18:00')).rejects.toThrow(/has no date.*2026-06-30\. Fetch it later/)
  expect(f.source.requests).toEqual([])
})
