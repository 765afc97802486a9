import { marketValue } from './companies.ts'
import { random } from './random.ts'
import { type Session, sessions } from './sessions.ts'
import { COMPANIES, type Ticker } from './tickers.ts'

/**
 * Companies with a larger market value (in TWD) are never flagged, because users could take the
 * flags for facts.
 */
const SMALL = 100e9
const SMALL_COMPANIES = COMPANIES.filter(({ code }) => marketValue(code) < SMALL)

const ATTENTION = [
  '最近六個營業日累積收盤價漲幅異常',
  '最近六個營業日累積收盤價跌幅異常',
  '當日週轉率過高',
  '當日成交量較最近六十個營業日平均放大',
] as const
const DISPOSITION = '連續三個營業日列為注意股票'
const SUSPENSION = '公司申請暫停交易以公布重大訊息'

/** Consecutive days of attention before a disposition. */
const RUN = 3

/**
 * Generates flags of small companies, oldest first. The newest day has at least one flag. Three
 * days on the attention list lead to a disposition.
 */
export function riskEvents(until: string) {
  const days = sessions(until)
  return days.flatMap((session, index) => {
    const runs = Array.from({ length: RUN + 1 }, (_, ago) => runFrom(session.number - ago, ago)).flat()
    const single = index === days.length - 1 && runs.length === 0 ? [attention(session)] : singles(session)
    const flags = new Map([...single, ...runs].map(flag => [`${flag.ticker.code} ${flag.type}`, flag]))
    return [...flags.values()].map(flag => row(flag, session))
  })
}

interface Flag {
  readonly ticker: Ticker
  readonly type: 'attention' | 'disposition' | 'suspension'
  readonly reason: string
}

const pick = <T>(from: readonly T[], next: () => number): T => from[Math.floor(next() * from.length)]!

/** Returns the flags of a run that started `ago` trading days ago. Empty if no run started then. */
function runFrom(start: number, ago: number): readonly Flag[] {
  const next = random(`${start} run of attention`)
  if (next() >= 0.03) return []
  const ticker = pick(SMALL_COMPANIES, next)
  return [ago < RUN ? { ticker, type: 'attention', reason: pick(ATTENTION, next) } : { ticker, type: 'disposition', reason: DISPOSITION }]
}

function singles(session: Session): readonly Flag[] {
  const next = random(`${session.day} flag`)
  if (next() >= 0.15) return []
  return [next() < 0.1 ? { ticker: pick(SMALL_COMPANIES, next), type: 'suspension', reason: SUSPENSION } : attention(session)]
}

function attention({ day }: Session): Flag {
  const next = random(`${day} attention`)
  return { ticker: pick(SMALL_COMPANIES, next), type: 'attention', reason: pick(ATTENTION, next) }
}

const row = ({ ticker, type, reason }: Flag, { day }: Session) => ({
  symbol: ticker.code,
  event_date: day,
  risk_type: type,
  description: `${reason}（合成資料）`,
  source_role: 'synthetic_sample',
  lineage: { synthetic: true, authority: ticker.market, feed: 'synthetic_sample', source_release: day },
})
