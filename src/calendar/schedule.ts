import type { Cadence, Deadlines } from '../../catalog/index.ts'
import { addDays, DAY_MS, dayText, taipeiDay } from '../core/index.ts'
import type { IsClosed } from './calendar.ts'

/** A due date. At the time `dueAt`, data up to and including the day `covers` must be published. */
export interface DueDate {
  readonly covers: string
  readonly dueAt: Date
}

/** How often a dataset is published, for datasets with a schedule. */
export type TimedCadence = Exclude<Cadence, { readonly every: 'on_change' }>
type Of<E> = Extract<TimedCadence, { readonly every: E }>

/**
 * Numbers the due dates of a dataset consecutively, so that a search can go from one to the next.
 */
type Recurrence<C> = {
  /** Returns the number of the newest due date that may be on or before a day. */
  readonly numberOn: (day: string) => number
  /** Returns the due date with a number. Null if there is none, for example on a holiday. */
  readonly dueDate: (number: number, cadence: C, isClosed: IsClosed) => DueDate | null
}

/** Maximum number of days to search for an open day. The market was never closed for longer. */
const LONGEST_CLOSURE = 40
/** Day number (days since 1970) of the first Monday in 1970. */
const FIRST_MONDAY = 4

const dayNumber = (day: string): number => Date.parse(day) / DAY_MS
const instant = (day: string, time: string): Date => new Date(`${day}T${time}:00+08:00`)
/** Returns the last day of a month. @param month number of months since January of year 0 */
const monthEnd = (month: number): string => new Date(Date.UTC(Math.floor(month / 12), (month % 12) + 1, 0)).toISOString().slice(0, 10)
const monthOf = (day: string): number => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1

/**
 * Returns the day itself if the market is open. Otherwise returns the nearest open day: the next if
 * `step` is 1, the previous if `step` is -1.
 */
function openFrom(day: string, step: 1 | -1, isClosed: IsClosed): string {
  let open = day
  for (let steps = 0; steps < LONGEST_CLOSURE && isClosed(open); steps++) open = addDays(open, step)
  return open
}

const RECURRENCES: { readonly [E in TimedCadence['every']]: Recurrence<Of<E>> } = {
  trading_day: {
    numberOn: dayNumber,
    dueDate(number, { expectedAt }, isClosed) {
      const day = dayText(number)
      return isClosed(day) ? null : { covers: day, dueAt: instant(day, expectedAt) }
    },
  },
  week: {
    numberOn: day => Math.floor((dayNumber(day) - FIRST_MONDAY) / 7),
    dueDate(number, { weekday, expectedAt }, isClosed) {
      const day = dayText(FIRST_MONDAY + 7 * number + weekday - 1)
      return { covers: openFrom(day, -1, isClosed), dueAt: instant(day, expectedAt) }
    },
  },
  month: {
    numberOn: monthOf,
    dueDate(number, { day, expectedAt }, isClosed) {
      const end = monthEnd(number)
      // The sources are company registers, which are not published on weekends.
      return { covers: openFrom(end, -1, isClosed), dueAt: instant(openFrom(addDays(end, day), 1, isClosed), expectedAt) }
    },
  },
  quarter: {
    numberOn: day => Math.floor(monthOf(day) / 3),
    dueDate(number, { deadlines, expectedAt }, isClosed) {
      const covers = monthEnd(3 * number + 2)
      return { covers, dueAt: instant(openFrom(deadlineOf(covers, deadlines), 1, isClosed), expectedAt) }
    },
  },
}

function deadlineOf(covers: string, deadlines: Deadlines): string {
  const deadline = deadlines[covers.slice(5, 7) as keyof Deadlines]
  const year = Number(covers.slice(0, 4))
  return `${deadline > covers.slice(5) ? year : year + 1}-${deadline}`
}

/** The due dates of a dataset, based on a trading calendar. */
export interface Schedule {
  /**
   * Returns the newest due date up to `now`. Null if the market was closed for longer than
   * `LONGEST_CLOSURE`.
   */
  dueBy(now: Date): DueDate | null
  /**
   * Returns the first due date after `now` that covers a day after `completeThrough`. Null if the
   * next 120 due dates or so cover no such day.
   */
  nextAfter(now: Date, completeThrough: string): DueDate | null
  /** Returns the due dates up to `now` that cover a day after `completeThrough`, newest first. */
  missing(now: Date, completeThrough: string): readonly DueDate[]
}

export function scheduleOf(cadence: TimedCadence, isClosed: IsClosed): Schedule {
  const { numberOn, dueDate } = RECURRENCES[cadence.every] as Recurrence<TimedCadence>
  function* backward(now: Date): Generator<DueDate> {
    for (let number = numberOn(taipeiDay(now)), idle = 0; idle < LONGEST_CLOSURE; number--) {
      const due = dueDate(number, cadence, isClosed)
      idle = due ? 0 : idle + 1
      if (due && due.dueAt <= now) yield due
    }
  }
  return {
    dueBy: now => backward(now).next().value ?? null,
    nextAfter(now, completeThrough) {
      const from = numberOn(taipeiDay(now)) - 2
      for (let number = from; number < from + 3 * LONGEST_CLOSURE; number++) {
        const due = dueDate(number, cadence, isClosed)
        if (due && due.dueAt > now && due.covers > completeThrough) return due
      }
      return null
    },
    missing(now, completeThrough) {
      const missing: DueDate[] = []
      for (const due of backward(now)) {
        if (due.covers <= completeThrough) break
        missing.push(due)
      }
      return missing
    },
  }
}
