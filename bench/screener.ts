import { screenSql } from '../portal/pages/screener/screen.ts'
import { cloneOf } from './append.ts'
import { startChild } from './child.ts'
import { publishSelected, withWorkspace } from './computed.ts'
import { history, SIZES, type Size, SLUG } from './data.ts'
import type { Served } from './server.ts'
import { type Line, quantile } from './table.ts'

/** One ticker in ten meets all conditions. */
const CONDITIONS = [
  { slug: SLUG, column: 'foreign_net_buy', from: '500000', to: '', below: false },
  { slug: SLUG, column: 'dealer_net_buy', from: '-200000', to: '', below: false },
  { slug: SLUG, column: 'foreign_pct', from: '0.1', to: '', below: false },
  { slug: SLUG, column: 'buy_streak', from: '2', to: '4', below: false },
  { slug: SLUG, column: 'inst_share_of_volume', from: '', to: '2', below: false },
] as const
const DATASETS = [{ slug: SLUG, date: 'trade_date', knownAt: null, window: 14 }] as const
const WARM_UP = 5

/**
 * Measures searches for securities with five conditions.
 * @param rounds number of searches
 */
export async function measureScreener(size: Exclude<Size, 'grown'>, rounds: number): Promise<readonly Line[]> {
  const folder = cloneOf(size, 'screener')
  await withWorkspace(folder, async workspace => {
    await publishSelected(workspace, 'listed-securities', securitiesOf(size))
  })
  const server = startChild('server.ts')
  try {
    const { url, keys } = await server.ask<Served>('start', folder, { env: { SQL: 'on' } })
    await server.ask('rest')
    const times: number[] = []
    let rows = 0
    for (const [index, day] of history()
      .slice(-rounds - WARM_UP)
      .entries()) {
      const q = screenSql(day, CONDITIONS, DATASETS, `-${SLUG.replaceAll('-', '_')}_foreign_net_buy`, 500)
      const began = performance.now()
      const answer = await fetch(`${url}/v2/sql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': keys[index % keys.length]! },
        body: JSON.stringify({ q }),
      })
      const text = await answer.text()
      if (answer.status !== 200) throw new Error(`The screen was answered with ${answer.status}: ${text.slice(0, 300)}`)
      if (index < WARM_UP) continue
      times.push(performance.now() - began)
      rows += JSON.parse(text).data_count
    }
    return [
      { name: 'screen of five conditions, p50', measured: quantile(times, 0.5), unit: 'ms', goal: { atMost: 50 } },
      { name: '  p95', measured: quantile(times, 0.95), unit: 'ms' },
      { name: '  securities found, mean', measured: rows / times.length, unit: '' },
    ]
  } finally {
    await server.stop()
  }
}

const securitiesOf = (size: Size): string => `
  SELECT (1000 + t)::VARCHAR AS ticker, CASE WHEN t % 2 = 0 THEN 'TWSE' ELSE 'TPEX' END AS market, '範例' AS name, '股票' AS security_type,
    '半導體業' AS industry, NULL::VARCHAR AS isin, NULL::DATE AS listed_on, NULL::VARCHAR AS cfi, DATE '2026-05-29' AS as_of_date,
    'synthetic' AS source_name
  FROM range(${SIZES[size]}) AS r(t)`
