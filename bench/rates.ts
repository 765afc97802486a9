import { startChild } from './child.ts'
import { type Size, shuffled, tickersOf } from './data.ts'
import type { LoadOrder } from './load.ts'
import { pathFor } from './reader.ts'
import type { Served } from './server.ts'
import { type Line, median } from './table.ts'

export async function measureRates(
  size: Size,
  served: Served,
  bytes: number,
  [rounds, seconds]: readonly [number, number],
): Promise<readonly Line[]> {
  const [load, bare] = [startChild('load.ts'), startChild('bare.ts')]
  try {
    const url = await bare.ask<string>('start', bytes)
    const paths = shuffled(tickersOf(size)).map(pathFor)
    const run = (order: Pick<LoadOrder, 'url' | 'paths' | 'keys' | 'connections'>) => load.ask<number>('run', { ...order, seconds })
    const lines: Line[] = []
    for (const connections of [1, 10, 64]) {
      const [reads, floor]: [number[], number[]] = [[], []]
      for (let round = 0; round < rounds; round++) {
        reads.push(await run({ ...served, paths, connections }))
        floor.push(await run({ url, keys: [], paths: ['/'], connections }))
      }
      lines.push({
        name: `point reads / bare route, ${connections} ${connections > 1 ? 'connections' : 'connection'}`,
        measured: median(reads),
        against: median(floor),
        unit: 'req/s',
      })
    }
    return lines
  } finally {
    await Promise.all([load.stop(), bare.stop()])
  }
}
