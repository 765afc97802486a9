import { wander } from './random.ts'
import { type Session, sessions } from './sessions.ts'

const TENORS = [
  [2, 1.35],
  [5, 1.45],
  [10, 1.6],
  [20, 1.75],
  [30, 1.85],
] as const

/** Generates five tenors per trading day. Days are oldest first, tenors shortest first. */
export function bondCurve(until: string) {
  return sessions(until).flatMap(session => TENORS.map(([years, percent], place) => quote(session, years, percent, place)))
}

function quote({ day, number }: Session, years: number, percent: number, place: number) {
  const moved = 0.8 * wander('TWGB level', number) + 0.2 * wander(`TWGB ${years}Y`, number)
  return {
    trade_date: day,
    curve_type: 'government_benchmark',
    tenor_label: `${years}Y`,
    maturity_years: years,
    yield_rate: Number((percent + moved).toFixed(4)),
    as_of: day,
    index_version: 'twgb-benchmark-1',
    source_provider: 'synthetic_sample',
    source_role: 'synthetic_sample',
    source_family: 'synthetic_sample',
    source_authority: '示範用合成資料',
    lineage: {
      synthetic: true,
      echo_ok: true,
      emitter: 'synthetic_sample',
      ...benchmark(day, years, place),
      source_data_date: day,
    },
  }
}

/** Returns the newest bond of a tenor. Its remaining years decrease during the year. */
function benchmark(day: string, years: number, place: number) {
  const republic = String(Number(day.slice(0, 4)) - 1911)
  const gone = (Number(day.slice(5, 7)) - 1) / 12 + Number(day.slice(8)) / 365
  return { bond_code: `A${republic.slice(-2)}1${String(place + 1).padStart(2, '0')}`, residual_years: Number((years - gone).toFixed(3)) }
}
