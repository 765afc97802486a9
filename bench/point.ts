import { bucketOf } from '../src/releases/index.ts'
import { startChild } from './child.ts'
import { folderOf, type Size, shuffled, tickersOf } from './data.ts'
import { openRaw, type Raw, readRaw } from './raw.ts'
import { type Answer, openReader, type Reader } from './reader.ts'
import type { Served } from './server.ts'
import { type Line, median, quantile } from './table.ts'

export type Services = readonly (readonly [size: Size, served: Served])[]

interface Times {
  readonly http: ReadonlyMap<Size, readonly Answer[]>
  readonly common: readonly Answer[]
  readonly raw: readonly number[]
  readonly bare: readonly number[]
}

/**
 * Measures reads of the newest rows.
 * @returns the lines of the table, and the size of a body
 */
export async function measurePoint(
  services: Services,
  rounds: number,
): Promise<{ readonly lines: readonly Line[]; readonly bytes: number }> {
  const readers = services.map(([size, served]) => ({ size, reader: openReader(served) }))
  const [main] = services.at(-1)!
  const [raw, server] = [await openRaw(folderOf(main)), startChild('bare.ts')]
  try {
    await touchEveryPart(raw, main)
    for (const { size, reader } of readers) for (const ticker of tickersOfEveryPart(raw, size)) await reader.read(ticker)
    const { bytes } = await readers.at(-1)!.reader.read(tickersOf(main)[0]!)
    const bare = openReader({ url: await server.ask<string>('start', bytes), keys: ['none'] })
    const lines = linesOf(await interleave({ readers, raw, bare }, main, rounds), main)
    bare.close()
    return { lines, bytes }
  } finally {
    raw.close()
    for (const { reader } of readers) reader.close()
    await server.stop()
  }
}

export const tickersOfEveryPart = ({ release }: Raw, size: Size): readonly string[] => [
  ...new Map(tickersOf(size).map(ticker => [bucketOf(ticker, release.manifest.buckets), ticker])).values(),
]

async function touchEveryPart(raw: Raw, size: Size): Promise<void> {
  for (const ticker of tickersOfEveryPart(raw, size)) await readRaw(raw, raw.statement({ symbol: ticker }))
}

interface Variants {
  readonly readers: readonly { readonly size: Size; readonly reader: Reader }[]
  readonly raw: Raw
  readonly bare: Reader
}

/** Blocks are short, because the speed of the machine can change. */
const BLOCK = 20

async function interleave({ readers, raw, bare }: Variants, main: Size, rounds: number): Promise<Times> {
  const http = new Map<Size, Answer[]>(readers.map(({ size }) => [size, []]))
  const times = { http, common: [] as Answer[], raw: [] as number[], bare: [] as number[] }
  const order = new Map(readers.map(({ size }) => [size, shuffled(tickersOf(size))]))
  const ticker = (size: Size, round: number): string => order.get(size)![round % order.get(size)!.length]!
  const variants = [
    ...readers.map(({ size, reader }) => async (round: number) => {
      http.get(size)!.push(await reader.read(ticker(size, round)))
    }),
    async (round: number) => {
      times.common.push(await readers.at(-1)!.reader.read(ticker(readers[0]!.size, round)))
    },
    async (round: number) => {
      const statement = raw.statement({ symbol: ticker(main, round) })
      const began = performance.now()
      await readRaw(raw, statement)
      times.raw.push(performance.now() - began)
    },
    async (round: number) => {
      times.bare.push((await bare.read(ticker(main, round))).ms)
    },
  ]
  for (let block = 0; block * BLOCK < rounds; block++) {
    for (let place = 0; place < variants.length; place++) {
      for (let index = 0; index < BLOCK; index++) await variants[(block + place) % variants.length]!(block * BLOCK + index)
    }
  }
  return times
}

function linesOf({ http, common, raw, bare }: Times, main: Size): readonly Line[] {
  const answers = http.get(main)!
  const ms = answers.map(answer => answer.ms)
  const [middle, unit] = [median(ms), 'ms']
  const share = (name: string, values: readonly number[]): Line => ({
    name: `  ${name}, p50`,
    measured: median(values),
    against: middle,
    unit,
  })
  const stages = Object.keys(answers[0]!.stages).map(stage =>
    share(
      `share of ${stage}`,
      answers.map(answer => answer.stages[stage]!),
    ),
  )
  const timesOf = (some: readonly Answer[]): number => median(some.map(answer => answer.ms))
  return [
    { name: 'point read, HTTP / engine alone, p50', measured: middle, against: median(raw), unit, goal: { atMost: 1.3 } },
    ...stages,
    share('a bare route, same body and client', bare),
    { name: 'point read, HTTP / engine alone, p99', measured: quantile(ms, 0.99), against: quantile(raw, 0.99), unit },
    ...(http.size > 1
      ? [
          {
            name: 'point read, 6.6 M / 0.66 M rows, p50',
            measured: timesOf(common),
            against: timesOf(http.get('small')!),
            unit,
            goal: { atMost: 1.1 },
          },
        ]
      : []),
  ]
}
