import type { Cadence, Deadlines } from '../../catalog/index.ts'
import { addDays, DAY_MS, dayText, taipeiDay } from '../core/index.ts'
import type { IsClosed } from './calendar.ts'

/** Data up to and including the day `covers` must be published at `dueAt`. */
export interface DueDate {
  readonly covers: string
  readonly dueAt: Date
}

export type TimedCadence = Exclude<Cadence, { readonly every: 'on_change' }>
type Of<E> = Extract<TimedCadence, { readonly every: E }>

type Recurrence<C> = {
  /** Returns an upper bound for the numbers of due dates on or before a day. */
  readonly numberOn: (day: string) => number
  /** Null if nothing is due, for example on a holiday. */
  readonly dueDate: (number: number, cadence: C, isClosed: IsClosed) => DueDate | null
}

/** In days. Longer than the market was ever closed. */
const LONGEST_CLOSURE = 40
const FIRST_MONDAY = 4

const dayNumber = (day: string): number => Date.parse(day) / DAY_MS
const instant = (day: string, time: string): Date => new Date(`${day}T${time}:00+08:00`)
/** @param month the number of months since January of year 0 */
const monthEnd = (month: number): string => new Date(Date.UTC(Math.floor(month / 12), (month % 12) + 1, 0)).toISOString().slice(0, 10)
const monthOf = (day: string): number => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1

/**
 * Returns the nearest open day.
 * @param step 1 to search forward, -1 to search backward
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
      // Company registers are not published on weekends, so the data is due on the next open day.
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

export interface Schedule {
  /** Newest due date up to `now`. Null if the market was closed for longer than 40 days. */
  dueBy(now: Date): DueDate | null
  /** First due date after `now` for data after `completeThrough`. Null if there is none soon. */
  nextAfter(now: Date, completeThrough: string): DueDate | null
  /** Due dates up to `now` for data after `completeThrough`, newest first. */
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
