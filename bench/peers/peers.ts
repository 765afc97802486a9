import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Child, startChild } from '../child.ts'
import type { Goal } from '../table.ts'
import { PEERS_FOLDER, PYTHON_FOLDER } from './folders.ts'
import { type Cluster, postgresArgs } from './postgres.ts'
import type { ProgramOrder } from './program.ts'
import { filterPath, namedQueryPath, peerPath, type Question } from './questions.ts'
import type { Stock } from './stock.ts'

export interface Peer {
  readonly name: string
  readonly goals: readonly (Goal | undefined)[]
  missing(): string | null
  path(question: Question): string
  start(stock: Stock): Promise<Started>
}

export interface Started {
  readonly url: string
  stop(): Promise<void>
}

const atLeast = (...ratios: readonly (number | null)[]): readonly (Goal | undefined)[] =>
  ratios.map(ratio => (ratio === null ? undefined : { atLeast: ratio }))
const inPython = (name: string): string => join(PYTHON_FOLDER, 'bin', name)
const unless = (path: string, name: string): string | null =>
  existsSync(path) ? null : `${name} is not installed: npm run bench:peers installs it`

/**
 * Each peer is one process with one event loop.
 *
 * @param cluster null if PostgreSQL is not installed
 */
export const peersWith = (cluster: Cluster | null): readonly Peer[] => [
  {
    name: 'Fastify + SQLite, indexed',
    goals: atLeast(0.8, 1.1, 1.3),
    missing: () => null,
    path: peerPath,
    start: async ({ sqlite }) => serverOf(startChild('peers/sqlite-server.ts'), server => server.ask<string>('start', sqlite)),
  },
  {
    name: 'Fastify + PostgreSQL, indexed',
    goals: atLeast(1.5, 2, 2.5),
    missing: () =>
      cluster === null ? 'PostgreSQL is not installed: apt-get install postgresql' : unless(join(PEERS_FOLDER, 'node_modules', 'pg'), 'pg'),
    path: peerPath,
    async start({ postgres }) {
      const { bin, user } = cluster!
      const database = await programOf({ path: join(bin, 'postgres'), args: postgresArgs(postgres), user, signal: 'SIGINT' })
      const front = await serverOf(startChild('peers/postgres-server.ts'), server => server.ask<string>('start', database.port))
      return { url: front.url, stop: () => front.stop().then(database.stop) }
    },
  },
  {
    name: 'FastAPI + DuckDB over Parquet',
    goals: atLeast(null, 10, null),
    missing: () => unless(inPython('uvicorn'), 'FastAPI'),
    path: peerPath,
    start: ({ parquet }) =>
      programOf({
        path: inPython('uvicorn'),
        args: ['--app-dir', import.meta.dirname, '--host', '127.0.0.1', '--port', '{port}', '--log-level', 'warning', 'fastapi_duckdb:app'],
        env: { PEER_PARQUET: parquet, PYTHONDONTWRITEBYTECODE: '1' },
      }),
  },
  {
    name: 'ROAPI, rows in memory',
    goals: atLeast(null, 10, null),
    missing: () => unless(inPython('roapi'), 'ROAPI'),
    path: filterPath,
    start: ({ parquet }) =>
      programOf({
        path: inPython('roapi'),
        args: ['--addr-http', '127.0.0.1:{port}', '--table', `rows=${parquet}`],
        env: { RUST_LOG: 'error' },
      }),
  },
  {
    name: 'Datasette over that SQLite file',
    goals: atLeast(null, 10, null),
    missing: () => unless(inPython('datasette'), 'Datasette'),
    path: namedQueryPath,
    start: ({ sqlite }) =>
      programOf({
        path: inPython('datasette'),
        args: [
          'serve',
          '--immutable',
          sqlite,
          '--metadata',
          join(import.meta.dirname, 'datasette.json'),
          '--host',
          '127.0.0.1',
          '--port',
          '{port}',
        ],
      }),
  },
]

async function serverOf(child: Child, start: (child: Child) => Promise<string>): Promise<Started> {
  try {
    return { url: await start(child), stop: () => child.stop() }
  } catch (error) {
    await child.stop()
    throw error
  }
}

async function programOf(order: ProgramOrder): Promise<Started & { readonly port: number }> {
  const child = startChild('peers/program.ts')
  let port = 0
  const { url } = await serverOf(child, async () => {
    port = await child.ask<number>('start', order)
    return `http://127.0.0.1:${port}`
  })
  return { url, port, stop: () => child.ask('stop').then(() => child.stop()) }
}
