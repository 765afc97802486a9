import { endianness } from 'node:os'
import type { Sink } from './sink.ts'

const [MINUS, POINT, ZERO] = [45, 46, 48]
const TEN_TO_8 = 100_000_000
/** The negative of this number does not fit into 32 bits. */
const LEAST_INT32 = -2_147_483_648

/**
 * Writes up to 17 bytes. Integers are within ±2^53. Publications reject larger integers.
 *
 * @returns offset of the next byte
 */
export function writeInteger(view: DataView, offset: number, high: number, low: number): number {
  const isShort = high === low >> 31 && low !== LEAST_INT32
  const value = isShort ? low : combineHalves(high, low)
  const next = value < 0 ? writeMinus(view, offset) : offset
  if (isShort) return writeWhole(view, next, low < 0 ? -low : low)
  const size = Math.abs(value)
  const head = Math.floor(size / TEN_TO_8)
  return writeEight(view, writeWhole(view, next, head), size - head * TEN_TO_8)
}

export const combineHalves = (high: number, low: number): number => high * 4_294_967_296 + (low >>> 0)

function writeMinus(view: DataView, offset: number): number {
  view.setUint8(offset, MINUS)
  return offset + 1
}

/**
 * Writes up to 26 bytes, as `JSON.stringify` does.
 * @returns offset of the next byte
 */
export function writeDouble({ bytes, view }: Sink, offset: number, value: number): number {
  const next = value < 0 ? writeMinus(view, offset) : offset
  const size = Math.abs(value)
  const scaled = Math.round(size * 10_000)
  // Faster code for prices and counts, which have at most four decimals.
  if (scaled / 10_000 === size && scaled < 1e13) return writeTenThousandths(view, next, scaled)
  const end = writeShortest(view, next, size)
  return end < 0 ? offset + bytes.write(String(value), offset, 'latin1') : end
}

function writeTenThousandths(view: DataView, offset: number, scaled: number): number {
  const whole = Math.floor(scaled / 10_000)
  const point = writeWhole(view, offset, whole)
  const fraction = scaled - whole * 10_000
  if (fraction === 0) return point
  view.setUint8(point, POINT)
  return withoutZeros(view, writeFour(view, point + 1, fraction))
}

/**
 * Range of the fast code. `String` uses an exponent for smaller numbers. Larger numbers are rare.
 */
const LEAST_TEN = -6
const BEYOND_TEN = 15
const LEAST = 1e-6
const BEYOND = 1e15

const POWERS = Float64Array.from({ length: BEYOND_TEN - LEAST_TEN + 1 }, (_, index) => Number(`1e${index + LEAST_TEN}`))
/** Powers of ten that a double represents exactly. `UPPER` and `LOWER` contain their halves. */
const EXACT = Float64Array.from({ length: 23 }, (_, power) => Number(`1e${power}`))
const upperHalf = (value: number): number => {
  const spread = 134_217_729 * value
  return spread - (spread - value)
}
const UPPER = EXACT.map(upperHalf)
const LOWER = EXACT.map((power, index) => power - UPPER[index]!)
/** Half the distance to the next double, per exponent. */
const LEAST_TWO = -20
const HALF_STEP = Float64Array.from({ length: 70 }, (_, index) => 2 ** (index + LEAST_TWO - 53))

/** Upper bound of rounding errors. If a difference is smaller, `String` is called instead. */
const SLACK = 1e-6

const double = new Float64Array(1)
const words = new Uint32Array(double.buffer)
const HIGH_WORD = endianness() === 'LE' ? 1 : 0

/**
 * Writes the shortest number that parses to the same double, in up to 25 bytes. Scales the value to
 * 17 digits without rounding errors, as a sum of two doubles. Then tries 15 and 16 digits. A
 * candidate is correct within half the distance to the next double.
 *
 * @returns offset of the next byte, or -1 if `String` must be called instead
 */
function writeShortest(view: DataView, offset: number, value: number): number {
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
  return short < TEN_TO_8 ? writeDigits(view, offset, ten, high, short) : writeDigits(view, offset, ten, high + 1, 0)
}

function twoOf(value: number): number {
  double[0] = value
  return (words[HIGH_WORD]! >>> 20) - 1_023
}

/** 1233 / 4096 approximates log10(2). */
function tenOf(two: number, value: number): number {
  const least = (two * 1_233) >> 12
  return value >= POWERS[least + 1 - LEAST_TEN]! ? least + 1 : least
}

/** Exact rounding error of a product, by Dekker's algorithm. */
function errorOf(product: number, value: number, scale: number): number {
  const upper = upperHalf(value)
  const lower = value - upper
  return upper * UPPER[scale]! - product + upper * LOWER[scale]! + lower * UPPER[scale]! + lower * LOWER[scale]!
}

/**
 * Shortens the last eight of 17 digits. Returns -1 if a rounding error could matter. Returns 10^8
 * if the digits are rounded up to 10^8.
 *
 * @param rest the exact value minus `low`, at most 0.5
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

/** @param remainder `low` modulo `unit` */
const nearest = (low: number, remainder: number, rest: number, unit: number): number =>
  low - remainder + (remainder + rest > unit / 2 ? unit : 0)

/** `high` contains the first nine digits, `low` the last eight. Omits trailing zeros. */
function writeDigits(view: DataView, offset: number, ten: number, high: number, low: number): number {
  const first = ten < 0 ? writeZeros(view, offset, -ten) : offset + 1
  const leading = (high / TEN_TO_8) | 0
  view.setUint8(first, ZERO + leading)
  const end = writeEight(view, writeEight(view, first + 1, high - leading * TEN_TO_8), low)
  if (ten >= 0) {
    for (let index = offset; index <= offset + ten; index++) view.setUint8(index, view.getUint8(index + 1))
    view.setUint8(offset + ten + 1, POINT)
  }
  return withoutZeros(view, end)
}

function writeZeros(view: DataView, offset: number, zeros: number): number {
  for (let index = 0; index <= zeros; index++) view.setUint8(offset + index, index === 1 ? POINT : ZERO)
  return offset + zeros + 1
}

/** Texts from `0000` to `9999`, each as one little-endian word. */
const QUADS = Int32Array.from({ length: 10_000 }, (_, value) => Buffer.from(String(value).padStart(4, '0')).readInt32LE())

/**
 * Writes an integer up to 2^31 - 1. Overwrites up to three more bytes.
 *
 * @returns offset of the next byte
 */
function writeWhole(view: DataView, offset: number, value: number): number {
  const whole = value | 0
  if (whole < 10_000) return writeShort(view, offset, whole)
  const high = (whole / 10_000) | 0
  const low = (whole - high * 10_000) | 0
  if (high < 10_000) return writeFour(view, writeShort(view, offset, high), low)
  const top = (high / 10_000) | 0
  return writeFour(view, writeFour(view, writeShort(view, offset, top), (high - top * 10_000) | 0), low)
}

function writeShort(view: DataView, offset: number, value: number): number {
  const digits = value < 100 ? (value < 10 ? 1 : 2) : value < 1_000 ? 3 : 4
  view.setInt32(offset, QUADS[value]! >> (8 * (4 - digits)), true)
  return offset + digits
}

/** Writes an integer below 10^8 as eight digits. */
function writeEight(view: DataView, offset: number, value: number): number {
  const whole = value | 0
  const high = (whole / 10_000) | 0
  return writeFour(view, writeFour(view, offset, high), (whole - high * 10_000) | 0)
}

/** Writes an integer below 10^4 as four digits. */
export function writeFour(view: DataView, offset: number, value: number): number {
  view.setInt32(offset, QUADS[value]!, true)
  return offset + 4
}

/**
 * Writes two digits. Overwrites two more bytes.
 * @returns offset of the next byte
 */
export function writeTwo(view: DataView, offset: number, value: number): number {
  view.setInt32(offset, QUADS[value]! >> 16, true)
  return offset + 2
}

/** @returns offset of the next byte */
function withoutZeros(view: DataView, end: number): number {
  let last = end - 1
  while (view.getUint8(last) === ZERO) last--
  return view.getUint8(last) === POINT ? last : last + 1
}
