import { startChild } from './child.ts'
import { folderOf, type Size } from './data.ts'
import { type Line, median } from './table.ts'

const ROWS = 100_000

/** Rows a second of the JSON encoder against row objects and `JSON.stringify`, in turn, each in a process of its own: neither collects the other's garbage. */
export async function measureEncoder(size: Size, rounds: number): Promise<Line> {
  const [ours, theirs] = [startChild('encoder.ts'), startChild('encoder.ts')]
  try {
    for (const child of [ours, theirs]) await child.ask('open', folderOf(size))
    const [encoded, stringified]: [number[], number[]] = [[], []]
    for (let round = -WARM_UP; round < rounds; round++) {
      const [mine, plain] = [await ours.ask<number>('encode', ROWS), await theirs.ask<number>('stringify', ROWS)]
      if (round < 0) continue
      encoded.push(mine)
      stringified.push(plain)
    }
    const rate = (times: readonly number[]): number => (ROWS / median(times)) * 1_000
    const name = 'JSON rows, encoder / row objects and stringify'
    return { name, measured: rate(encoded), against: rate(stringified), unit: 'rows/s', goal: { atLeast: 4 } }
  } finally {
    await Promise.all([ours.stop(), theirs.stop()])
  }
}

/** Rounds until the code is compiled. */
const WARM_UP = 3
