import { type Child, startChild } from './child.ts'
import { folderOf, type Size, SLUG, shuffled, tickersOf } from './data.ts'
import type { Tally, TallyOrder } from './load.ts'
import { openReader, pathFor } from './reader.ts'
import type { Served } from './server.ts'
import { type Line, quantile } from './table.ts'

const CALLERS = 1_000
/**
 * Disables cached answers. The requested days repeat within seconds, and cached answers would not
 * use the engine.
 */
const NOTHING_KEPT = { ANSWER_BYTES: '0' }
const MANY = 256
const FEW = 4
const TIMES = 5
/** Has enough values, so that no connection repeats a query soon. */
const LIMITS = Array.from({ length: 60 }, (_, index) => 20 + index)

/**
 * Measures an overload of five times the engine's capacity.
 *
 * @param seconds duration of each load
 */
export async function measureShedding(size: Size, seconds: number): Promise<readonly Line[]> {
  const [server, load] = [startChild('server.ts'), startChild('load.ts')]
  try {
    const served = await server.ask<Served>('start', folderOf(size), { callers: CALLERS, env: NOTHING_KEPT })
    await server.ask('rest')
    const tally = (paths: readonly string[], connections: number, rate?: number): Promise<Tally> =>
      load.ask('tally', { ...served, paths, connections, seconds, ...(rate === undefined ? {} : { rate }) } satisfies TallyOrder)
    const atHand = shuffled(tickersOf(size).flatMap(ticker => LIMITS.map(limit => `${pathFor(ticker)}&limit=${limit}`)))
    const cached = await tally(atHand, MANY)
    const wide = widePaths()
    const sustained = await tally(wide, FEW)
    const rate = Math.ceil((TIMES * sustained.answered) / seconds)
    const idle = await readCached(served, size, seconds)
    const overloaded = tally(wide, MANY, rate)
    const busy = await readCached(served, size, seconds)
    const shed = await overloaded
    return [
      { name: `reads in memory over ${MANY} connections`, measured: cached.answered / seconds, unit: 'req/s' },
      { name: '  refused', measured: cached.refused, unit: 'reads', goal: { atMost: 0 } },
      { name: 'wide reads that the engine can serve', measured: sustained.answered / seconds, unit: 'req/s' },
      {
        name: `  answered at ${TIMES} times this rate`,
        measured: shed.answered / seconds,
        against: sustained.answered / seconds,
        unit: 'req/s',
      },
      { name: '  time to a refusal, p99', measured: shed.refusedMs, unit: 'ms', goal: { atMost: 50 } },
      { name: '  reads in memory during that load, p99', measured: busy, unit: 'ms', goal: { atMost: 20 } },
      { name: '  without that load, p99', measured: idle, unit: 'ms' },
    ]
  } finally {
    await Promise.all([stopped(server), stopped(load)])
  }
}

const stopped = (child: Child): Promise<void> => child.stop()

function widePaths(): readonly string[] {
  const first = Date.parse('2016-01-01')
  const days = Array.from({ length: 3_600 }, (_, index) => new Date(first + index * 86_400_000))
  const weekdays = days.filter(day => day.getUTCDay() % 6 !== 0).map(day => day.toISOString().slice(0, 10))
  return shuffled(weekdays).map(day => `/v2/datasets/${SLUG}/cross-section?date=${day}&limit=50`)
}

async function readCached(served: Served, size: Size, seconds: number): Promise<number> {
  const reader = openReader({ ...served, keys: served.keys.slice(-100) })
  const times: number[] = []
  try {
    const end = performance.now() + 1_000 * seconds
    for (const ticker of shuffled(tickersOf(size))) {
      if (performance.now() > end) break
      times.push((await reader.read(ticker)).ms)
      await new Promise(resolve => setTimeout(resolve, 2))
    }
    return quantile(times, 0.99)
  } finally {
    reader.close()
  }
}
