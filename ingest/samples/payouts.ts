import { random } from './random.ts'

/** A dividend or capital reduction. */
export interface Payout {
  /** Planned day. The payout is on the first session from this day on. */
  readonly day: string
  /** Change of the price's logarithm. */
  readonly step: number
}

const FIRST_YEAR = 2015
const YEAR_MS = 365.25 * 86_400_000

/** Returns the planned day and the share of the previous close. */
export function dividendPlan(code: string, year: number): { readonly day: string; readonly share: number } {
  const next = random(`${code} ${year} ex-day`)
  const day = `${year}-0${6 + Math.floor(next() * 3)}-${15 + Math.floor(next() * 14)}`
  return { day, share: 0.01 + 0.04 * next() }
}

/** Fictitious: these companies reduce their capital every October. */
export const REDUCING: readonly string[] = ['8044', '9904']
/** Number of new shares that replace one old share. */
export const REDUCTION_RATIO = 0.95
export const reductionDay = (year: number): string => `${year}-10-13`

/** Mean yearly effect of dividends on the logarithm of a price. */
const MEAN_DIVIDEND = -0.0305

const plans = new Map<string, readonly Payout[]>()

function payoutsUntil(code: string, year: number): readonly Payout[] {
  const key = `${code} ${year}`
  const cached = plans.get(key)
  if (cached) return cached
  const years = Array.from({ length: Math.max(0, year - FIRST_YEAR + 1) }, (_, index) => FIRST_YEAR + index)
  const dividends = years.map(each => dividendPlan(code, each)).map(({ day, share }) => ({ day, step: Math.log(1 - share) }))
  const reductions = REDUCING.includes(code) ? years.map(each => ({ day: reductionDay(each), step: -Math.log(REDUCTION_RATIO) })) : []
  const payouts = [...dividends, ...reductions]
  plans.set(key, payouts)
  return payouts
}

/**
 * Returns the effect of all payouts on the logarithm of a price. Depends only on company and day,
 * so a longer sample does not change earlier days. The price falls by the dividend on each ex-day
 * and rises slightly on all other days, so that the price stays near its mean.
 *
 * @param day the session, `YYYY-MM-DD`
 */
export function payoutEffect(code: string, day: string): number {
  const year = Number(day.slice(0, 4))
  if (year < FIRST_YEAR) return 0
  const steps = payoutsUntil(code, year).reduce((sum, payout) => (payout.day <= day ? sum + payout.step : sum), 0)
  const yearly = MEAN_DIVIDEND - (REDUCING.includes(code) ? Math.log(REDUCTION_RATIO) : 0)
  return steps - (yearly * (Date.parse(day) - Date.parse(`${FIRST_YEAR}-01-01`))) / YEAR_MS
}
