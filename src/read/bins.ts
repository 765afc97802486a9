/** Bins of a histogram, at most. */
export const MOST_BINS = 20

const DIGITS = [1, 2, 5]
/** Powers of ten that are tried, up to the largest of a finite number. */
const LARGEST_POWER = 307

/**
 * Edges of bins of one width, 1, 2 or 5 times a power of ten, that hold every number between two: a bin begins at its edge and ends before
 * the next.
 *
 * @param isWhole no bin is narrower than 1
 * @returns edges in ascending order, one more than bins; none where numbers are too large for round edges
 */
export function numberEdges(min: number, max: number, isWhole: boolean): readonly number[] {
  const width = max > min ? max / MOST_BINS - min / MOST_BINS : isWhole ? 1 : Math.abs(max) || 1
  for (let power = Math.max(isWhole ? 0 : -LARGEST_POWER, Math.floor(Math.log10(width))); power <= LARGEST_POWER; power++) {
    for (const digit of DIGITS) {
      const edge = (index: number): number => Number(`${index * digit}e${power}`)
      const step = edge(1)
      let [first, last] = [Math.floor(min / step), Math.floor(max / step) + 1]
      // A quotient may be rounded to the other side of a whole number.
      if (edge(first) > min) first--
      if (edge(last) <= max) last++
      if (!(last - first <= MOST_BINS)) continue
      const edges = Array.from({ length: last - first + 1 }, (_, index) => edge(first + index))
      const isRising = edges.every((one, at) => at === 0 || one > edges[at - 1]!)
      if (isRising && edges[0]! <= min && edges.at(-1)! > max && Number.isFinite(edges.at(-1))) return edges
    }
  }
  return []
}

const DAY_MS = 86_400_000
/** A Monday, in days since 1970. */
const MONDAY = 4
/** Widths of bins in months. */
const MONTHS = [1, 3, 6, 12, 24, 60, 120, 240, 600, 1_200, 2_400, 6_000, 12_000]

/** How days are counted in bins: the bin of a day, and the first day of a bin as text. */
interface Count {
  readonly binOf: (day: string) => number
  readonly dayOf: (bin: number) => string
}

const textOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

const byDays = (days: number): Count => ({
  binOf: day => Math.floor((Date.parse(day) / DAY_MS - MONDAY) / days),
  dayOf: bin => textOf((bin * days + MONDAY) * DAY_MS),
})

const byMonths = (months: number): Count => ({
  binOf: day => Math.floor((Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1) / months),
  // Date.UTC takes years below 100 for those of the last century.
  dayOf: bin => textOf(new Date(0).setUTCFullYear(Math.floor((bin * months) / 12), (bin * months) % 12, 1)),
})

const COUNTS: readonly Count[] = [byDays(1), byDays(7), ...MONTHS.map(byMonths)]

/** The same of days: each bin is a day, a week from Monday on, a month, a quarter, half a year or a round number of years. */
export function dayEdges(min: string, max: string): readonly string[] {
  const count = COUNTS.find(({ binOf }) => binOf(max) - binOf(min) < MOST_BINS)!
  const first = count.binOf(min)
  return Array.from({ length: count.binOf(max) - first + 2 }, (_, index) => count.dayOf(first + index))
}
