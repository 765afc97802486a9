import { random } from '../../ingest/samples/random.ts'
import { writeDouble } from '../../src/formats/number.ts'
import { createSink, written } from '../../src/formats/sink.ts'

const double = new Float64Array(1)
const bits = new BigInt64Array(double.buffer)

const fromBits = (made: bigint): number => {
  bits[0] = made
  return double[0]!
}

/** The double that is this many representable doubles further from zero. */
function neighbour(number: number, steps: number): number {
  double[0] = number
  return fromBits(bits[0]! + BigInt(steps))
}

const sink = createSink(64)

/** The text that a writer writes into a buffer of 64 bytes. */
export function writtenBy(write: (into: typeof sink) => number): string {
  sink.offset = write(sink)
  return String(written(sink)[0])
}

/**
 * The first number, with either sign, for which the writer's text differs from `String`, and that
 * text.
 */
export function firstWrong(made: Iterable<number>): unknown {
  for (const number of made) {
    for (const signed of [number, -number]) {
      const found = writtenBy(into => writeDouble(into, 0, signed))
      if (found !== String(signed)) return { signed, found }
    }
  }
  return undefined
}

function* many(rounds: number, make: (next: () => number) => number): Iterable<number> {
  const next = random('1')
  for (let round = 0; round < rounds; round++) yield make(next)
}

function* neighbours(numbers: readonly number[], within: number): Iterable<number> {
  for (const number of numbers) for (let steps = -within; steps <= within; steps++) yield neighbour(number, steps)
}

const whole = (below: number): number => Math.floor(below)

/** Kinds of doubles that are difficult to write. Each random kind has `rounds` numbers. */
export function doubles(rounds: number): readonly (readonly [kind: string, make: () => Iterable<number>])[] {
  const near = (steps: number): number => Math.min(steps, rounds >> 6)
  return [
    ['quotients of whole numbers', () => many(rounds, next => whole(next() * 8e6 - 4e6) / (1 + whole(next() * 4e7)))],
    ['sums of decimals', () => many(rounds, next => whole(next() * 1e4) / 1e2 + whole(next() * 1e5) / 1e3)],
    ['decimals of up to 17 digits', () => many(rounds, next => whole(next() * 10 ** whole(next() * 17)) / 10 ** whole(next() * 23))],
    [
      'random bits between 1e-6 and 1e15',
      () => many(rounds, next => fromBits((BigInt(1_001 + whole(next() * 74)) << 52n) | BigInt(whole(next() * 2 ** 52)))),
    ],
    [
      'random bits',
      () => many(rounds, next => neighbour(fromBits((BigInt(whole(next() * 2_047)) << 52n) | BigInt(whole(next() * 2 ** 52))), 0)),
    ],
    [
      'neighbours of powers of two',
      () =>
        neighbours(
          Array.from({ length: 160 }, (_, index) => 2 ** (index - 80)),
          near(300),
        ),
    ],
    [
      'neighbours of powers of ten',
      () =>
        neighbours(
          Array.from({ length: 50 }, (_, index) => Number(`1e${index - 25}`)),
          near(1_000),
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
    ['whole numbers', () => many(rounds, next => whole(next() * 2 ** 53))],
    ['the smallest doubles', () => Array.from({ length: 1_000 }, (_, index) => fromBits(BigInt(index + 1)))],
    ['neighbours of 1e21, 1e-6 and 1e-7', () => neighbours([1e21, 1e-6, 1e-7], near(1_000))],
  ]
}

/** The first wrong number of each kind of double, by kind. */
export const wrongDoubles = (rounds: number): readonly unknown[] =>
  doubles(rounds).flatMap(([kind, make]) => {
    const wrong = firstWrong(make())
    return wrong === undefined ? [] : [[kind, wrong]]
  })
