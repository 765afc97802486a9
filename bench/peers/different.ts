import { type Child, startChild } from '../child.ts'
import { folderOf, type Size } from '../data.ts'
import type { BatchOrder } from '../load.ts'
import type { Served } from '../server.ts'
import { type Line, median } from '../table.ts'
import { peerPath, type Question, randomQuestions, servicePath } from './questions.ts'
import { ensureStock } from './stock.ts'

const CONNECTIONS = 64
const BATCH = 80 * CONNECTIONS
const ROUNDS = 8
const WARM_UP = 2

interface Measured {
  readonly perSecond: number
  readonly cpuMicros: number
}

/** Measures point reads of the service and of Fastify with SQLite. Sends each query only once. */
export async function measureDifferent(size: Size, say: (text: string) => void): Promise<readonly Line[]> {
  const { sqlite } = await ensureStock(size, null, say)
  const [load, server, peer] = [startChild('load.ts'), startChild('server.ts'), startChild('peers/sqlite-server.ts')]
  try {
    const served = await server.ask<Served>('start', folderOf(size))
    await server.ask('rest')
    const url = await peer.ask<string>('start', sqlite)
    const run = async (child: Child, { url, keys }: Served, paths: readonly string[]): Promise<Measured> => {
      const before = await cpuOf(child)
      const seconds = await load.ask<number>('once', { url, keys, paths, connections: CONNECTIONS } satisfies BatchOrder)
      return { perSecond: paths.length / seconds, cpuMicros: ((await cpuOf(child)) - before) / paths.length }
    }
    const questions = randomQuestions(size, (WARM_UP + ROUNDS) * BATCH)
    const [ours, others]: [Measured[], Measured[]] = [[], []]
    for (let round = 0; round < WARM_UP + ROUNDS; round++) {
      const batch: readonly Question[] = questions.slice(round * BATCH, (round + 1) * BATCH)
      ours.push(await run(server, served, batch.map(servicePath)))
      others.push(await run(peer, { url, keys: [] }, batch.map(peerPath)))
    }
    const of = (rounds: readonly Measured[], name: keyof Measured): number => median(rounds.slice(WARM_UP).map(round => round[name]))
    return [
      {
        name: `different questions / Fastify + SQLite, ${CONNECTIONS} conn.`,
        measured: of(ours, 'perSecond'),
        against: of(others, 'perSecond'),
        unit: 'req/s',
        goal: { atLeast: 1.3 },
      },
      { name: '  processor time of a read', measured: of(ours, 'cpuMicros'), against: of(others, 'cpuMicros'), unit: 'µs' },
    ]
  } finally {
    await Promise.all([load, server, peer].map(child => child.stop()))
  }
}

async function cpuOf(child: Child): Promise<number> {
  const { user, system } = await child.ask<NodeJS.CpuUsage>('cpu')
  return user + system
}
