import { describe, expect, it } from 'vitest'
import { random } from '../../ingest/samples/random.ts'
import { writeDouble, writeInteger } from '../../src/formats/number.ts'
import { createSink, written } from '../../src/formats/sink.ts'

const ROUNDS = 250_000

const double = new Float64Array(1)
const bits = new BigInt64Array(double.buffer)

const fromBits = (made: bigint): number => {
  bits[0] = made
  return double[0]!
}

/** The double so many steps further from zero. */
function beside(number: number, steps: number): number {
  double[0] = number
  return fromBits(bits[0]! + BigInt(steps))
}

const sink = createSink(64)

function text(write: () => number): string {
  sink.at = write()
  return String(written(sink)[0])
}

/** The first of the numbers that is not written as `String` writes it, with either sign; and what was written. */
function firstWrong(made: Iterable<number>): unknown {
  for (const number of made) {
    for (const signed of [number, -number]) {
      const found = text(() => writeDouble(sink, 0, signed))
      if (found !== String(signed)) return { signed, found }
    }
  }
  return undefined
}

function* many(make: (next: () => number) => number): Iterable<number> {
  const next = random('1')
  for (let round = 0; round < ROUNDS; round++) yield make(next)
}

function* neighbours(of: readonly number[], within: number): Iterable<number> {
  for (const number of of) for (let steps = -within; steps <= within; steps++) yield beside(number, steps)
}

const whole = (below: number): number => Math.floor(below)

describe('a double is written as JSON.stringify writes it', () => {
  it.each<[string, () => Iterable<number>]>([
    ['quotients of whole numbers', () => many(next => whole(next() * 8e6 - 4e6) / (1 + whole(next() * 4e7)))],
    ['sums of decimals', () => many(next => whole(next() * 1e4) / 1e2 + whole(next() * 1e5) / 1e3)],
    ['decimals of up to 17 digits', () => many(next => whole(next() * 10 ** whole(next() * 17)) / 10 ** whole(next() * 23))],
    [
      'any bits between a millionth and a thousand million million',
      () => many(next => fromBits((BigInt(1_001 + whole(next() * 74)) << 52n) | BigInt(whole(next() * 2 ** 52)))),
    ],
    ['any bits at all', () => many(next => beside(fromBits((BigInt(whole(next() * 2_047)) << 52n) | BigInt(whole(next() * 2 ** 52))), 0))],
    [
      'neighbours of powers of two',
      () =>
        neighbours(
          Array.from({ length: 160 }, (_, index) => 2 ** (index - 80)),
          300,
        ),
    ],
    [
      'neighbours of powers of ten',
      () =>
        neighbours(
          Array.from({ length: 50 }, (_, index) => Number(`1e${index - 25}`)),
          1_000,
        ),
    ],
    [
      'neighbours of halves beyond 2^49',
      () =>
        neighbours(
          Array.from({ length: 100 }, (_, index) => 2 ** 49 + index / 2),
          8,
        ),
    ],
    ['whole numbers', () => many(next => whole(next() * 2 ** 53))],
    ['the smallest there are', () => Array.from({ length: 1_000 }, (_, index) => fromBits(BigInt(index + 1)))],
    ['where the exponent begins to be written', () => neighbours([1e21, 1e-6, 1e-7], 1_000)],
  ])('%s', (_, make) => {
    expect(firstWrong(make())).toBeUndefined()
  })

  it('zero has no sign', () => {
    expect(firstWrong([0])).toBeUndefined()
  })
})

it('writes whole numbers of every length', () => {
  for (let ten = 1; ten < 2 ** 53; ten *= 10) {
    for (const number of [ten - 1, ten, ten + 1, -ten, 1 - ten, 7 * ten]) {
      if (!Number.isSafeInteger(number)) continue
      const low = number >>> 0
      expect(text(() => writeInteger(sink.view, 0, (number - low) / 2 ** 32, low | 0))).toBe(JSON.stringify(number))
    }
  }
})
