import { startChild } from './child.ts'
import { folderOf, type Size } from './data.ts'
import { type Line, median } from './table.ts'

const ROWS = 100_000

const OTHERS = [
  { format: 'json', name: 'JSON rows, encoder / row objects and stringify', goal: { atLeast: 4 } },
  { format: 'arrow', name: 'Arrow rows, encoder / row objects and apache-arrow’s builders', goal: { atLeast: 10 } },
] as const

/** Measures rows per second of the service and of libraries, in separate processes. */
export async function measureEncoder(size: Size, rounds: number): Promise<readonly Line[]> {
  const lines: Line[] = []
  for (const { format, name, goal } of OTHERS) {
    const [ours, theirs] = [startChild('encoder.ts'), startChild('encoder.ts')]
    try {
      for (const child of [ours, theirs]) await child.ask('open', folderOf(size))
      const [encoded, built]: [number[], number[]] = [[], []]
      for (let round = -WARM_UP; round < rounds; round++) {
        const mine = await ours.ask<number>('encode', [format, ROWS])
        const other = await theirs.ask<number>('others', [format, ROWS])
        if (round < 0) continue
        encoded.push(mine)
        built.push(other)
      }
      const rate = (times: readonly number[]): number => (ROWS / median(times)) * 1_000
      lines.push({ name, measured: rate(encoded), against: rate(built), unit: 'rows/s', goal })
    } finally {
      await Promise.all([ours.stop(), theirs.stop()])
    }
  }
  return lines
}

const WARM_UP = 3
