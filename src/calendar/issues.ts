import type { Cadence, Deadlines } from '../../catalog/index.ts'
import { addDays, DAY_MS, taipeiDay } from '../core/index.ts'
import type { IsClosed } from './calendar.ts'

/** One thing that was or will be due: data up to and including the day it covers, at a moment. */
export interface Issue {
  readonly covers: string
  readonly at: Date
}

/** Cadences that have dates. */
export type Timed = Exclude<Cadence, { readonly every: 'on_change' }>
type Of<E> = Extract<Timed, { readonly every: E }>

/** Issues are counted, so that the one before and after follow from a number; a number without one, such as a holiday's, is null. */
type Rhythm<C> = {
  /** Number of the newest issue that may be out on a day. */
  readonly numberOn: (day: string) => number
  readonly issue: (number: number, cadence: C, closed: IsClosed) => Issue | null
}

/** No market was ever closed for longer than this many days, nor is looked at beyond. */
const LONGEST_CLOSURE = 40
/** Monday of the first whole week since 1970, as a day number. */
const FIRST_MONDAY = 4

const dayNumber = (day: string): number => Date.parse(day) / DAY_MS
const dayOf = (number: number): string => new Date(number * DAY_MS).toISOString().slice(0, 10)
const instant = (day: string, time: string): Date => new Date(`${day}T${time}:00+08:00`)
/** Last day of a month counted from January of the year 0. */
const monthEnd = (month: number): string => new Date(Date.UTC(Math.floor(month / 12), (month % 12) + 1, 0)).toISOString().slice(0, 10)
const monthOf = (day: string): number => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1

/** That day, or the nearest on which the market is open, later (1) or earlier (-1). */
function openFrom(day: string, step: 1 | -1, closed: IsClosed): string {
  let open = day
  for (let tried = 0; tried < LONGEST_CLOSURE && closed(open); tried++) open = addDays(open, step)
  return open
}

const RHYTHMS: { readonly [E in Timed['every']]: Rhythm<Of<E>> } = {
  trading_day: {
    numberOn: dayNumber,
    issue(number, { expectedAt }, closed) {
      const day = dayOf(number)
      return closed(day) ? null : { covers: day, at: instant(day, expectedAt) }
    },
  },
  week: {
    numberOn: day => Math.floor((dayNumber(day) - FIRST_MONDAY) / 7),
    issue(number, { weekday, expectedAt }, closed) {
      const day = dayOf(FIRST_MONDAY + 7 * number + weekday - 1)
      return { covers: openFrom(day, -1, closed), at: instant(day, expectedAt) }
    },
  },
  month: {
    numberOn: monthOf,
    issue(number, { day, expectedAt }, closed) {
      const end = monthEnd(number)
      // Nobody prints a register on a weekend.
      return { covers: openFrom(end, -1, closed), at: instant(openFrom(addDays(end, day), 1, closed), expectedAt) }
    },
  },
  quarter: {
    numberOn: day => Math.floor(monthOf(day) / 3),
    issue(number, { deadlines, expectedAt }, closed) {
      const covers = monthEnd(3 * number + 2)
      return { covers, at: instant(openFrom(deadlineOf(covers, deadlines), 1, closed), expectedAt) }
    },
  },
}

function deadlineOf(covers: string, deadlines: Deadlines): string {
  const due = deadlines[covers.slice(5, 7) as keyof Deadlines]
  const year = Number(covers.slice(0, 4))
  return `${due > covers.slice(5) ? year : year + 1}-${due}`
}

/** How to step through what a cadence promises. */
export interface Issues {
  /** The newest issue due by that moment; null where the market has been closed beyond all reason. */
  dueBy(now: Date): Issue | null
  /** The first issue not yet due that covers a day after `held`; null where none comes soon. */
  nextAfter(now: Date, held: string): Issue | null
  /** Issues due by that moment that cover a day after `held`, newest first. */
  missing(now: Date, held: string): readonly Issue[]
}

export function issuesOf(cadence: Timed, closed: IsClosed): Issues {
  const { numberOn, issue } = RHYTHMS[cadence.every] as Rhythm<Timed>
  function* backward(now: Date): Generator<Issue> {
    for (let number = numberOn(taipeiDay(now)), idle = 0; idle < LONGEST_CLOSURE; number--) {
      const found = issue(number, cadence, closed)
      idle = found ? 0 : idle + 1
      if (found && found.at <= now) yield found
    }
  }
  return {
    dueBy: now => backward(now).next().value ?? null,
    nextAfter(now, held) {
      const from = numberOn(taipeiDay(now)) - 2
      for (let number = from; number < from + 3 * LONGEST_CLOSURE; number++) {
        const found = issue(number, cadence, closed)
        if (found && found.at > now && found.covers > held) return found
      }
      return null
    },
    missing(now, held) {
      const found: Issue[] = []
      for (const due of backward(now)) {
        if (due.covers <= held) break
        found.push(due)
      }
      return found
    },
  }
}
