import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { freePort } from '../../fixtures/free-port.ts'
import { comparison, READERS_PYTHON, resultOf, TRINO_JAVA, TRINO_SERVER } from '../engines.ts'
import { startServer } from '../server-process.ts'

/** Rows of a statement, or its error. */
export interface Result {
  readonly rows: readonly (readonly unknown[])[]
  readonly error: string | null
}

export interface Trino {
  /** Compares every version of the tables that `tables.json` of a folder lists. */
  compare(folder: string): Promise<unknown>
  /** Runs statements that semicolons separate. */
  execute(statements: string): Promise<readonly Result[]>
  stop(): Promise<void>
}

/** Starts Trino with one catalog, `delta`. Its files are in `trino-server/` of a folder. */
export async function startTrino(parent: string, catalog: string): Promise<Trino> {
  const port = await freePort()
  const folder = join(parent, 'trino-server')
  const file = (name: string, lines: readonly string[]): string => {
    writeFileSync(join(folder, name), `${lines.join('\n')}\n`)
    return join(folder, name)
  }
  for (const name of ['catalog', 'plugin', 'data']) mkdirSync(join(folder, name), { recursive: true })
  // Other plugins would take most of the startup time.
  symlinkSync(join(TRINO_SERVER, 'plugin/delta-lake'), join(folder, 'plugin/delta-lake'))
  file('catalog/delta.properties', [catalog])
  const config = file('config.properties', [
    'coordinator=true',
    'node-scheduler.include-coordinator=true',
    'node.bind-ip=127.0.0.1',
    'node.internal-address=127.0.0.1',
    `http-server.http.port=${port}`,
    `discovery.uri=http://127.0.0.1:${port}`,
    `catalog.config-dir=${join(folder, 'catalog')}`,
    `plugin.dir=${join(folder, 'plugin')}`,
    'query.max-memory-per-node=512MB',
    'query.max-run-time=5m',
    'catalog.management=static',
  ])
  const levels = file('log.properties', ['io.trino=WARN'])
  const stop = await startServer({
    program: TRINO_JAVA!,
    args: [
      '-Xmx2G',
      '-XX:+UseG1GC',
      // Faster to start. The queries are too short for the second compiler.
      '-XX:TieredStopAtLevel=1',
      '-Djdk.attach.allowAttachSelf=true',
      '--add-modules=jdk.incubator.vector',
      '--enable-native-access=ALL-UNNAMED',
      '--sun-misc-unsafe-memory-access=allow',
      '-Dnode.environment=test',
      '-Dnode.id=test',
      `-Dnode.data-dir=${join(folder, 'data')}`,
      `-Dconfig=${config}`,
      `-Dlog.levels-file=${levels}`,
      '-cp',
      join(TRINO_SERVER, 'lib/*'),
      'io.trino.server.TrinoServer',
    ],
    log: join(folder, 'server.log'),
    probe: `http://127.0.0.1:${port}/v1/info`,
    isReady: body => body.includes('"starting":false'),
    startMs: 480_000,
  })
  const env = { PYTHONPATH: resolve('test/delta/trino'), TRINO_PORT: String(port) }
  return {
    compare: tables => comparison(READERS_PYTHON, 'trino_rows', tables, env),
    execute: async statements => {
      const texts = statements.split(';').filter(text => text.trim() !== '')
      return (await resultOf(READERS_PYTHON, ['test/delta/trino/execute.py', ...texts], { env })) as readonly Result[]
    },
    stop,
  }
}
