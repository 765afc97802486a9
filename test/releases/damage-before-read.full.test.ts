import { afterEach, beforeEach, expect, it } from 'vitest'
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

/**
 * Publishes and verifies two releases, then flips a bit of the newer release before any read.
 * @returns restores the bit
 */
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

it('field queries use the older release if a bit flipped before the newest rows were loaded', async () => {
  const slug = 'institutional-positioning'
  const restore = await flipped(slug, ['foreign_net_buy', "ticker = '2330'"], day('2026-06-29', 2), day('2026-06-30', 3))
  const key = s.keyOn('max')
  const answeredRows = async () => {
    const { fields } = (await s.get('/v2/query?entity_type=company&entity_id=2330&fields=foreign_net_buy', key)).json().data[0]
    return fields.foreign_net_buy.value
  }
  await s.newest.refresh()
  expect([served(slug), failures()]).toEqual([{ release: 0, degraded: true }, 1])
  expect(await answeredRows()).toBe(202)
  await s.newest.refresh()
  expect(await answeredRows()).toBe(202)
  restore()
  await s.releases.refresh()
  await s.newest.refresh()
  expect([served(slug), await answeredRows(), failures()]).toEqual([{ release: 1, degraded: false }, 302, 1])
})

it('after a flipped bit in a part is restored, the newest rows are not loaded from the engine’s cache of the part', async () => {
  const slug = 'institutional-positioning'
  const restore = await flipped(slug, ['foreign_net_buy', "ticker = '2330'"], day('2026-06-29', 2), day('2026-06-30', 3))
  const read = async () => (await s.get(`/v2/datasets/${slug}?symbol=2330&limit=1`, s.keyOn('max'))).json().data[0].foreign_net_buy
  expect(await read()).not.toBe(302)
  restore()
  await s.newest.refresh()
  expect([served(slug), failures()]).toEqual([{ release: 1, degraded: false }, 1])
  expect(await read()).toBe(302)
  const [view] = s.dataset(slug).fields!
  expect(s.newest.factsOf(view!, s.releases.current(s.dataset(slug)), '2330')).toBe(undefined)
})

it('the search index uses the older release if a bit flipped before the index was built', async () => {
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

it('market indices use the older release if a bit flipped before the indices were read', async () => {
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

it('the calendar uses the older release if a bit flipped before the calendar was read', async () => {
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
