import { tpexInstitutional } from '../../fixtures/feeds/bodies.ts'
import { quotesBody, t86Body } from '../../fixtures/ingest/bodies.ts'
import type { Publisher } from '../publish/publisher.ts'
import type { TestInbox } from './inbox.ts'

export const [TRADES, QUOTES] = ['institutional-positioning', 'daily-prices'] as const
export const DAY = '2026-06-30'
export const [T86, OTC, PRICES] = ['T86_20260630.json', 'otc_20260630.json', 'MI_INDEX_20260630.json'] as const

/**
 * Drops the trades of both markets and the quotes of one market, each file into the folder of its
 * feed.
 */
export function dropDay(inbox: TestInbox, { t86 = t86Body(DAY, { '2330': [1_000, 2_000, 3_000] }) } = {}): void {
  const otc = tpexInstitutional({ date: '115/06/30', subtitle: '115年06月30日 三大法人日交易資訊' }, { date: '20260630' })
  inbox.drop(`feeds/tpex-institutional/${OTC}`, JSON.stringify(otc))
  inbox.drop(`feeds/twse-quotes/${PRICES}`, quotesBody(DAY, { '2330': 60_000 }))
  inbox.drop(`feeds/twse-t86/${T86}`, t86)
}

/** Stored trades of a security, including its share of the volume. */
export const tradesOf = (s: Publisher, ticker: string) =>
  s.rows(TRADES, 'market, foreign_net_buy::INTEGER AS foreign_net_buy, inst_share_of_volume', `WHERE ticker = '${ticker}'`)
