import type { Column } from './column.ts'
import { SECURITY } from './common-columns.ts'
import type { Computation } from './publication.ts'

const EN = { week: 'week', month: 'month' } as const
const ZH = { week: '週', month: '月' } as const

export function barColumns(by: 'week' | 'month') {
  const [en, zh] = [EN[by], ZH[by]]
  const price = (label: string, doc: string, docZh: string) =>
    ({
      type: 'number',
      unit: 'TWD per share',
      nullable: true,
      mayNotApply: true,
      zh: label,
      doc: `${doc} of the ${en}, not adjusted. Null without trades in the regular session.`,
      docZh: `當${zh}${docZh}，未還原；一般交易時段沒有成交時為空值。`,
    }) as const
  return {
    ...SECURITY,
    last_date: {
      type: 'date',
      zh: `${zh}最後交易日`,
      doc: `Last trading day of the ${en} with quotes, the same for all securities. In the current ${en}, this date changes every trading day.`,
      docZh: `當${zh}有行情的最後交易日，各證券相同；本${zh}尚未結束時逐日更新。`,
    },
    open: price('開盤價', 'First price', '第一筆開盤價'),
    high: price('最高價', 'Highest price', '最高價'),
    low: price('最低價', 'Lowest price', '最低價'),
    close: price('收盤價', 'Last close', '最後收盤價'),
    volume: {
      type: 'integer',
      unit: 'shares',
      zh: '成交股數',
      doc: `Number of shares traded in the ${en}.`,
      docZh: `當${zh}成交股數合計。`,
    },
    turnover: { type: 'integer', unit: 'TWD', zh: '成交金額', doc: `Value traded in the ${en}.`, docZh: `當${zh}成交金額合計。` },
    traded_days: {
      type: 'integer',
      unit: 'days',
      zh: '成交日數',
      doc: `Number of days in the ${en} with trades in the regular session.`,
      docZh: `當${zh}一般交易時段有成交的日數。`,
    },
  } as const satisfies Readonly<Record<string, Column>>
}

export const barsFrom = (by: 'week' | 'month'): Computation => ({
  inputs: ['daily-prices'],
  by,
  sql: `
    SELECT ticker, arg_max(market, trade_date) AS market, last_date,
      arg_min(open, trade_date) AS open, max(high) AS high, min(low) AS low, arg_max(close, trade_date) AS close,
      sum(volume) AS volume, sum(turnover) AS turnover, count(close) AS traded_days
    FROM daily_prices
    JOIN (SELECT date_trunc('${by}', trade_date) AS period, max(trade_date) AS last_date FROM daily_prices GROUP BY period)
      ON date_trunc('${by}', trade_date) = period
    GROUP BY ticker, last_date`,
})
