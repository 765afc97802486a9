import { writeFour, writeTwo } from './digits.ts'

const [QUOTE, DASH] = [34, 45]

/**
 * A DATE cell as a JSON string of 12 bytes; publication keeps years within 1 and 9999. @returns where the next byte goes
 *
 * Years are counted from March, in cycles of 400 that begin in March of year 0, so that a leap day is the last of its year.
 */
export function writeDay(view: DataView, at: number, day: number): number {
  const since = (day + 719_468) | 0
  const cycle = (since / 146_097) | 0
  const inCycle = (since - cycle * 146_097) | 0
  const yearOf = ((inCycle - ((inCycle / 1_460) | 0) + ((inCycle / 36_524) | 0) - ((inCycle / 146_096) | 0)) / 365) | 0
  const inYear = (inCycle - (365 * yearOf + (yearOf >> 2) - ((yearOf / 100) | 0))) | 0
  const fromMarch = ((5 * inYear + 2) / 153) | 0
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
  view.setUint8(at, QUOTE)
  view.setUint8(writeFour(view, at + 1, cycle * 400 + yearOf + (month < 3 ? 1 : 0)), DASH)
  view.setUint8(writeTwo(view, at + 6, month), DASH)
  view.setUint8(writeTwo(view, at + 9, inYear - (((153 * fromMarch + 2) / 5) | 0) + 1), QUOTE)
  return at + 12
}
