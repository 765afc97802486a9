import type { Dataset, Row, Unit } from '../../catalog/index.ts'
import { addDays, DAY_MS } from '../../src/core/index.ts'
import { marketMood } from './prices.ts'
import { numberOf, sessions } from './sessions.ts'

const [DAYS, MONTHS] = [125, 36]

/** Units whose figures do not grow with the market. */
const FIXED: ReadonlySet<Unit | undefined> = new Set<Unit | undefined>(['percent', 'ratio', 'days', 'years'])

/** Generates rows from the example rows, up to `until`. */
export function scaledExamples(dataset: Dataset, until: string): readonly Row[] {
  if (dataset.sample === 'events') return movedEvents(dataset, until)
  const days = daysOf(dataset, until)
  const stored = Object.keys(dataset.columns).filter(name => dataset.columns[name]!.virtual === undefined)
  const factors = factorsOf(days.map(({ number }) => number))
  return days.flatMap(({ day }, index) =>
    templates(dataset).map(row =>
      withSums(dataset, Object.fromEntries(stored.map(name => [name, valueOn(dataset, row, name, day, factors[index]!)]))),
    ),
  )
}

function daysOf({ sample }: Dataset, until: string): readonly { readonly day: string; readonly number: number }[] {
  if (sample === 'trading_days') return sessions(until).slice(-DAYS)
  const months = monthEnds(until)
  return sample === 'months' ? months : months.filter(({ day }) => Number(day.slice(5, 7)) % 3 === 0)
}

/**
 * Returns one factor per day for all figures of the day, in thousandths. No two days have the same
 * factor, because publication refuses two days with equal figures. Example figures are multiples of
 * 1,000, so results and sums are exact.
 */
function factorsOf(numbers: readonly number[]): readonly number[] {
  const used = new Set<number>()
  return numbers.map(number => {
    let thousandths = Math.round(1_000 * Math.exp(0.4 * marketMood(number)))
    while (used.has(thousandths)) thousandths++
    used.add(thousandths)
    return thousandths / 1_000
  })
}

/** Returns the first example row of each series. Rows of a series differ only in the day. */
function templates({ grain, date, example }: Dataset): readonly Row[] {
  const series = Map.groupBy(example, row =>
    grain
      .filter(name => name !== date)
      .map(name => row[name])
      .join('|'),
  )
  return [...series.values()].map(([first]) => first!)
}

function valueOn(dataset: Dataset, row: Row, name: string, day: string, factor: number): unknown {
  const { type, unit } = dataset.columns[name]!
  const value = row[name]
  if (name === dataset.date) return day
  if (name === 'month') return day.slice(0, 7)
  if (typeof value !== 'number' || dataset.grain.includes(name) || FIXED.has(unit)) return value
  return type === 'integer' ? Math.round(value * factor) : Number((value * factor).toFixed(2))
}

/** Computes declared sums again, because rounded figures may not add up. */
function withSums({ rules = [] }: Dataset, row: Readonly<Record<string, unknown>>): Row {
  const sums = rules.flatMap(rule => {
    if (!('sum' in rule)) return []
    const parts = [...rule.sum.map(name => row[name]), ...(rule.less ?? []).map(name => negative(row[name]))]
    const isWhole = parts.every(part => typeof part === 'number') && typeof row[rule.column] === 'number'
    return isWhole ? [[rule.column, parts.reduce((sum, part) => sum + part, 0)] as const] : []
  })
  return { ...row, ...Object.fromEntries(sums) }
}

const negative = (value: unknown): unknown => (typeof value === 'number' ? -value : value)

/**
 * Returns the ends of months up to `until`. `number` grows by 20 per month, about as many as
 * trading days.
 */
function monthEnds(until: string): readonly { readonly day: string; readonly number: number }[] {
  const [year, month] = [Number(addDays(until, 1).slice(0, 4)), Number(addDays(until, 1).slice(5, 7))]
  return Array.from({ length: MONTHS }, (_, index) => {
    const months = year * 12 + month - MONTHS + index + 1
    const end = new Date(Date.UTC(Math.floor((months - 1) / 12), (months - 1) % 12, 1) - DAY_MS)
    return { day: end.toISOString().slice(0, 10), number: 20 * months }
  })
}

/** Moves the days of all rows, so that the newest `date` is `until`. */
function movedEvents({ columns, date, example }: Dataset, until: string): readonly Row[] {
  const newest = example
    .map(row => String(row[date!]))
    .sort()
    .at(-1)!
  const days = numberOf(until) - numberOf(newest)
  return example.map(row =>
    Object.fromEntries(
      Object.entries(row)
        .filter(([name]) => columns[name]!.virtual === undefined)
        .map(([name, value]) => [name, columns[name]!.type === 'date' && typeof value === 'string' ? addDays(value, days) : value]),
    ),
  )
}
