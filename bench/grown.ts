import { type Child, startChild } from './child.ts'
import { folderOf, type Size, shuffled, tickersOf } from './data.ts'
import { openReader, type Reader } from './reader.ts'
import type { Served } from './server.ts'
import { type Line, quantile } from './table.ts'

/** Memory for rows, the same for both releases. */
const CACHE_BYTES = String(512 * 2 ** 20)
/** Consecutive reads of one release. */
const BLOCK = 20

/**
 * The newest 50 rows of a random ticker, from a release and from one with ten times as many
 * tickers: with cached rows, and from services without a cache.
 *
 * @param rounds reads of each
 */
export async function measureGrown(main: Size, rounds: number): Promise<readonly Line[]> {
  const hits = await inTurns(main, rounds, { CACHE_BYTES })
  const misses = await inTurns(main, rounds, { CACHE_BYTES: '0', ANSWER_BYTES: '0' })
  return [
    line('point read of ten times as many tickers, rows in memory, p50', hits, 0.5, 1.1),
    line('  p99', hits, 0.99),
    line('point read of ten times as many tickers, without cached rows, p50', misses, 0.5, 1.2),
    line('  p99', misses, 0.99),
  ]
}

interface Times {
  readonly grown: readonly number[]
  readonly main: readonly number[]
}

const line = (name: string, { grown, main }: Times, share: number, atMost?: number): Line => ({
  name,
  measured: quantile(grown, share),
  against: quantile(main, share),
  unit: 'ms',
  ...(atMost === undefined ? {} : { goal: { atMost } }),
})

/** Alternating blocks of reads of both releases. */
async function inTurns(main: Size, rounds: number, env: Readonly<Record<string, string>>): Promise<Times> {
  const servers = [startChild('server.ts'), startChild('server.ts')] as const
  try {
    const served = [await servedBy(servers[0], 'grown', env), await servedBy(servers[1], main, env)] as const
    // The service would close a connection that waits for the other one.
    const [grown, other] = [open(served[0], 'grown'), open(served[1], main)]
    const times = { grown: [] as number[], main: [] as number[] }
    for (let done = -BLOCK; done < rounds; done += BLOCK) {
      const taken = { grown: await block(grown, done + BLOCK), main: await block(other, done + BLOCK) }
      // The first block of each opens files and prepares statements.
      if (done < 0) continue
      times.grown.push(...taken.grown)
      times.main.push(...taken.main)
    }
    for (const { reader } of [grown, other]) reader.close()
    return times
  } finally {
    await Promise.all(servers.map(server => server.stop()))
  }
}

interface Opened {
  readonly reader: Reader
  readonly tickers: readonly string[]
}

async function servedBy(server: Child, size: Size, env: Readonly<Record<string, string>>): Promise<Served> {
  const served = await server.ask<Served>('start', folderOf(size), { env })
  await server.ask('rest')
  return served
}

const open = (served: Served, size: Size): Opened => ({ reader: openReader(served), tickers: shuffled(tickersOf(size)) })

async function block({ reader, tickers }: Opened, from: number): Promise<readonly number[]> {
  const times: number[] = []
  for (let index = from; index < from + BLOCK; index++) times.push((await reader.read(tickers[index % tickers.length]!)).ms)
  return times
}
