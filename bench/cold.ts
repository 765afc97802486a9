import { fromParts, quote, type Statement } from '../src/engine/index.ts'
import { chooseParts } from '../src/read/parts.ts'
import { type Child, startChild } from './child.ts'
import { folderOf, type Size, shuffled, tickersOf } from './data.ts'
import { tickersOfEveryPart } from './point.ts'
import { openRaw, type Raw, readRaw } from './raw.ts'
import { openReader, type Reader } from './reader.ts'
import type { Served, ServedOptions } from './server.ts'
import { type Line, median } from './table.ts'

const AT_ONCE = 40

/**
 * Measures reads without cached rows.
 *
 * @param starts the number of services to start
 * @param rounds number of reads from the service without memory
 */
export async function measureCold(size: Size, [starts, rounds]: readonly [number, number]): Promise<readonly Line[]> {
  const raw = await openRaw(folderOf(size))
  try {
    for (const ticker of tickersOfEveryPart(raw, size)) await readRaw(raw, formerRead(raw, ticker))
    const [first, cachedMs, cold]: [number[], number[], Pair[]] = [[], [], []]
    for (let start = 0; start < starts; start++) {
      const times = await withServer({ callers: 1 }, size, (reader, server) => measureStart(reader, server, raw, size))
      first.push(times.first)
      cachedMs.push(times.cachedMs)
      cold.push(...times.pairs)
    }
    const missed = await withServer({ callers: 1, env: { CACHE_BYTES: '0' } }, size, async ({ reader }, server) => {
      await server.ask('rest')
      return inPairs(reader, raw, shuffled(tickersOf(size)).slice(0, rounds))
    })
    return [
      { name: 'start to first answer', measured: median(first), unit: 'ms', goal: { atMost: 1_000 } },
      { name: 'start until the newest rows of every ticker are cached', measured: median(cachedMs), unit: 'ms', goal: { atMost: 10_000 } },
      against(`point read, the first ${AT_ONCE} after the start / engine alone, p50`, cold),
      against('point read, without cached rows / engine alone, p50', missed),
    ]
  } finally {
    raw.close()
  }
}

/** Milliseconds of the same read, through the service and by the engine alone. */
type Pair = readonly [http: number, engine: number]

const against = (name: string, pairs: readonly Pair[]): Line => ({
  name,
  measured: median(pairs.map(([http]) => http)),
  against: median(pairs.map(([, engine]) => engine)),
  unit: 'ms',
  goal: { atMost: 0.8 },
})

interface Begun {
  readonly reader: Reader
  readonly began: number
}

async function withServer<T>(options: ServedOptions, size: Size, use: (begun: Begun, server: Child) => Promise<T>): Promise<T> {
  const began = performance.now()
  const server = startChild('server.ts')
  try {
    const reader = openReader(await server.ask<Served>('start', folderOf(size), options))
    const result = await use({ reader, began }, server)
    reader.close()
    return result
  } finally {
    await server.stop()
  }
}

async function measureStart({ reader, began }: Begun, server: Child, raw: Raw, size: Size) {
  const [one, ...others] = shuffled(tickersOf(size))
  await reader.read(one!)
  const first = performance.now() - began
  const rested = server.ask('rest').then(() => performance.now() - began)
  const pairs = await inPairs(reader, raw, others.slice(0, AT_ONCE))
  return { first, cachedMs: await rested, pairs }
}

/**
 * Service and engine alternate as the first reader, because the first read of a ticker is slower.
 */
async function inPairs(reader: Reader, raw: Raw, tickers: readonly string[]): Promise<readonly Pair[]> {
  const pairs: Pair[] = []
  for (const [index, ticker] of tickers.entries()) {
    const statement = formerRead(raw, ticker)
    const byEngine = async (): Promise<number> => {
      const began = performance.now()
      await readRaw(raw, statement)
      return performance.now() - began
    }
    const first = index % 2 === 0 ? undefined : await byEngine()
    const { ms } = await reader.read(ticker)
    pairs.push([ms, first ?? (await byEngine())])
  }
  return pairs
}

/** Returns a fixed statement, so that results of different versions can be compared. */
function formerRead({ dataset, release }: Raw, ticker: string): Statement {
  const parts = chooseParts(release, [{ column: 'ticker', op: 'in', param: 'symbol', values: [ticker] }])
  const columns = Object.keys(dataset.columns).map(name => `t.${quote(name)}`)
  const text = `SELECT ${columns.join(', ')} FROM ${fromParts(parts)} AS t WHERE t."ticker" IN ($1)
ORDER BY t."trade_date" DESC NULLS LAST, t."ticker" ASC NULLS LAST LIMIT $2::BIGINT OFFSET $3::BIGINT`
  return { text, values: [ticker, 51, 0] }
}
