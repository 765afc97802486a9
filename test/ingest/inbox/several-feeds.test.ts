import { afterEach, beforeEach, expect, it } from 'vitest'
import { tpexInstitutional } from '../../fixtures/feeds/bodies.ts'
import { quotesBody, t86Body } from '../../fixtures/ingest/bodies.ts'
import { releaseIds, stored } from '../../fixtures/publish/store.ts'
import { type Publisher, publisher } from '../publish/publisher.ts'
import { inboxOf, outcomesOf, publicationsOf, type TestInbox } from './inbox.ts'

const [TRADES, QUOTES] = ['institutional-positioning', 'daily-prices'] as const
const DAY = '2026-06-30'
const [T86, OTC, PRICES] = ['T86_20260630.json', 'otc_20260630.json', 'MI_INDEX_20260630.json'] as const
let s: Publisher
let inbox: TestInbox
beforeEach(async () => {
  s = await publisher()
  inbox = inboxOf(s)
})
afterEach(() => s.close())

/** Trades of both markets and the quotes of one, each into the folder of its feed. */
function drop({ t86 = t86Body(DAY, { '2330': [1_000, 2_000, 3_000] }) } = {}): void {
  const otc = tpexInstitutional({ date: '115/06/30', subtitle: '115年06月30日 三大法人日交易資訊' }, { date: '20260630' })
  inbox.drop(`feeds/tpex-institutional/${OTC}`, JSON.stringify(otc))
  inbox.drop(`feeds/twse-quotes/${PRICES}`, quotesBody(DAY, { '2330': 60_000 }))
  inbox.drop(`feeds/twse-t86/${T86}`, t86)
}

const sources = (slug: string) => stored(s.workspace.releases, slug).manifest.sources.map(({ name, rows }) => [name, rows])
const trades = (ticker: string) =>
  s.rows(TRADES, 'market, foreign_net_buy::INTEGER AS foreign_net_buy, inst_share_of_volume', `WHERE ticker = '${ticker}'`)

it('files of several feeds are one publication per dataset, derived from each other and archived separately', async () => {
  drop()
  const events = await inbox.once()
  expect(outcomesOf(events)).toEqual({ [T86]: 'published', [OTC]: 'published', [PRICES]: 'published' })
  expect(publicationsOf(events).toSorted()).toEqual([
    [QUOTES, 'published'],
    [TRADES, 'published'],
  ])
  expect(sources(TRADES)).toEqual([
    [`${OTC} ${DAY}`, 1],
    [`${T86} ${DAY}`, 1],
  ])
  expect(releaseIds(s.workspace.releases, TRADES)).toHaveLength(1)
  expect(await trades('2330')).toMatchObject([{ market: 'TWSE', foreign_net_buy: 1_000, inst_share_of_volume: 0.1 }])
  expect(await trades('006201')).toMatchObject([{ market: 'TPEX', inst_share_of_volume: null }])
  const [release] = releaseIds(s.workspace.releases, TRADES)
  expect(inbox.files('inbox')).toEqual([])
  expect(inbox.files('archive')).toEqual([
    `feeds/tpex-institutional/2026-07-01/${OTC}`,
    `feeds/twse-quotes/2026-07-01/${PRICES}`,
    `feeds/twse-t86/2026-07-01/${T86}`,
    'taken.ndjson',
  ])
  expect(stored(s.workspace.releases, TRADES).release).toBe(release)
})
