import { type Dataset, defaultOrder } from './dataset.ts'

/** True if rows are a series by day: key and day are two of the columns that identify a row. */
export const isDailySeries = ({ key, date, grain }: Pick<Dataset, 'key' | 'date' | 'grain'>): boolean =>
  key !== undefined && date !== undefined && grain.includes(key) && grain.includes(date)

/** True for a series in which a key has at most one row per day. */
export const isOneADay = (dataset: Pick<Dataset, 'key' | 'date' | 'grain'>): boolean => isDailySeries(dataset) && dataset.grain.length === 2

/**
 * True for a series with at most one row per key and day, and with the default order newest day
 * first, then key. Parts store the rows of each key oldest first.
 */
export function isNewestFirst(dataset: Dataset): boolean {
  if (!isOneADay(dataset)) return false
  const [first, second] = defaultOrder(dataset)
  return first![0] === dataset.date && first![1] === 'desc' && second![0] === dataset.key && second![1] === 'asc'
}
