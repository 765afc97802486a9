import { type Child, startChild } from './child.ts'
import { folderOf, type Size, shuffled, tickersOf } from './data.ts'
import { openReader, type Reader } from './reader.ts'
import type { Served } from './server.ts'
import { type Line, quantile } from './table.ts'

const CACHE_BYTES = String(512 * 2 ** 20)
const BLOCK = 20

/**
 * Reads the newest 50 rows of a ticker, from a small and a large release.
 *
 * @param rounds number of reads from each release
 */
export async function measureGrown(main: Size, rounds: number): Promise<readonly Line[]> {
  const releases = [releaseOf('grown'), releaseOf(main)] as const
  const hits = await inTurns(releases, rounds, { CACHE_BYTES })
  const misses = await inTurns(releases, rounds, { CACHE_BYTES: '0', ANSWER_BYTES: '0' })
  return [
    line('point read of ten times as many tickers, rows in memory, p50', hits, 0.5, 1.1),
    line('  p99', hits, 0.99),
    line('point read of ten times as many tickers, without cached rows, p50', misses, 0.5, 1.2),
    line('  p99', misses, 0.99),
  ]
}

export interface Folder {
  readonly folder: string
  readonly tickers: readonly string[]
}

const releaseOf = (size: Size): Folder => ({ folder: folderOf(size), tickers: tickersOf(size) })

export type Times = readonly [measured: readonly number[], against: readonly number[]]

export const line = (name: string, [measured, against]: Times, share: number, atMost?: number): Line => ({
  name,
  measured: quantile(measured, share),
  against: quantile(against, share),
  unit: 'ms',
  ...(atMost === undefined ? {} : { goal: { atMost } }),
})

export async function inTurns(folders: readonly [Folder, Folder], rounds: number, env: Readonly<Record<string, string>>): Promise<Times> {
  const servers = folders.map(() => startChild('server.ts'))
  try {
    const opened: Opened[] = []
    for (const [index, { folder, tickers }] of folders.entries())
      opened.push({ reader: openReader(await servedBy(servers[index]!, folder, env)), tickers: shuffled(tickers) })
    const times: [number[], number[]] = [[], []]
    for (let done = -BLOCK; done < rounds; done += BLOCK) {
      for (const [index, one] of opened.entries()) {
        const taken = await block(one, done + BLOCK)
        // The first block opens files and prepares statements.
        if (done >= 0) times[index]!.push(...taken)
      }
    }
    for (const { reader } of opened) reader.close()
    return times
  } finally {
    await Promise.all(servers.map(server => server.stop()))
  }
}

interface Opened {
  readonly reader: Reader
  readonly tickers: readonly string[]
}

async function servedBy(server: Child, folder: string, env: Readonly<Record<string, string>>): Promise<Served> {
  const served = await server.ask<Served>('start', folder, { env })
  await server.ask('rest')
  return served
}

async function block({ reader, tickers }: Opened, from: number): Promise<readonly number[]> {
  const times: number[] = []
  for (let index = from; index < from + BLOCK; index++) times.push((await reader.read(tickers[index % tickers.length]!)).ms)
  return times
}
