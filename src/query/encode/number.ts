import type { Sink } from './sink.ts'

const ZERO = 48
const MINUS = 45
const POINT = 46

/** A whole number as ASCII; the sink has room for 21 bytes. */
export function writeInteger(sink: Sink, value: number): void {
  let rest = value
  if (rest < 0) {
    sink.bytes[sink.at++] = MINUS
    rest = -rest
  }
  if (rest >= 2_147_483_648) {
    sink.at += sink.bytes.write(String(rest), sink.at, 'latin1')
    return
  }
  writeDigits(sink, rest | 0)
}

function writeDigits(sink: Sink, value: number): void {
  const { bytes } = sink
  let rest = value
  let digits = 1
  for (let ten = 10; digits < 10 && rest >= ten; ten *= 10) digits++
  for (let at = sink.at + digits - 1; at >= sink.at; at--) {
    const shorter = (rest / 10) | 0
    bytes[at] = ZERO + rest - shorter * 10
    rest = shorter
  }
  sink.at += digits
}

/** A DOUBLE the way `JSON.stringify` writes it; the sink has room for 26 bytes. */
export function writeDouble(sink: Sink, value: number): void {
  const scaled = Math.round(value * 10_000)
  // Prices and ratios mostly have four decimals or fewer; those are written digit by digit, the rest by the engine.
  if (scaled / 10_000 !== value || scaled >= 1e13 || scaled <= -1e13 || Object.is(value, -0)) {
    sink.at += sink.bytes.write(String(value), sink.at, 'latin1')
    return
  }
  const whole = Math.trunc(scaled / 10_000)
  if (scaled < 0 && whole === 0) sink.bytes[sink.at++] = MINUS
  writeInteger(sink, whole)
  writeFraction(sink, Math.abs(scaled - whole * 10_000))
}

/** Ten-thousandths, without trailing zeros. */
function writeFraction(sink: Sink, fraction: number): void {
  if (fraction === 0) return
  const { bytes } = sink
  bytes[sink.at++] = POINT
  for (let unit = 1_000, rest = fraction; rest > 0; unit /= 10) {
    const digit = (rest / unit) | 0
    bytes[sink.at++] = ZERO + digit
    rest -= digit * unit
  }
}

/** A signed 64-bit cell as a number; exact, because publication keeps integers within ±2^53. */
export const wholeOf = (high: number, low: number): number => high * 4_294_967_296 + low
