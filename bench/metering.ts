import { startChild } from './child.ts'
import type { Amount } from './metering-load.ts'
import type { Metered } from './metering-server.ts'
import { type Line, median } from './table.ts'

const CONNECTIONS = 64
const BYTES = 14_000
/**
 * Four cases: a use is settled with others, settled alone or not settled, or there is no caller.
 */
const WAYS = ['/metered', '/alone', '/deferred', '/nothing'] as const
type Way = (typeof WAYS)[number]

/** Measures the cost of admitting a caller and of committing each use. */
export async function measureMetering([rounds, amount]: readonly [number, number]): Promise<readonly Line[]> {
  const [server, load] = [startChild('metering-server.ts'), startChild('metering-load.ts')]
  try {
    const metered = await server.ask<Metered>('start', BYTES)
    const run = (path: Way, count: number) =>
      load.ask<number>('run', { ...metered, path, connections: CONNECTIONS, amount: count } satisfies Amount)
    for (const path of WAYS) await run(path, Math.ceil(amount / 10))
    const before = await server.ask<number>('rows')
    const rates: Record<Way, number[]> = { '/metered': [], '/alone': [], '/deferred': [], '/nothing': [] }
    const costs: Record<Way, number[]> = { '/metered': [], '/alone': [], '/deferred': [], '/nothing': [] }
    for (let round = 0; round < rounds; round++) {
      for (let place = 0; place < WAYS.length; place++) {
        const path = WAYS[(round + place) % WAYS.length]!
        const began = await server.ask<number>('processor')
        rates[path].push(await run(path, amount))
        costs[path].push(((await server.ask<number>('processor')) - began) / amount)
      }
    }
    const recorded = (await server.ask<number>('rows')) - before
    const times: number[] = []
    for (let round = 0; round < rounds; round++) times.push(await server.ask<number>('authenticate', amount))
    const rate = (name: string, way: Way, other: Way): Line => ({
      name,
      measured: median(rates[way]),
      against: median(rates[other]),
      unit: 'req/s',
    })
    const cost = (name: string, way: Way, other: Way): Line => ({
      name,
      measured: median(costs[way]),
      against: median(costs[other]),
      unit: 'µs',
    })
    return [
      { ...rate('metered reads / deferred to the next turn, 64 connections', '/metered', '/deferred'), goal: { atLeast: 0.85 } },
      cost('  processor time of one', '/metered', '/deferred'),
      rate('  against a handler without callers', '/metered', '/nothing'),
      cost('  processor time of one', '/metered', '/nothing'),
      { ...rate('  committed together / one by one', '/metered', '/alone'), goal: { atLeast: 2 } },
      cost('  processor time of one', '/metered', '/alone'),
      { name: '  ledger rows / answers', measured: recorded, against: 2 * rounds * amount, unit: 'rows', goal: { atLeast: 1, atMost: 1 } },
      { name: 'processor time of admitting a caller', measured: median(times), unit: 'µs', goal: { atMost: 25 } },
    ]
  } finally {
    await Promise.all([server.stop(), load.stop()])
  }
}
