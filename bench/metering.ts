import { startChild } from './child.ts'
import type { Amount } from './metering-load.ts'
import type { Metered } from './metering-server.ts'
import { type Line, median } from './table.ts'

const CONNECTIONS = 64
const BYTES = 14_000
/** How a handler settles: with the others of its turn, by itself, not at all, or without knowing its caller. */
const WAYS = ['/metered', '/alone', '/deferred', '/nothing'] as const

/** What it costs to let a caller in and to have every answer in the ledger before it leaves. */
export async function measureMetering([rounds, amount]: readonly [number, number]): Promise<readonly Line[]> {
  const [server, load] = [startChild('metering-server.ts'), startChild('metering-load.ts')]
  try {
    const metered = await server.ask<Metered>('start', BYTES)
    const run = (path: string, count = amount) =>
      load.ask<number>('run', { ...metered, path, connections: CONNECTIONS, amount: count } satisfies Amount)
    for (const path of WAYS) await run(path, Math.ceil(amount / 10))
    const before = await server.ask<number>('rows')
    const rates = new Map<string, number[]>(WAYS.map(path => [path, []]))
    for (let round = 0; round < rounds; round++) {
      for (let place = 0; place < WAYS.length; place++) {
        const path = WAYS[(round + place) % WAYS.length]!
        rates.get(path)!.push(await run(path))
      }
    }
    const recorded = (await server.ask<number>('rows')) - before
    const times: number[] = []
    for (let round = 0; round < rounds; round++) times.push(await server.ask<number>('authenticate', amount))
    const rate = (path: (typeof WAYS)[number]): number => median(rates.get(path)!)
    const unit = 'req/s'
    return [
      {
        name: 'reads in the ledger / deferred a turn, 64 connections',
        measured: rate('/metered'),
        against: rate('/deferred'),
        unit,
        goal: { atLeast: 0.85 },
      },
      { name: '  against a handler that knows no caller', measured: rate('/metered'), against: rate('/nothing'), unit },
      { name: '  committed together / one by one', measured: rate('/metered'), against: rate('/alone'), unit, goal: { atLeast: 2 } },
      { name: '  ledger rows / answers', measured: recorded, against: 2 * rounds * amount, unit: 'rows', goal: { atLeast: 1, atMost: 1 } },
      { name: 'letting a caller in', measured: median(times), unit: 'µs', goal: { atMost: 25 } },
    ]
  } finally {
    await Promise.all([server.stop(), load.stop()])
  }
}
