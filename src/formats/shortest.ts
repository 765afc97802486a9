import { endianness } from 'node:os'
import { withoutZeros, writeEight } from './digits.ts'

const ZERO = 48
const POINT = 46
const TEN_TO_8 = 100_000_000

/** Below 10^-6 `String` writes an exponent; from 10^15 on, numbers are too rare to be worth the care. */
const [LEAST_TEN, BEYOND_TEN] = [-6, 15]
const [LEAST, BEYOND] = [1e-6, 1e15]

/** 10^-6 to 10^15, each the double nearest to it. */
const POWERS = Float64Array.from({ length: BEYOND_TEN - LEAST_TEN + 1 }, (_, index) => Number(`1e${index + LEAST_TEN}`))
/** Exact powers, 10^0 to 10^22, and the two halves of 26 bits each. */
const EXACT = Float64Array.from({ length: 23 }, (_, power) => Number(`1e${power}`))
const upperHalf = (value: number): number => {
  const spread = 134_217_729 * value
  return spread - (spread - value)
}
const UPPER = EXACT.map(upperHalf)
const LOWER = EXACT.map((power, index) => power - UPPER[index]!)
/** Half the distance to the next double, by the binary exponent: 2^-20 to 2^49 cover what is written here. */
const LEAST_TWO = -20
const HALF_STEP = Float64Array.from({ length: 70 }, (_, index) => 2 ** (index + LEAST_TWO - 53))

/** How far from a decision the sums may have been rounded; by far less. What is closer is left to the engine. */
const SLACK = 1e-6

const double = new Float64Array(1)
const words = new Uint32Array(double.buffer)
const HIGH_WORD = endianness() === 'LE' ? 1 : 0

/**
 * A positive double as `String` writes it: the fewest digits that are read back as the same double, the nearest of those. Takes up to
 * 25 bytes.
 *
 * Scaled by an exact power of ten to 17 digits, as the unrounded sum of two doubles, it is compared with the nearest number that has
 * 15 digits, then 16; each will do when it is nearer than half the distance to the next double. Numbers of 15 digits are further
 * apart than doubles, so there is only one to try, and 17 digits always suffice. Below a power of two doubles lie closer than above
 * it; the seventy powers in range come out right all the same.
 *
 * @returns where the next byte goes, or -1 for a number this cannot tell: out of range, or too close to call
 */
export function writeShortest(view: DataView, at: number, value: number): number {
  if (!(value >= LEAST && value < BEYOND)) return -1
  const two = twoOf(value)
  const ten = tenOf(two, value)
  const scale = 16 - ten
  const product = value * EXACT[scale]!
  const error = errorOf(product, value, scale)
  const near = Math.round(error)
  let high = Math.floor(product / TEN_TO_8)
  let low = product - high * TEN_TO_8 + near
  if (low < 0 || low >= TEN_TO_8) {
    high += Math.sign(low)
    low -= Math.sign(low) * TEN_TO_8
  }
  const short = shortened(low | 0, error - near, HALF_STEP[two - LEAST_TWO]! * EXACT[scale]!)
  if (short < 0) return -1
  return short < TEN_TO_8 ? place(view, at, ten, high, short) : place(view, at, ten, high + 1, 0)
}

/** The binary exponent of a positive double. */
function twoOf(value: number): number {
  double[0] = value
  return (words[HIGH_WORD]! >>> 20) - 1_023
}

/** The decimal exponent: 1233 / 4096 is near enough to log10(2) for one step to correct it. */
function tenOf(two: number, value: number): number {
  const least = (two * 1_233) >> 12
  return value >= POWERS[least + 1 - LEAST_TEN]! ? least + 1 : least
}

/** What rounding took from `value` times a power of ten: exact, after Dekker. */
function errorOf(product: number, value: number, scale: number): number {
  const upper = upperHalf(value)
  const lower = value - upper
  return upper * UPPER[scale]! - product + upper * LOWER[scale]! + lower * UPPER[scale]! + lower * LOWER[scale]!
}

/**
 * The last eight of 17 digits, with as few of them as still name the double; 10^8 where that rounds up.
 *
 * @param rest what the exact number has beyond `low`, at most a half
 * @param reach half the distance to the next double, on the same scale
 */
function shortened(low: number, rest: number, reach: number): number {
  const fifteen = nearest(low, low % 100, rest, 100)
  const far = Math.abs(fifteen - low - rest)
  if (far < reach + SLACK) return far < reach - SLACK ? fifteen : -1
  const sixteen = nearest(low, low % 10, rest, 10)
  const off = Math.abs(sixteen - low - rest)
  if (off < reach + SLACK) return off < Math.min(reach, 5) - SLACK ? sixteen : -1
  return Math.abs(rest) < 0.5 - SLACK ? low : -1
}

/** The multiple of `unit` nearest to `low + rest`, of which `over` is too much for one. */
const nearest = (low: number, over: number, rest: number, unit: number): number => low - over + (over + rest > unit / 2 ? unit : 0)

/** Writes 17 digits, `high` the first nine, with the point where it belongs and without zeros at the end. */
function place(view: DataView, at: number, ten: number, high: number, low: number): number {
  const first = ten < 0 ? writeZeros(view, at, -ten) : at + 1
  const leading = (high / TEN_TO_8) | 0
  view.setUint8(first, ZERO + leading)
  const end = writeEight(view, writeEight(view, first + 1, high - leading * TEN_TO_8), low)
  if (ten >= 0) {
    for (let index = at; index <= at + ten; index++) view.setUint8(index, view.getUint8(index + 1))
    view.setUint8(at + ten + 1, POINT)
  }
  return withoutZeros(view, end)
}

/** That many zeros, a point behind the first. @returns where the next byte goes */
function writeZeros(view: DataView, at: number, zeros: number): number {
  for (let index = 0; index <= zeros; index++) view.setUint8(at + index, index === 1 ? POINT : ZERO)
  return at + zeros + 1
}
