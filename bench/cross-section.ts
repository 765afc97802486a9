import { crossSection } from '../catalog/index.ts'
import { planRead } from '../src/read/index.ts'
import { selectRows } from '../src/read/select-rows.ts'
import type { Release } from '../src/releases/index.ts'
import { startChild } from './child.ts'
import { folderOf, history, type Size, shuffled } from './data.ts'
import { openRaw, type Raw, readRaw } from './raw.ts'
import type { Served } from './server.ts'
import { type Line, median, quantile } from './table.ts'

const LIMITS = { plan: 'max', rowLimit: 100_000, queueKey: 'bench' } as const
/** Number of days that are read a second time, from files that are grouped by ticker. */
const BY_KEY = 5
const WARM_UP = 20

/** Reads all tickers of random days, through the service and directly from the engine. */
export async function measureCrossSection(main: Size, rounds: number): Promise<readonly Line[]> {
  const [raw, server] = [await openRaw(folderOf(main)), startChild('server.ts')]
  try {
    const served = await server.ask<Served>('start', folderOf(main))
    await server.ask('rest')
    const days = shuffled(history())
    const [http, alone, fetched, encoded]: [number[], number[], number[], number[]] = [[], [], [], []]
    for (let round = -WARM_UP; round < rounds; round++) {
      const day = days.at(round % days.length)!
      const { ms, stages } = await read(served, day, round)
      const aloneMs = await timed(raw, raw.release, day)
      if (round < 0) continue
      http.push(ms)
      alone.push(aloneMs)
      fetched.push(stages['fetch'] ?? 0)
      encoded.push(stages['encode'] ?? 0)
    }
    const byKey: number[] = []
    for (const day of days.slice(0, BY_KEY)) byKey.push(await timed(raw, withoutMonths(raw.release), day))
    const [middle, unit] = [median(http), 'ms']
    return [
      { name: 'cross-section of every ticker, HTTP, p50', measured: middle, unit, goal: { atMost: 15 } },
      { name: '  share of fetch, p50', measured: median(fetched), against: middle, unit },
      { name: '  share of encode, up to the first piece, p50', measured: median(encoded), against: middle, unit },
      { name: '  p99', measured: quantile(http, 0.99), unit },
      { name: '  engine alone, p50', measured: median(alone), against: middle, unit },
      { name: '  engine alone, from parts by key', measured: median(byKey), against: median(alone), unit },
    ]
  } finally {
    raw.close()
    await server.stop()
  }
}

async function read({ url, keys }: Served, day: string, round: number) {
  const began = performance.now()
  const response = await fetch(`${url}/v2/datasets/institutional-positioning/cross-section?date=${day}`, {
    headers: { 'x-api-key': keys.at(round % keys.length)!, 'accept-encoding': 'identity' },
  })
  await response.arrayBuffer()
  const ms = performance.now() - began
  if (response.status !== 200) throw new Error(`${day} was answered ${response.status}`)
  const timing = response.headers.get('server-timing') ?? ''
  return { ms, stages: Object.fromEntries([...timing.matchAll(/(\w+);dur=([\d.]+)/g)].map(([, stage, dur]) => [stage!, Number(dur)])) }
}

async function timed(raw: Raw, release: Release, date: string): Promise<number> {
  const plan = planRead(crossSection(raw.dataset)!, release, { date }, LIMITS)
  const statement = selectRows(plan, plan.columns)
  const began = performance.now()
  await readRaw(raw, statement)
  return performance.now() - began
}

function withoutMonths(release: Release): Release {
  const { months: _, ...manifest } = release.manifest
  return { ...release, manifest }
}
