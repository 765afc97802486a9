import { withoutZeros, writeEight, writeFour, writeWhole } from './digits.ts'
import { writeShortest } from './shortest.ts'
import type { Sink } from './sink.ts'

const MINUS = 45
const POINT = 46
const TEN_TO_8 = 100_000_000

/** A whole number within ±2^53 as ASCII, up to 17 bytes. @returns where the next byte goes */
export function writeInteger(view: DataView, at: number, value: number): number {
  let next = at
  if (value < 0) view.setUint8(next++, MINUS)
  const size = Math.abs(value)
  if (size < 2_147_483_648) return writeWhole(view, next, size)
  const high = Math.floor(size / TEN_TO_8)
  return writeEight(view, writeWhole(view, next, high), size - high * TEN_TO_8)
}

/** A DOUBLE the way `JSON.stringify` writes it, up to 26 bytes. @returns where the next byte goes */
export function writeDouble({ bytes, view }: Sink, at: number, value: number): number {
  let next = at
  if (value < 0) view.setUint8(next++, MINUS)
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

/** A signed 64-bit cell as a number; exact, because publication keeps integers within ±2^53. */
export const wholeOf = (high: number, low: number): number => high * 4_294_967_296 + low
