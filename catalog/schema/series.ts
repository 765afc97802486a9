import { type Dataset, defaultOrder } from './dataset.ts'

/** True if key and date are both in the grain. */
export const isDailySeries = ({ key, date, grain }: Pick<Dataset, 'key' | 'date' | 'grain'>): boolean =>
  key !== undefined && date !== undefined && grain.includes(key) && grain.includes(date)

/** True if a key has at most one row per day. */
export const isOneADay = (dataset: Pick<Dataset, 'key' | 'date' | 'grain'>): boolean => isDailySeries(dataset) && dataset.grain.length === 2

/**
 * True if rows are ordered by newest day, then key. A key has at most one row per day. Stored
 * files have the opposite order: oldest first.
 */
export function isNewestFirst(dataset: Dataset): boolean {
  if (!isOneADay(dataset)) return false
  const [first, second] = defaultOrder(dataset)
  return first![0] === dataset.date && first![1] === 'desc' && second![0] === dataset.key && second![1] === 'asc'
}
