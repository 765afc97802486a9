import { withoutZeros, writeEight, writeFour, writeWhole } from './digits.ts'
import { writeShortest } from './shortest.ts'
import type { Sink } from './sink.ts'

const MINUS = 45
const POINT = 46
const TEN_TO_8 = 100_000_000
/** Has no opposite in 32 bits. */
const LEAST = -2_147_483_648

/**
 * A signed 64-bit cell, given as its halves, as ASCII of up to 17 bytes; publication keeps integers within ±2^53.
 *
 * @returns where the next byte goes
 */
export function writeInteger(view: DataView, at: number, high: number, low: number): number {
  const isShort = high === low >> 31 && low !== LEAST
  const value = isShort ? low : wholeOf(high, low)
  const next = value < 0 ? writeMinus(view, at) : at
  if (isShort) return writeWhole(view, next, low < 0 ? -low : low)
  const size = Math.abs(value)
  const head = Math.floor(size / TEN_TO_8)
  return writeEight(view, writeWhole(view, next, head), size - head * TEN_TO_8)
}

/** A signed 64-bit cell from its halves, as 32-bit integers, to a number. */
export const wholeOf = (high: number, low: number): number => high * 4_294_967_296 + (low >>> 0)

function writeMinus(view: DataView, at: number): number {
  view.setUint8(at, MINUS)
  return at + 1
}

/** A DOUBLE the way `JSON.stringify` writes it, up to 26 bytes. @returns where the next byte goes */
export function writeDouble({ bytes, view }: Sink, at: number, value: number): number {
  const next = value < 0 ? writeMinus(view, at) : at
  const size = Math.abs(value)
  const scaled = Math.round(size * 10_000)
  // Prices and counts have four decimals or fewer; ratios mostly have 15 to 17 digits.
  if (scaled / 10_000 === size && scaled < 1e13) return writeTenThousandths(view, next, scaled)
  const end = writeShortest(view, next, size)
  return end < 0 ? at + bytes.write(String(value), at, 'latin1') : end
}

function writeTenThousandths(view: DataView, at: number, scaled: number): number {
  const whole = Math.floor(scaled / 10_000)
  const point = writeWhole(view, at, whole)
  const fraction = scaled - whole * 10_000
  if (fraction === 0) return point
  view.setUint8(point, POINT)
  return withoutZeros(view, writeFour(view, point + 1, fraction))
}
