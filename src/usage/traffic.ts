import { addDays, DAY_MS, taipeiDay } from '../core/index.ts'
import type { Database } from '../state/index.ts'

/** Number of days that the service stores and shows. */
const DAYS = 90
const WRITE_AFTER_MS = 60_000

/** API requests of one day in Taipei. */
interface DaySums {
  answered: number
  /** Requests with a status of 500 or above. */
  failed: number
}

/**
 * Counts API requests per day, without accounts. Counts are written a minute after the first change
 * and by `close`, so a killed process loses at most a minute of counts.
 *
 * @param onFailure called if a write fails. The next write includes its counts
 */
export function openTraffic(db: Database, onFailure: (error: unknown) => void) {
  const sums = new Map<string, DaySums>()
  for (const { day, answered, failed } of db
    .prepare<[], DaySums & { day: string }>('SELECT day, answered, failed FROM traffic_day ORDER BY day')
    .iterate())
    sums.set(day, { answered, failed })
  const upsert = db.prepare(
    'INSERT INTO traffic_day VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET answered = excluded.answered, failed = excluded.failed',
  )
  const deleteBefore = db.prepare('DELETE FROM traffic_day WHERE day < ?')
  const changed = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let today = { day: '', sums: { answered: 0, failed: 0 }, startMs: 0, endMs: 0 }
  const sumsOf = (day: string): DaySums => sums.get(day) ?? sums.set(day, { answered: 0, failed: 0 }).get(day)!
  const startDay = (now: Date): void => {
    const day = taipeiDay(now)
    const startMs = Date.parse(`${day}T00:00:00+08:00`)
    today = { day, sums: sumsOf(day), startMs, endMs: startMs + DAY_MS }
  }
  const removeOld = (newest: string): void => {
    const first = addDays(newest, 1 - DAYS)
    for (const day of sums.keys()) {
      if (day >= first) continue
      sums.delete(day)
      changed.delete(day)
      // An empty first day shows that the history began earlier.
      sumsOf(first)
      changed.add(first)
    }
    deleteBefore.run(first)
  }
  const commit = db.transaction(() => {
    removeOld([...changed].toSorted().at(-1)!)
    for (const day of changed) {
      const { answered, failed } = sumsOf(day)
      upsert.run(day, answered, failed)
    }
  })
  const write = (): void => {
    timer = undefined
    try {
      commit.immediate()
      changed.clear()
    } catch (error) {
      onFailure(error)
      writeLater()
    }
  }
  const writeLater = (): void => {
    timer = setTimeout(write, WRITE_AFTER_MS).unref()
  }
  return {
    count(status: number, now: Date): void {
      const ms = now.getTime()
      if (ms >= today.endMs || ms < today.startMs) startDay(now)
      if (status >= 500) today.sums.failed++
      else today.sums.answered++
      changed.add(today.day)
      if (!timer) writeLater()
    },
    /** The last 90 days, oldest first. Days before the first stored request are not recorded. */
    days(now: Date) {
      const last = taipeiDay(now)
      const began = [...sums.keys()].reduce((first, day) => (day < first ? day : first), '9999-12-31')
      return Array.from({ length: DAYS }, (_, index) => {
        const day = addDays(last, index - DAYS + 1)
        const { answered, failed } = sums.get(day) ?? { answered: 0, failed: 0 }
        return { day, answered, failed, isRecorded: day >= began }
      })
    },
    close(): void {
      if (timer) write()
      clearTimeout(timer)
    },
  }
}
