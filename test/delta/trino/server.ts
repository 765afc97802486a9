import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'

/** Paths of a Trino installation. */
export interface TrinoPaths {
  /** Folder of the unpacked server, with `lib` and `plugin`. */
  readonly server: string
  /** Java 24 or later. */
  readonly java: string
}

/** A Trino with the catalog `delta` over a local folder, whose root is `local:///`. */
export async function startTrino({ server, java }: TrinoPaths, root: string, port: number): Promise<() => Promise<void>> {
  const home = join(root, 'trino')
  const file = (name: string, lines: readonly string[]): string => {
    writeFileSync(join(home, name), `${lines.join('\n')}\n`)
    return join(home, name)
  }
  for (const folder of ['catalog', 'plugin', 'data', 'metastore']) mkdirSync(join(home, folder), { recursive: true })
  // Other plugins would take most of the startup time.
  symlinkSync(join(server, 'plugin/delta-lake'), join(home, 'plugin/delta-lake'))
  file('catalog/delta.properties', [
    'connector.name=delta_lake',
    'hive.metastore=file',
    'hive.metastore.catalog.dir=local:///trino/metastore',
    'fs.native-local.enabled=true',
    `local.location=${root}`,
    'delta.register-table-procedure.enabled=true',
  ])
  const config = file('config.properties', [
    'coordinator=true',
    'node-scheduler.include-coordinator=true',
    'http-server.bind-address=127.0.0.1',
    `http-server.http.port=${port}`,
    `discovery.uri=http://127.0.0.1:${port}`,
    `catalog.config-dir=${join(home, 'catalog')}`,
    `plugin.dir=${join(home, 'plugin')}`,
    'query.max-memory-per-node=512MB',
    'catalog.management=static',
  ])
  const log = file('log.properties', ['io.trino=WARN'])
  const child = spawn(
    java,
    [
      '-Xmx2G',
      '-XX:+UseG1GC',
      '-Djdk.attach.allowAttachSelf=true',
      '--add-modules=jdk.incubator.vector',
      '--enable-native-access=ALL-UNNAMED',
      '--sun-misc-unsafe-memory-access=allow',
      '-Dnode.environment=test',
      '-Dnode.id=test',
      `-Dnode.data-dir=${join(home, 'data')}`,
      `-Dconfig=${config}`,
      `-Dlog.levels-file=${log}`,
      '-cp',
      join(server, 'lib/*'),
      'io.trino.server.TrinoServer',
    ],
    { cwd: server, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', piece => output.push(String(piece)))
  await untilReady(child, port, output)
  return async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill()
    await new Promise(resolve => child.once('exit', resolve))
  }
}

/** @throws Error with the last output if the server ends first */
async function untilReady(child: ChildProcess, port: number, output: readonly string[]): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`Trino ended with ${child.exitCode}: ${output.join('').slice(-4_000)}`)
    const info = await request(`http://127.0.0.1:${port}/v1/info`).then(
      ({ body }) => body.json() as Promise<{ readonly starting: boolean }>,
      () => undefined,
    )
    if (info?.starting === false) return
    await sleep(500)
  }
}
