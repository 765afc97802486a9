import { bodyRefused } from '../../formats/index.ts'

/** A fiscal quarter; income statements cover the year up to its end. */
export interface Quarter {
  readonly year: number
  readonly season: number
}

const ENDS = ['03-31', '06-30', '09-30', '12-31'] as const

/** Last day of the quarter, `YYYY-MM-DD`. */
export const quarterEnd = ({ year, season }: Quarter): string => `${year}-${ENDS[season - 1] ?? ''}`

/** The quarter as the columns of income-statements. */
export const quarterColumns = (quarter: Quarter) => ({ fiscal_year: quarter.year, season: quarter.season, period_end: quarterEnd(quarter) })

/** Quarter a day lies in. */
export const quarterOf = (day: string): Quarter => ({ year: Number(day.slice(0, 4)), season: Math.ceil(Number(day.slice(5, 7)) / 3) })

/**
 * Proof that the requested day is the last one of the quarter.
 *
 * @throws Refusal wrong_day when it is another quarter's, or none's
 */
export function requireQuarter(found: Quarter, requestedDay: string | undefined): void {
  const end = quarterEnd(found)
  if (requestedDay === undefined || requestedDay === end) return
  const period = `${found.year}-Q${found.season}`
  const { year, season } = quarterOf(requestedDay)
  const another = year !== found.year || season !== found.season
  const message = another
    ? `The figures are of ${period} and were given for ${requestedDay}; name the last day of their quarter with --date ${end}.`
    : `${requestedDay} is not the last day of a quarter; name the day the figures run to with --date ${end}.`
  throw bodyRefused('wrong_day', message, { period, asked: requestedDay })
}
