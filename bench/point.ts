import { bucketOf } from '../catalog/bucket.ts'
import { folderOf, type Size, tickersOf } from './data.ts'
import { openRaw, type Raw, readRaw } from './raw.ts'
import { type Answer, openReader, type Reader } from './reader.ts'
import type { Served } from './server.ts'
import { type Line, median, quantile } from './table.ts'

/** Services to read from, by the size of their release; the last one is compared with the engine alone. */
export type Services = readonly (readonly [size: Size, served: Served])[]

interface Times {
  readonly http: ReadonlyMap<Size, readonly Answer[]>
  readonly raw: readonly number[]
}

/** The point read: through the service against the engine alone, over many rows against few. */
export async function measurePoint(
  services: Services,
  rounds: number,
): Promise<{ readonly lines: readonly Line[]; readonly bytes: number }> {
  const readers = services.map(([size, served]) => ({ size, reader: openReader(served) }))
  const [main] = services.at(-1)!
  const raw = await openRaw(folderOf(main))
  try {
    await touchEveryPart(
      raw,
      main,
      readers.map(({ reader }) => reader),
    )
    const times = await interleave(readers, raw, main, rounds)
    return { lines: linesOf(times, main), bytes: median(times.http.get(main)!.map(({ bytes }) => bytes)) }
  } finally {
    raw.close()
    for (const { reader } of readers) reader.close()
  }
}

/** Reads one ticker of every part, so that no footer is read and no statement prepared while the clock runs. */
async function touchEveryPart({ session, statement, dataset, release }: Raw, size: Size, readers: readonly Reader[]): Promise<void> {
  const { buckets } = release.manifest
  const firsts = new Map(tickersOf(size).map(ticker => [bucketOf(ticker, buckets), ticker]))
  for (const ticker of firsts.values()) await readRaw(session, statement({ symbol: ticker }), Object.keys(dataset.columns).length)
  for (const [index, reader] of readers.entries()) {
    const tickers = index === readers.length - 1 ? [...firsts.values()] : tickersOf('small')
    for (const ticker of tickers) await reader.read(ticker)
  }
}

interface Sized {
  readonly size: Size
  readonly reader: Reader
}

/** Every variant once a round, each in front as often as the others. */
async function interleave(readers: readonly Sized[], raw: Raw, main: Size, rounds: number): Promise<Times> {
  const http = new Map<Size, Answer[]>(readers.map(({ size }) => [size, []]))
  const alone: number[] = []
  const order = new Map(readers.map(({ size }) => [size, shuffled(tickersOf(size))]))
  const columns = Object.keys(raw.dataset.columns).length
  const ticker = (size: Size, round: number): string => order.get(size)![round % order.get(size)!.length]!
  const variants = readers.map(
    ({ size, reader }) =>
      async (round: number) =>
        void http.get(size)!.push(await reader.read(ticker(size, round))),
  )
  variants.push(async round => {
    const statement = raw.statement({ symbol: ticker(main, round) })
    const began = performance.now()
    await readRaw(raw.session, statement, columns)
    alone.push(performance.now() - began)
  })
  for (let round = 0; round < rounds; round++) {
    for (let place = 0; place < variants.length; place++) await variants[(round + place) % variants.length]!(round)
  }
  return { http, raw: alone }
}

function linesOf({ http, raw }: Times, main: Size): readonly Line[] {
  const answers = http.get(main)!
  const ms = answers.map(answer => answer.ms)
  const small = http.size > 1 ? http.get('small')!.map(answer => answer.ms) : undefined
  const stages = Object.keys(answers[0]!.stages)
  return [
    { name: 'point read, HTTP / engine alone, p50', measured: median(ms), against: median(raw), unit: 'ms', goal: { atMost: 1.3 } },
    { name: 'point read, HTTP / engine alone, p99', measured: quantile(ms, 0.99), against: quantile(raw, 0.99), unit: 'ms' },
    ...stages.map(stage => ({
      name: `  of which ${stage}, p50`,
      measured: median(answers.map(answer => answer.stages[stage]!)),
      against: median(ms),
      unit: 'ms',
    })),
    ...(small
      ? [{ name: 'point read, 6.6 M rows / 0.66 M, p50', measured: median(ms), against: median(small), unit: 'ms', goal: { atMost: 1.1 } }]
      : []),
  ]
}

/** The values in an order that is the same on every run and has nothing to do with theirs. */
export function shuffled<T>(values: readonly T[]): readonly T[] {
  let seed = 1
  const chance = (): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return seed / 2 ** 32
  }
  return values
    .map(value => ({ value, at: chance() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value)
}
