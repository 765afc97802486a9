import { addDays, nextMonth, taipeiDay } from '../../core/index.ts'

/** A span of days in Taipei, both ends included. */
export interface UsageWindow {
  readonly name: string
  readonly start: string
  readonly end: string
  readonly timezone: 'Asia/Taipei'
}

export const WINDOWS = ['today', '7d', '30d', 'month', 'last_month', 'YYYY-MM'] as const
/** Every name a window has. */
export const WINDOW_FORM = /^(today|7d|30d|month|last_month|20\d\d-(0[1-9]|1[0-2]))$/

/** The window of that name on that day. @param name of `WINDOW_FORM` */
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
