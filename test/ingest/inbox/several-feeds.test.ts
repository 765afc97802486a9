import { afterEach, beforeEach, expect, it } from 'vitest'
import { releaseIds, stored } from '../../fixtures/publish/store.ts'
import { type Publisher, publisher } from '../publish/publisher.ts'
import { inboxOf, outcomesOf, publicationsOf, type TestInbox } from './inbox.ts'
import { DAY, dropDay, OTC, PRICES, QUOTES, T86, TRADES, tradesOf } from './several-feeds.ts'

let s: Publisher
let inbox: TestInbox
beforeEach(async () => {
  s = await publisher()
  inbox = inboxOf(s)
})
afterEach(() => s.close())

const sources = (slug: string) => stored(s.workspace.releases, slug).manifest.sources.map(({ name, rows }) => [name, rows])

it('files of several feeds become one publication per dataset, with derived columns, and are archived separately', async () => {
  dropDay(inbox)
  const events = await inbox.once()
  expect(outcomesOf(events)).toEqual({ [T86]: 'published', [OTC]: 'published', [PRICES]: 'published' })
  expect(publicationsOf(events).toSorted()).toEqual([
    [QUOTES, 'published'],
    [TRADES, 'published'],
    ['monthly-bars', 'published'],
    ['weekly-bars', 'published'],
  ])
  expect(sources(TRADES)).toEqual([
    [`${OTC} ${DAY}`, 1],
    [`${T86} ${DAY}`, 1],
  ])
  expect(releaseIds(s.workspace.releases, TRADES)).toHaveLength(1)
  expect(await tradesOf(s, '2330')).toMatchObject([{ market: 'TWSE', foreign_net_buy: 1_000, inst_share_of_volume: 0.1 }])
  expect(await tradesOf(s, '006201')).toMatchObject([{ market: 'TPEX', inst_share_of_volume: null }])
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
