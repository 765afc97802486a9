import { addDays } from '../../src/core/index.ts'
import { type Size, SLUG, tickersOf } from '../data.ts'

/** The newest `limit` rows of a ticker between two days, both included. */
export interface Question {
  readonly ticker: string
  readonly limit: number
  readonly from: string
  readonly to: string
}

const COUNT = 4_000
/** Days of the calendar from the first day that a range may end on to the last. */
const ENDS = 4_000
const LAST_END = '2026-05-29'
const LONGEST = 700

/** Questions that hardly ever repeat, the same on every run: what is measured is not an answer that somebody kept. */
export function randomQuestions(size: Size): readonly Question[] {
  let seed = 7
  const below = (bound: number): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((seed / 2 ** 32) * bound)
  }
  const tickers = tickersOf(size)
  return Array.from({ length: COUNT }, () => {
    const to = addDays(LAST_END, -below(ENDS))
    return { ticker: tickers[below(tickers.length)]!, limit: 20 + below(61), from: addDays(to, -below(LONGEST)), to }
  })
}

const query = ({ ticker, limit, from, to }: Question): string => `symbol=${ticker}&limit=${limit}&start_date=${from}&end_date=${to}`

/** The question as the service is asked. */
export const servicePath = (question: Question): string => `/v2/datasets/${SLUG}?${query(question)}`

/** As the peers are asked that are written here. */
export const peerPath = (question: Question): string => `/rows?${query(question)}`

/** As Datasette is asked for a named query. */
export const namedQueryPath = (question: Question): string => `/rows/newest.json?_shape=array&${query(question)}`

/** As ROAPI is asked, in its own words. */
export const filterPath = ({ ticker, limit, from, to }: Question): string =>
  `/api/tables/rows?filter[ticker]='${ticker}'&filter[trade_date]gte='${from}'&filter[trade_date]lte='${to}'&sort=-trade_date&limit=${limit}`
