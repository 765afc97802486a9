import { Cron } from 'croner'
import type { Cadence, Dataset } from '../../catalog/index.ts'
import { type IsClosed, scheduleOf } from '../../src/calendar/index.ts'
import type { Words } from '../../src/core/index.ts'

const TAIPEI = 'Asia/Taipei'
/** Lists without a timetable are fetched before the market opens. */
const LOOK = { pattern: '30 6 * * 1', said: { en: 'Mondays 06:30', zh: '每週一 06:30' } }
/** Maximum random delay in ms, to spread the load on sources. */
const SPREAD_MS = 180_000
const HOUR_MS = 3_600_000
/**
 * Milliseconds before the first retry. Each further retry doubles the delay, up to a limit that
 * depends on the cadence.
 */
const FIRST_PAUSE_MS = 300_000
const LONGEST_PAUSE_MS: Readonly<Record<Cadence['every'], number>> = {
  trading_day: 2 * HOUR_MS,
  week: 6 * HOUR_MS,
  month: 24 * HOUR_MS,
  quarter: 24 * HOUR_MS,
  on_change: 24 * HOUR_MS,
}

/**
 * Returns when the data after a day is due. For lists without a timetable, returns the time of the
 * next check.
 */
export function nextRun({ cadence }: Dataset, isClosed: IsClosed, now: Date, covers: string, random: () => number): Date {
  const due =
    cadence.every === 'on_change'
      ? new Cron(LOOK.pattern, { timezone: TAIPEI, paused: true }).nextRun(now)
      : scheduleOf(cadence, isClosed).nextAfter(now, covers)?.dueAt
  const at = due ?? new Date(now.getTime() + 24 * HOUR_MS)
  return new Date(at.getTime() + random() * SPREAD_MS)
}

/** Returns the time of the next attempt. */
export const nextTry = (now: Date, tries: number, { every }: Pick<Cadence, 'every'>): Date =>
  new Date(now.getTime() + Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS[every]))

const WEEKDAYS: readonly Words[] = [
  { en: '', zh: '' },
  { en: 'Mondays', zh: '每週一' },
  { en: 'Tuesdays', zh: '每週二' },
  { en: 'Wednesdays', zh: '每週三' },
  { en: 'Thursdays', zh: '每週四' },
  { en: 'Fridays', zh: '每週五' },
  { en: 'Saturdays', zh: '每週六' },
  { en: 'Sundays', zh: '每週日' },
]

/** Describes a cadence in words, in Taipei time. */
export function cadenceText(cadence: Cadence): Words {
  if (cadence.every === 'on_change') return LOOK.said
  const on = {
    trading_day: () => ({ en: 'trading days', zh: '每交易日' }),
    week: ({ weekday }: Extract<Cadence, { every: 'week' }>) => WEEKDAYS[weekday]!,
    month: ({ day }: Extract<Cadence, { every: 'month' }>) => ({ en: `monthly, day ${day}`, zh: `每月 ${day} 日` }),
    quarter: () => ({ en: 'quarterly, filing deadline', zh: '每季財報申報期限' }),
  } as const
  const { en, zh } = on[cadence.every](cadence as never)
  return { en: `${en} ${cadence.expectedAt}`, zh: `${zh} ${cadence.expectedAt}` }
}
