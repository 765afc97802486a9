export const MOST_BINS = 20

const DIGITS = [1, 2, 5]
/** Largest exponent of a width. The largest finite power of ten is 10^308. */
const LARGEST_POWER = 307

/**
 * Returns ascending edges from `min` to `max`. The width is 1, 2 or 5 times a power of ten. Each
 * bin excludes the upper edge.
 * @param isWhole true for integers, which need a width of at least 1
 * @returns empty if the numbers are too large for round edges
 */
export function numberEdges(min: number, max: number, isWhole: boolean): readonly number[] {
  const width = max > min ? max / MOST_BINS - min / MOST_BINS : isWhole ? 1 : Math.abs(max) || 1
  for (let power = Math.max(isWhole ? 0 : -LARGEST_POWER, Math.floor(Math.log10(width))); power <= LARGEST_POWER; power++) {
    for (const digit of DIGITS) {
      const edge = (index: number): number => Number(`${index * digit}e${power}`)
      const step = edge(1)
      let first = Math.floor(min / step)
      let last = Math.floor(max / step) + 1
      // Rounding can move a quotient past an integer.
      if (edge(first) > min) first--
      if (edge(last) <= max) last++
      if (!(last - first <= MOST_BINS)) continue
      const edges = Array.from({ length: last - first + 1 }, (_, index) => edge(first + index))
      const isRising = edges.every((value, index) => index === 0 || value > edges[index - 1]!)
      if (isRising && edges[0]! <= min && edges.at(-1)! > max && Number.isFinite(edges.at(-1))) return edges
    }
  }
  return []
}

const DAY_MS = 86_400_000
/** The Monday 1970-01-05, in days since 1970-01-01. */
const MONDAY = 4
const MONTHS = [1, 3, 6, 12, 24, 60, 120, 240, 600, 1_200, 2_400, 6_000, 12_000]

/** `dayOf` returns the first day of a bin. */
interface DayBins {
  readonly binOf: (day: string) => number
  readonly dayOf: (bin: number) => string
}

const textOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

const byDays = (days: number): DayBins => ({
  binOf: day => Math.floor((Date.parse(day) / DAY_MS - MONDAY) / days),
  dayOf: bin => textOf((bin * days + MONDAY) * DAY_MS),
})

const byMonths = (months: number): DayBins => ({
  binOf: day => Math.floor((Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1) / months),
  // `Date.UTC` would interpret the years 0 to 99 as 1900 to 1999.
  dayOf: bin => textOf(new Date(0).setUTCFullYear(Math.floor((bin * months) / 12), (bin * months) % 12, 1)),
})

const WIDTHS: readonly DayBins[] = [byDays(1), byDays(7), ...MONTHS.map(byMonths)]

/**
 * Returns edges from `min` to `max`. Bins are days, weeks from Monday, months, quarters, half years
 * or round numbers of years.
 */
export function dayEdges(min: string, max: string): readonly string[] {
  const { binOf, dayOf } = WIDTHS.find(width => width.binOf(max) - width.binOf(min) < MOST_BINS)!
  const first = binOf(min)
  return Array.from({ length: binOf(max) - first + 2 }, (_, index) => dayOf(first + index))
}
