import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Row } from '../../catalog/index.ts'
import { day } from '../fixtures/publish/rows.ts'
import { releaseIds, stored } from '../fixtures/publish/store.ts'
import { flipSilently } from '../fixtures/releases/silent-flip.ts'
import { publishRows, SECRETS, service, type TestService } from '../support.ts'

let s: TestService
beforeEach(async () => {
  s = await service({ examples: false, indexed: false })
})
afterEach(() => s.close())

/** Publishes two releases and flips a bit of the newer one, which was verified by then and read by nobody. @returns puts the bit back */
async function flipped(slug: string, cell: readonly [string, string], ...releases: readonly (readonly Row[])[]) {
  for (const rows of releases) await publishRows(s.workspace, s.dir, s.dataset(slug), rows)
  await s.releases.refresh()
  const { manifest, paths } = stored(s.workspace.releases, slug)
  return flipSilently(paths.part((manifest.parts.find(({ role }) => role === 'delta') ?? manifest.parts[0]!).sha256), cell)
}
const served = (slug: string) => {
  const { id, degraded } = s.releases.current(s.dataset(slug))
  return { release: releaseIds(s.workspace.releases, slug).indexOf(id), degraded }
}
const failures = (): number => s.lines.filter(line => line.includes('damaged, or replaced, while it was read')).length

describe('a bit that flipped in a part between its verification and the reading of it into memory', () => {
  it('does not get into the newest rows: field queries are answered from the older release until it is back', async () => {
    const slug = 'institutional-positioning'
    const restore = await flipped(slug, ['foreign_net_buy', "ticker = '2330'"], day('2026-06-29', 2), day('2026-06-30', 3))
    const key = s.keyOn('max')
    const asked = async () => {
      const { fields } = (await s.get('/v2/query?entity_type=company&entity_id=2330&fields=foreign_net_buy', key)).json().data[0]
      return fields.foreign_net_buy.value
    }
    await s.newest.refresh()
    expect([served(slug), failures()]).toEqual([{ release: 0, degraded: true }, 1])
    expect(await asked()).toBe(202)
    await s.newest.refresh()
    expect(await asked()).toBe(202)
    restore()
    await s.releases.refresh()
    await s.newest.refresh()
    expect([served(slug), await asked(), failures()]).toEqual([{ release: 1, degraded: false }, 302, 1])
  })

  it('does not get into them from what the engine keeps of the file either, after the bit is back', async () => {
    const slug = 'institutional-positioning'
    const restore = await flipped(slug, ['foreign_net_buy', "ticker = '2330'"], day('2026-06-29', 2), day('2026-06-30', 3))
    const read = async () => (await s.get(`/v2/datasets/${slug}?symbol=2330&limit=1`, s.keyOn('max'))).json().data[0].foreign_net_buy
    expect(await read()).not.toBe(302)
    restore()
    await s.newest.refresh()
    expect([served(slug), failures()]).toEqual([{ release: 1, degraded: false }, 1])
    expect(await read()).toBe(302)
    const [view] = s.dataset(slug).fields!
    expect(s.newest.of(view!, s.releases.current(s.dataset(slug)), '2330')).toBe(undefined)
  })

  it('does not get into the search index', async () => {
    const slug = 'index-classification'
    const [example] = s.dataset(slug).example
    const named = (index_name: string): readonly Row[] => [{ ...example, index_code: 'IX0001', index_name }]
    await flipped(slug, ['index_name', "index_code = 'IX0001'"], named('older'), named('newer'))
    await s.search.refresh()
    expect([served(slug), failures()]).toEqual([{ release: 0, degraded: true }, 1])
    await s.search.refresh()
    const found = await s.get('/v2/search?q=IX0001&type=index', s.keyOn('max'))
    expect(found.json().data.map(({ title }: { title: string }) => title)).toEqual(['older'])
  })

  it('does not get onto the home page, which shows the older release at once', async () => {
    const close = (value: number): readonly Row[] => [
      { index_code: 'IX0001', name: '發行量加權股價指數', trade_date: '2026-06-30', value, change: null, change_pct: null },
    ]
    await flipped('market-indices', ['value', "index_code = 'IX0001'"], close(30_000), close(30_300))
    const shown = async () => {
      const response = await s.get('/v2/homepage/market-indices', undefined, { authorization: `Bearer ${SECRETS.SERVICE_TOKEN}` })
      return response.json().data.map(({ value }: { value: number }) => value)
    }
    expect([await shown(), await shown()]).toEqual([[30_000], [30_000]])
  })

  it('does not get into the calendar', async () => {
    const slug = 'trading-calendar'
    const [example] = s.dataset(slug).example
    const open = (is_open: boolean): readonly Row[] => [{ ...example, date: '2026-02-15', is_open }]
    expect(s.calendar.isClosed('2026-02-15')).toBe(true)
    await flipped(slug, ['is_open', "date = '2026-02-15'"], open(true), open(false))
    await s.calendar.refresh()
    expect([served(slug), failures(), s.calendar.release]).toEqual([{ release: 0, degraded: true }, 1, null])
    await s.calendar.refresh()
    expect(s.calendar.isClosed('2026-02-15')).toBe(false)
  })
})
