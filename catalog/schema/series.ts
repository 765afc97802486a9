import { type Dataset, defaultOrder } from './dataset.ts'

/** Returns true if the rows are a series by day, that is, if key and date are both in the grain. */
export const isDailySeries = ({ key, date, grain }: Pick<Dataset, 'key' | 'date' | 'grain'>): boolean =>
  key !== undefined && date !== undefined && grain.includes(key) && grain.includes(date)

/** Returns true for a series in which a key has at most one row per day. */
export const isOneADay = (dataset: Pick<Dataset, 'key' | 'date' | 'grain'>): boolean => isDailySeries(dataset) && dataset.grain.length === 2

/**
 * Returns true for a series with at most one row per key and day, and with a default order by
 * newest day, then key. In stored parts, the rows of a key are in the opposite order, oldest first.
 */
export function isNewestFirst(dataset: Dataset): boolean {
  if (!isOneADay(dataset)) return false
  const [first, second] = defaultOrder(dataset)
  return first![0] === dataset.date && first![1] === 'desc' && second![0] === dataset.key && second![1] === 'asc'
}
