import { addDays } from '../../src/core/index.ts'
import { type Size, SLUG, tickersOf } from '../data.ts'

/** Query for the newest `limit` rows between two days, both inclusive. */
export interface Question {
  readonly ticker: string
  readonly limit: number
  readonly from: string
  readonly to: string
}

/** Number of days at which a range can end. */
const ENDS = 4_000
const LAST_END = '2026-05-29'
const LONGEST = 700

export function randomQuestions(size: Size, count = 4_000): readonly Question[] {
  let seed = 7
  const below = (bound: number): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((seed / 2 ** 32) * bound)
  }
  const tickers = tickersOf(size)
  return Array.from({ length: count }, () => {
    const to = addDays(LAST_END, -below(ENDS))
    return { ticker: tickers[below(tickers.length)]!, limit: 20 + below(61), from: addDays(to, -below(LONGEST)), to }
  })
}

const query = ({ ticker, limit, from, to }: Question): string => `symbol=${ticker}&limit=${limit}&start_date=${from}&end_date=${to}`

export const servicePath = (question: Question): string => `/v2/datasets/${SLUG}?${query(question)}`

export const peerPath = (question: Question): string => `/rows?${query(question)}`

export const namedQueryPath = (question: Question): string => `/rows/newest.json?_shape=array&${query(question)}`

/** Path for ROAPI. */
export const filterPath = ({ ticker, limit, from, to }: Question): string =>
  `/api/tables/rows?filter[ticker]='${ticker}'&filter[trade_date]gte='${from}'&filter[trade_date]lte='${to}'&sort=-trade_date&limit=${limit}`
