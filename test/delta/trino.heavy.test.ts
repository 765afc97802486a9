import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../fixtures/free-port.ts'
import { makeHistories, tablesFile } from '../fixtures/tables/history.ts'
import { service, type TestService } from '../support.ts'
import { startTrino } from './trino/server.ts'

const CACHE = join(homedir(), '.cache/twmd')
const PYTHON = process.env['TABLES_PYTHON'] ?? join(CACHE, 'readers/bin/python')
/** The server of `test/delta/run`, or `TRINO_SERVER`. */
const SERVER = process.env['TRINO_SERVER'] ?? join(CACHE, 'trino/trino-server-476')
const JAVA = process.env['TRINO_JAVA'] ?? 'java'
const javaVersion = Number(/\d+/.exec(spawnSync(JAVA, ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[0])
const isThere = existsSync(join(SERVER, 'lib')) && javaVersion >= 24 && spawnSync(PYTHON, ['-c', 'import trino']).status === 0

describe.skipIf(!isThere)(
  `Trino (skipped without ${SERVER}, without Java 24 in TRINO_JAVA, or if ${PYTHON} lacks the client: run test/delta/run)`,
  () => {
    let s: TestService
    let stop = async (): Promise<void> => {}
    let port: number
    beforeAll(async () => {
      s = await service({ examples: false })
      const tables = await makeHistories(s)
      const located = tables.map(table => ({ ...table, folder: `local:///${relative(s.dir, table.folder)}` }))
      writeFileSync(tablesFile(s.dir), JSON.stringify(located))
      port = await freePort()
      stop = await startTrino({ server: SERVER, java: JAVA }, s.dir, port)
    }, 900_000)
    afterAll(async () => {
      await stop()
      await s.close()
    })

    it('Trino reads every version of every dataset as the API sent it', () => {
      const env = { ...process.env, TZ: 'UTC', PYTHONPATH: resolve('test/delta/trino'), TRINO_PORT: String(port) }
      const output = execFileSync(PYTHON, ['test/delta/readers/compare.py', 'trino_rows', s.dir], { encoding: 'utf8', env })
      expect(JSON.parse(output.trimEnd().split('\n').at(-1)!)).toMatchObject({ wrong: [] })
    }, 900_000)
  },
)
