import { request } from 'undici'
import { startChild } from '../child.ts'
import { DAYS, folderOf, SIZES, type Size, SLUG, tickersOf } from '../data.ts'
import type { LongAnswer, LongOrder } from '../long-reader.ts'
import type { Served } from '../server.ts'
import { type Line, median } from '../table.ts'
import { peersWith } from './peers.ts'
import { ensureStock } from './stock.ts'

const PAGE = 30
const FORMATS = [
  { name: 'Arrow', ways: ['arrow'], accept: 'application/vnd.apache.arrow.stream' },
  { name: 'Parquet', ways: ['parquet', 'parts'], accept: 'application/parquet' },
] as const

/** Reads all rows of the dataset. Returns no lines if ROAPI is not installed. */
export async function measureWhole(size: Size, rounds: number, say: (text: string) => void): Promise<readonly Line[]> {
  const peer = peersWith(null).find(({ name }) => name.startsWith('ROAPI'))!
  if (peer.missing() !== null) return []
  const stock = await ensureStock(size, null, say)
  const [server, caller] = [startChild('server.ts'), startChild('long-reader.ts')]
  const roapi = await peer.start(stock)
  try {
    const { url, keys } = await server.ask<Served>('start', folderOf(size))
    await server.ask('rest')
    const read = (path: string, key: string, from = url, accept?: string): Promise<LongAnswer> =>
      caller.ask<LongAnswer>('read', { url: from, path, key, ...(accept && { accept }) } satisfies LongOrder)
    const tickers = tickersOf(size)
    const byPages = async (format: string): Promise<number> => {
      const began = performance.now()
      for (let first = 0; first < tickers.length; first += PAGE) {
        const named = tickers.slice(first, first + PAGE)
        await read(`/v2/datasets/${SLUG}?symbol=${named}&limit=${PAGE * DAYS}&format=${format}`, keys[(first / PAGE) % keys.length]!)
      }
      return performance.now() - began
    }
    const byParts = async (): Promise<number> => {
      const began = performance.now()
      const { body } = await request(`${url}/v2/datasets/${SLUG}/parts`, { headers: { 'x-api-key': keys[0]! } })
      const { data } = (await body.json()) as { readonly data: readonly { readonly url: string }[] }
      for (const part of data) await read(part.url.slice(new URL(part.url).origin.length), keys[0]!)
      return performance.now() - began
    }
    const lines: Line[] = []
    const rate = (times: readonly number[]): number => (SIZES[size] * DAYS * 1e3) / median(times)
    for (const { name, accept, ways } of FORMATS) {
      const theirs: number[] = []
      const ours = ways.map((): number[] => [])
      for (let round = 0; round < rounds; round++) {
        for (const [index, way] of ways.entries()) ours[index]!.push(await (way === 'parts' ? byParts() : byPages(way)))
        theirs.push((await read('/api/tables/rows', 'none', roapi.url, accept)).ms)
      }
      for (const [index, way] of ways.entries())
        lines.push({
          name: `the whole dataset as ${name}, by ${way === 'parts' ? 'its parts' : 'pages'} / ROAPI`,
          measured: rate(ours[index]!),
          against: rate(theirs),
          unit: 'rows/s',
          goal: { atLeast: 2 },
        })
    }
    return lines
  } finally {
    await Promise.all([server.stop(), caller.stop(), roapi.stop()])
  }
}
