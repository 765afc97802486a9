import { join } from 'node:path'
import { cloneOf } from './append.ts'
import { type Child, startChild } from './child.ts'
import { dayFile, NEXT_DAYS, type Size } from './data.ts'
import type { ScheduleOrder } from './latency-load.ts'
import type { LoadOrder } from './load.ts'
import { FORMS, LONG_ROWS, pathOf } from './long.ts'
import type { LongOrder } from './long-reader.ts'
import { peerPath, type Question, randomQuestions, servicePath } from './peers/questions.ts'
import { ensureStock } from './peers/stock.ts'
import type { Served } from './server.ts'
import { type Line, quantile } from './table.ts'

interface Contender {
  readonly url: string
  readonly keys: readonly string[]
  path(question: Question): string
  publish(day: string): Promise<unknown>
  readonly exports: readonly LongOrder[]
}

const LOADS = [
  { connections: 1, everyMs: 2 },
  { connections: 4, everyMs: 1 },
] as const
const EXPORTS = 4
/** Each publication needs a new day. The first publication is not measured. */
const ROUNDS = Math.floor((NEXT_DAYS.length - 1) / LOADS.length)
const WARM_UP = { connections: 10, seconds: 3 }

/**
 * Measures point reads of the service and of Fastify with SQLite.
 *
 * @param seconds duration of each load
 */
export async function measureLatency(size: Size, seconds: number, say: (text: string) => void): Promise<readonly Line[]> {
  const { sqlite } = await ensureStock(size, null, say)
  const folder = cloneOf(size, 'latency')
  const file = join(folder, 'rows.sqlite')
  const children = [
    'server.ts',
    'publisher.ts',
    'peers/sqlite-server.ts',
    'peers/sqlite-writer.ts',
    'latency-load.ts',
    'long-reader.ts',
    'load.ts',
  ]
  const [server, publisher, peer, writer, scheduler, caller, load] = children.map(startChild) as [
    Child,
    Child,
    Child,
    Child,
    Child,
    Child,
    Child,
  ]
  try {
    const served = await server.ask<Served>('start', folder)
    await server.ask('rest')
    await publisher.ask('open', folder)
    await writer.ask('open', sqlite, file)
    const contenders: readonly Contender[] = [
      {
        ...served,
        path: servicePath,
        publish: day => publisher.ask('publish', dayFile(size, day)),
        exports: Array.from({ length: EXPORTS }, (_, index) => ({
          url: served.url,
          path: pathOf(size, FORMS[0], index),
          key: served.keys[index]!,
        })),
      },
      await peerOf(peer, writer, size, file),
    ]
    const questions = randomQuestions(size)
    for (const { url, keys, path } of contenders)
      await load.ask('run', { url, keys, paths: questions.map(path), ...WARM_UP } satisfies LoadOrder)
    for (const { publish } of contenders) await publish(NEXT_DAYS[0]!)
    const lines: Line[] = []
    for (const [at, schedule] of LOADS.entries()) {
      const days = NEXT_DAYS.slice(1 + at * ROUNDS)
      const run = ({ url, keys, path }: Contender): Promise<readonly number[]> =>
        scheduler.ask('run', { url, keys, paths: questions.map(path), ...schedule, seconds } satisfies ScheduleOrder)
      const beside: Readonly<Record<string, (contender: Contender, round: number) => Promise<readonly number[]>>> = {
        alone: run,
        'while a day is published': async (contender, round) => (await Promise.all([run(contender), contender.publish(days[round]!)]))[0],
        [`while ${EXPORTS} answers of ${LONG_ROWS.toLocaleString('en')} rows are read`]: async contender => {
          await caller.ask('keepReading', ...contender.exports)
          const latencies = await run(contender)
          await caller.ask('stopReading')
          return latencies
        },
      }
      for (const [name, measure] of Object.entries(beside)) {
        const latencies: [number[], number[]] = [[], []]
        for (let round = 0; round < ROUNDS; round++)
          for (const [index, contender] of contenders.entries()) latencies[index]!.push(...(await measure(contender, round)))
        lines.push(...linesOf(`${name}, ${schedule.connections} conn.`, latencies))
      }
    }
    return lines
  } finally {
    await Promise.all([server, publisher, peer, writer, scheduler, caller, load].map(child => child.stop()))
  }
}

async function peerOf(peer: Child, writer: Child, size: Size, file: string): Promise<Contender> {
  const url = await peer.ask<string>('start', file)
  return {
    url,
    keys: [],
    path: peerPath,
    publish: day => writer.ask('publish', dayFile(size, day)),
    exports: Array.from({ length: EXPORTS }, () => ({ url, path: `/export?limit=${LONG_ROWS}` })),
  }
}

function linesOf(name: string, [measured, against]: readonly [readonly number[], readonly number[]]): readonly Line[] {
  const line = (title: string, share: number): Line => ({
    name: title,
    measured: quantile(measured, share),
    against: quantile(against, share),
    unit: 'ms',
  })
  return [line(`reads on a schedule / Fastify + SQLite, ${name}, p50`, 0.5), line('  p99', 0.99), line('  longest', 1)]
}
