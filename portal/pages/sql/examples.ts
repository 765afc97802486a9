import type { CatalogDataset } from '../../../clients/typescript/src/index.ts'
import type { Words } from '../../parts/language.ts'

export interface Example {
  readonly title: Words
  readonly sql: string
}

/** Returns example queries, which read only the last days to cost less. */
export function examplesFrom(datasets: readonly CatalogDataset[]): readonly Example[] {
  const lastOf = (slug: string): string => datasets.find(dataset => dataset.slug === slug)?.last_date ?? '2026-06-30'
  const [day, month] = [lastOf('daily-prices'), lastOf('monthly-revenue')]
  const yearBefore = (date: string): string => `${Number(date.slice(0, 4)) - 1}${date.slice(4, 8)}01`
  return [
    {
      title: { en: 'Cheap and growing', zh: '本益比低且營收成長' },
      sql: `SELECT ticker, s.name, v.pe_ratio, v.dividend_yield, r.yoy_pct
FROM valuation AS v
JOIN monthly_revenue AS r USING (ticker)
JOIN securities AS s USING (ticker)
WHERE v.trade_date = '${lastOf('valuation')}' AND r.period_end = '${month}'
  AND v.pe_ratio < 20 AND r.yoy_pct > 10
ORDER BY r.yoy_pct DESC
LIMIT 50`,
    },
    {
      title: { en: 'Revenue surprise', zh: '月營收超出一年平均' },
      sql: `SELECT ticker, name, month, revenue,
  100 * (revenue / avg(revenue) OVER last_year - 1) AS surprise_pct
FROM monthly_revenue
WHERE period_end >= '${yearBefore(month)}'
WINDOW last_year AS (PARTITION BY ticker ORDER BY period_end ROWS BETWEEN 12 PRECEDING AND 1 PRECEDING)
QUALIFY period_end = '${month}'
ORDER BY surprise_pct DESC NULLS LAST
LIMIT 50`,
    },
    {
      title: { en: 'Flows against price', zh: '法人買賣超與股價' },
      sql: `SELECT trade_date, p.close,
  sum(i.foreign_net_buy) OVER (ORDER BY trade_date) AS foreign_cumulative
FROM daily_prices AS p
JOIN institutional_positioning AS i USING (ticker, trade_date)
WHERE ticker = '2330' AND trade_date >= '${yearBefore(day)}'
ORDER BY trade_date`,
    },
    {
      title: { en: 'Turnover by industry', zh: '各產業成交值' },
      sql: `SELECT s.industry, sum(p.turnover) AS turnover, count(*) AS securities
FROM daily_prices AS p
JOIN securities AS s USING (ticker)
WHERE p.trade_date = '${day}'
GROUP BY ALL
ORDER BY turnover DESC`,
    },
  ]
}
