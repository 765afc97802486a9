import { startChild } from '../child.ts'
import { folderOf, type Size, tickersOf } from '../data.ts'
import type { LoadOrder } from '../load.ts'
import { pathFor } from '../reader.ts'
import type { Served, ServedOptions } from '../server.ts'
import { type Line, median } from '../table.ts'

const CONNECTIONS = 64
const CALLERS = 10 * CONNECTIONS

/** Measures one repeated query, with and without charges. */
export async function measureRepeated(size: Size, [rounds, seconds]: readonly [number, number]): Promise<readonly Line[]> {
  const [load, metered, unmetered, bare] = [startChild('load.ts'), startChild('server.ts'), startChild('server.ts'), startChild('bare.ts')]
  try {
    const path = pathFor(tickersOf(size)[0]!)
    const service = await metered.ask<Served>('start', folderOf(size), { callers: CALLERS } satisfies ServedOptions)
    const env = { STATE_DB: `${folderOf(size)}/unmetered.sqlite` }
    const free = await unmetered.ask<Served>('start', folderOf(size), { callers: CALLERS, metered: false, env } satisfies ServedOptions)
    for (const child of [metered, unmetered]) await child.ask('rest')
    const body = await fetch(service.url + path, { headers: { 'x-api-key': service.keys[0]! } }).then(answer => answer.text())
    const floor: Served = { url: await bare.ask<string>('start', body), keys: [] }
    const contenders = [service, free, floor]
    const rates = contenders.map((): number[] => [])
    const run = ({ url, keys }: Served): Promise<number> =>
      load.ask<number>('run', {
        url,
        keys,
        paths: Array<string>(CALLERS).fill(path),
        connections: CONNECTIONS,
        seconds,
      } satisfies LoadOrder)
    for (const contender of contenders) await run(contender)
    for (let round = 0; round < rounds; round++)
      for (let turn = 0; turn < contenders.length; turn++) {
        const index = (round + turn) % contenders.length
        rates[index]!.push(await run(contenders[index]!))
      }
    const [ours, free_, against] = rates.map(median) as [number, number, number]
    const name = `same question repeated / bare Fastify with that body, ${CONNECTIONS} conn.`
    return [
      { name, measured: ours, against, unit: 'req/s', goal: { atLeast: 0.45 } },
      { name: '  without commits of uses', measured: free_, against, unit: 'req/s', goal: { atLeast: 0.7 } },
    ]
  } finally {
    await Promise.all([load, metered, unmetered, bare].map(child => child.stop()))
  }
}
