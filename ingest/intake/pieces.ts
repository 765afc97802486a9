import type { Dataset, Row } from '../../catalog/index.ts'

/** What is published or refused as one: a whole file, or one day of a file that holds several. */
export interface DayRows {
  /** The day, where the dataset is published day by day. */
  readonly date: string | null
  readonly count: number
  readonly rows: readonly Row[]
}

/** A file's rows by the day they belong to, so that one bad day does not take the others with it. */
export function splitByDay({ publish, date }: Dataset, rows: readonly Row[]): readonly DayRows[] {
  if (date === undefined || !publish.slice?.includes(date)) return [{ date: null, count: rows.length, rows }]
  return [...Map.groupBy(rows, row => String(row[date]))].map(([day, those]) => ({ date: day, count: those.length, rows: those }))
}
