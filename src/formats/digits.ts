const ZERO = 48
const POINT = 46

/** `0000` to `9999`, each as one little-endian word. */
const QUADS = Int32Array.from({ length: 10_000 }, (_, value) => Buffer.from(String(value).padStart(4, '0')).readInt32LE())

/** Digits of a whole number from 0 to 2^31 - 1; up to three bytes behind them are overwritten. @returns where the next byte goes */
export function writeWhole(view: DataView, at: number, value: number): number {
  const whole = value | 0
  if (whole < 10_000) return writeShort(view, at, whole)
  const high = (whole / 10_000) | 0
  const low = (whole - high * 10_000) | 0
  if (high < 10_000) return writeFour(view, writeShort(view, at, high), low)
  const top = (high / 10_000) | 0
  return writeFour(view, writeFour(view, writeShort(view, at, top), (high - top * 10_000) | 0), low)
}

/** A whole number below 10^4, without zeros in front. */
function writeShort(view: DataView, at: number, value: number): number {
  const digits = value < 100 ? (value < 10 ? 1 : 2) : value < 1_000 ? 3 : 4
  view.setInt32(at, QUADS[value]! >> (8 * (4 - digits)), true)
  return at + digits
}

/** Eight digits, zeros in front, of a whole number below 10^8. @returns where the next byte goes */
export function writeEight(view: DataView, at: number, value: number): number {
  const whole = value | 0
  const high = (whole / 10_000) | 0
  return writeFour(view, writeFour(view, at, high), (whole - high * 10_000) | 0)
}

/** Four digits, zeros in front, of a whole number below 10^4. @returns where the next byte goes */
export function writeFour(view: DataView, at: number, value: number): number {
  view.setInt32(at, QUADS[value]!, true)
  return at + 4
}

/** Two digits, zeros in front, of a whole number below 100; two bytes behind them are overwritten. @returns where the next byte goes */
export function writeTwo(view: DataView, at: number, value: number): number {
  view.setInt32(at, QUADS[value]! >> 16, true)
  return at + 2
}

/** Where a number with a point stops once the zeros that end it are left out, and the point with them where nothing follows it. */
export function withoutZeros(view: DataView, end: number): number {
  let last = end - 1
  while (view.getUint8(last) === ZERO) last--
  return view.getUint8(last) === POINT ? last : last + 1
}
