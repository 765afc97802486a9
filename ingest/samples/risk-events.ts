import { random } from './random.ts'
import { sessions } from './sessions.ts'
import { COMPANIES } from './tickers.ts'

/** Kinds of flag with their reason; a kind listed more often is drawn more often. */
const FLAGS = [
  ['attention', '最近六個營業日累積收盤價漲幅異常'],
  ['attention', '最近六個營業日累積收盤價跌幅異常'],
  ['attention', '當日週轉率過高'],
  ['attention', '當日成交量較最近六十個營業日平均放大'],
  ['disposition', '連續三個營業日列為注意股票'],
  ['disposition', '最近十個營業日內有六日列為注意股票'],
  ['altered_trading', '每股淨值低於面額二分之一'],
  ['suspension', '公司申請暫停交易以公布重大訊息'],
] as const

/** A flag on about one trading day in six and on the newest, on some company, some 150 in all, oldest first. */
export function riskEvents(until: string) {
  return sessions(until).flatMap(({ day }, at, { length }) => {
    const next = random(`${day} flag`)
    if (next() >= 0.17 && at < length - 1) return []
    const ticker = COMPANIES[Math.floor(next() * COMPANIES.length)]!
    const [type, reason] = FLAGS[Math.floor(next() * FLAGS.length)]!
    return [
      {
        symbol: ticker.code,
        event_date: day,
        risk_type: type,
        description: `${reason}（合成資料）`,
        source_role: 'synthetic_sample',
        lineage: { synthetic: true, authority: ticker.market, feed: 'synthetic_sample', source_release: day },
      },
    ]
  })
}
