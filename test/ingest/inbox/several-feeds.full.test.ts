import { afterEach, beforeEach, expect, it } from 'vitest'
import { withLock } from '../../../ingest/publish/index.ts'
import { releasePaths } from '../../../src/releases/index.ts'
import { quotesBody, t86Body } from '../../fixtures/ingest/bodies.ts'
import { stored } from '../../fixtures/publish/store.ts'
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

/** Margin trading of one security, from which nothing is derived. */
const margin = JSON.stringify({
  stat: 'OK',
  date: '20260630',
  tables: [
    {
      title: '115年06月30日 信用交易統計',
      fields: ['項目', '買進', '賣出', '現金(券)償還', '前日餘額', '今日餘額'],
      data: [
        ['融資(交易單位)', '118', '396', '2', '2,127', '1,847'],
        ['融券(交易單位)', '1', '217', '3', '10', '223'],
        ['融資金額(仟元)', '1', '2', '3', '4', '5'],
      ],
    },
    {
      title: '115年06月30日 融資融券彙總 (全部)',
      fields: [
        '代號',
        '名稱',
        '買進',
        '賣出',
        '現金償還',
        '前日餘額',
        '今日餘額',
        '限額',
        '買進',
        '賣出',
        '現券償還',
        '前日餘額',
        '今日餘額',
        '限額',
        '資券互抵',
        '註記',
      ],
      data: [['2330', '範例', '118', '396', '2', '2,127', '1,847', '565,125', '1', '217', '3', '10', '223', '565,125', '27', '']],
    },
  ],
})

const sources = (slug: string) => stored(s.workspace.releases, slug).manifest.sources.map(({ name, rows }) => [name, rows])

it('one publication adds trades and updates served trades whose quotes changed', async () => {
  dropDay(inbox)
  await inbox.once()
  inbox.drop('feeds/twse-quotes/again_20260630.json', quotesBody(DAY, { '2330': 30_000 }))
  inbox.drop('feeds/twse-t86/T86_20260629.json', t86Body('2026-06-29', { '2603': [5, 0, 0] }))
  const events = await inbox.once()
  expect(publicationsOf(events).toSorted()).toEqual([
    [QUOTES, 'published'],
    [TRADES, 'published'],
    ['monthly-bars', 'published'],
    ['weekly-bars', 'published'],
  ])
  expect(stored(s.workspace.releases, TRADES).manifest.changes).toMatchObject({ rows_added: 1, rows_changed: 1 })
  expect(await tradesOf(s, '2330')).toMatchObject([{ inst_share_of_volume: 0.2 }])
})

it('a feed file waits while a dataset derived from its dataset is locked; files of other datasets are published', async () => {
  dropDay(inbox)
  await inbox.once()
  inbox.drop('feeds/twse-quotes/again_20260630.json', quotesBody(DAY, { '2330': 30_000 }))
  inbox.drop('feeds/twse-margin/margin_20260630.json', margin)
  const events = await withLock(releasePaths(s.workspace.releases, TRADES).home, () => inbox.once())
  expect(events.filter(({ kind }) => kind === 'failed')).toMatchObject([{ place: 'feeds/twse-quotes' }])
  expect(outcomesOf(events)).toEqual({ 'margin_20260630.json': 'published' })
  expect(await tradesOf(s, '2330')).toMatchObject([{ inst_share_of_volume: 0.1 }])
  expect(outcomesOf(await inbox.once())).toEqual({ 'again_20260630.json': 'unchanged' })
  expect(await tradesOf(s, '2330')).toMatchObject([{ inst_share_of_volume: 0.2 }])
})

it('a partition file waits while a dataset derived from its dataset is locked, and the next scan completes the derived rows', async () => {
  dropDay(inbox)
  await inbox.once()
  const [served] = await s.rows(QUOTES, '*', `WHERE ticker = '2330'`)
  inbox.drop(`${QUOTES}/again.ndjson`, `${JSON.stringify({ ...served, trade_date: DAY, volume: 30_000 })}\n`)
  const events = await withLock(releasePaths(s.workspace.releases, TRADES).home, () => inbox.once())
  expect(events.filter(({ kind }) => kind === 'failed')).toMatchObject([{ place: QUOTES }])
  expect(await tradesOf(s, '2330')).toMatchObject([{ inst_share_of_volume: 0.1 }])
  expect(outcomesOf(await inbox.once())).toEqual({ 'again.ndjson': 'unchanged' })
  expect(await tradesOf(s, '2330')).toMatchObject([{ inst_share_of_volume: 0.2 }])
})

it('partition files are published one by one when one of them would cause a refusal of the whole batch', async () => {
  const partition = (name: string, ticker: string, streak: string): string =>
    inbox.drop(
      `${TRADES}/${name}`,
      `ticker,market,trade_date,foreign_net_buy,investment_trust_net_buy,dealer_net_buy,institutional_net_buy_total,buy_streak\n${ticker},TWSE,${DAY},1,1,1,3,${streak}\n`,
    )
  partition('right.csv', '2330', '1')
  partition('wrong.csv', '2603', '9')
  expect(outcomesOf(await inbox.once())).toEqual({ 'right.csv': 'published', 'wrong.csv': 'derived_differs' })
})

it('while a dataset is locked, only its files wait, and they are later published with the derived rows', async () => {
  dropDay(inbox)
  const events = await withLock(releasePaths(s.workspace.releases, QUOTES).home, () => inbox.once())
  expect(events.filter(({ kind }) => kind === 'failed')).toMatchObject([{ place: 'feeds/twse-quotes', againInMs: 1_000 }])
  expect(outcomesOf(events)).toEqual({ [T86]: 'published', [OTC]: 'published' })
  expect(inbox.files('inbox')).toEqual([`feeds/twse-quotes/${PRICES}`])
  expect(publicationsOf(await inbox.once())).toEqual([
    [QUOTES, 'published'],
    [TRADES, 'published'],
    ['monthly-bars', 'published'],
    ['weekly-bars', 'published'],
  ])
  expect(await tradesOf(s, '2330')).toMatchObject([{ inst_share_of_volume: 0.1 }])
})

it('a refused file does not block files of other feeds for the same dataset', async () => {
  dropDay(inbox, { t86: t86Body(DAY, { '2330': [1_000, 2_000, 3_000, 7_777] }) })
  const events = await inbox.once()
  expect(outcomesOf(events)).toEqual({ [T86]: 'legs_add_up', [OTC]: 'published', [PRICES]: 'published' })
  expect(sources(TRADES)).toEqual([[`${OTC} ${DAY}`, 1]])
  expect(inbox.files('quarantine').map(path => path.split('/').at(-1))).toEqual([T86, 'report.json'])
  expect(inbox.files('inbox')).toEqual([])
})
