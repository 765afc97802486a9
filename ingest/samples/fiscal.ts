import { dayOf, lastSession, numberOf } from './sessions.ts'

/** A fiscal quarter, or a whole year where `quarters` holds all four. */
export interface FiscalPeriod {
  readonly label: string
  readonly type: 'quarterly' | 'annual'
  readonly year: number
  readonly quarters: readonly number[]
  readonly end: string
}

const ENDS = ['03-31', '06-30', '09-30', '12-31'] as const

/** Years and quarters of the five years up to `until`, newest first, those still running or to come included. */
export function fiscalPeriods(until: string): readonly FiscalPeriod[] {
  const newest = Number(until.slice(0, 4))
  return [0, 1, 2, 3, 4].flatMap(ago => {
    const year = newest - ago
    return [annual(year), ...[4, 3, 2, 1].map(quarter => quarterly(year, quarter))]
  })
}

const annual = (year: number): FiscalPeriod => ({
  label: String(year),
  type: 'annual',
  year,
  quarters: [1, 2, 3, 4],
  end: `${year}-12-31`,
})

const quarterly = (year: number, quarter: number): FiscalPeriod => ({
  label: `${year}-Q${quarter}`,
  type: 'quarterly',
  year,
  quarters: [quarter],
  end: `${year}-${ENDS[quarter - 1]}`,
})

/** Trading day a report is announced: up to `early` days before the legal deadline, which is later for the period that closes the year. */
export const announcedOn = ({ end }: FiscalPeriod, early: number): string =>
  lastSession(dayOf(numberOf(end) + (end.endsWith('12-31') ? 75 : 44) - early))
