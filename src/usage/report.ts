import { addDays, nextMonth, taipeiDay } from '../core/index.ts'
import type { Database } from '../state/index.ts'

/** Range of days in Taipei, both included. */
export interface UsageWindow {
  readonly name: string
  readonly start: string
  readonly end: string
  readonly timezone: 'Asia/Taipei'
}

/** `YYYY-MM` is any month, for example `2026-07`. */
export const WINDOW_NAMES = ['today', '7d', '30d', 'month', 'last_month', 'YYYY-MM'] as const
export const WINDOW_PATTERN = /^(today|7d|30d|month|last_month|20\d\d-(0[1-9]|1[0-2]))$/

/** @param name name of the window. Must match `WINDOW_PATTERN` */
export function usageWindow(name: string, now: Date): UsageWindow {
  const [start, end] = spanOf(name, taipeiDay(now))
  return { name, start, end, timezone: 'Asia/Taipei' }
}

function spanOf(name: string, today: string): readonly [start: string, end: string] {
  if (name === 'today') return [today, today]
  if (name === '7d') return [addDays(today, -6), today]
  if (name === '30d') return [addDays(today, -29), today]
  if (name === 'month') return monthSpan(today.slice(0, 7))
  if (name === 'last_month') return monthSpan(addDays(`${today.slice(0, 7)}-01`, -1).slice(0, 7))
  return monthSpan(name)
}

const monthSpan = (month: string): readonly [string, string] => {
  const first = `${month}-01`
  return [first, addDays(taipeiDay(nextMonth(new Date(`${first}T00:00:00+08:00`))), -1)]
}

export interface Totals {
  readonly requests: number
  readonly credits: number
  readonly rows: number
  /** Number of refused or failed reads, which are free. */
  readonly errors: number
}

/** Lists are in ascending order of their names. */
export interface UsageReport {
  readonly totals: Totals
  readonly by_day: readonly (Totals & { readonly day: string })[]
  readonly by_dataset: readonly (Totals & { readonly dataset: string })[]
  readonly by_key: readonly (Totals & { readonly key_id: string })[]
}

const SUMS =
  'coalesce(sum(requests), 0) AS requests, coalesce(sum(credits), 0) AS credits, coalesce(sum(rows), 0) AS rows, coalesce(sum(errors), 0) AS errors'
const WHERE = 'FROM usage_daily WHERE account_id = @accountId AND day BETWEEN @start AND @end AND (@dataset IS NULL OR dataset = @dataset)'

export function createUsageStore(db: Database) {
  const totals = db.prepare<object, Totals>(`SELECT ${SUMS} ${WHERE}`)
  const byDay = db.prepare<object, UsageReport['by_day'][number]>(`SELECT day, ${SUMS} ${WHERE} GROUP BY day ORDER BY day`)
  const byDataset = db.prepare<object, UsageReport['by_dataset'][number]>(
    `SELECT dataset, ${SUMS} ${WHERE} GROUP BY dataset ORDER BY dataset`,
  )
  const byKey = db.prepare<object, UsageReport['by_key'][number]>(`SELECT key_id, ${SUMS} ${WHERE} GROUP BY key_id ORDER BY key_id`)
  return {
    /** @param dataset null for all datasets */
    report(accountId: string, { start, end }: UsageWindow, dataset: string | null): UsageReport {
      const filter = { accountId, start, end, dataset }
      return { totals: totals.get(filter)!, by_day: byDay.all(filter), by_dataset: byDataset.all(filter), by_key: byKey.all(filter) }
    },
  }
}
