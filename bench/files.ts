import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { releasePaths } from '../src/releases/index.ts'
import { type Child, startChild } from './child.ts'
import { folderOf, type Size, SLUG } from './data.ts'
import type { FilesOrder } from './file-reader.ts'
import type { Served } from './server.ts'
import { type Line, median } from './table.ts'

const CONNECTIONS = [1, 4] as const

interface Listed {
  readonly data: readonly { readonly url: string; readonly sha256: string; readonly bytes: number }[]
}

/**
 * Downloads Parquet files from the service and from nginx.
 *
 * @param effort number of rounds, and seconds per round
 */
export async function measureFiles(
  size: Size,
  [rounds, seconds]: readonly [number, number],
  say: (text: string) => void,
): Promise<readonly Line[]> {
  const [server, reader] = [startChild('server.ts'), startChild('file-reader.ts')]
  const nginx = await startNginx(releasePaths(join(folderOf(size), 'releases'), SLUG).parts)
  if (!nginx) say('nginx is not installed; files are measured alone')
  try {
    const { url, keys } = await server.ask<Served>('start', folderOf(size))
    await server.ask('rest')
    const { data } = await listOf(url, keys[0]!)
    const ours = data.map(file => new URL(file.url).pathname + new URL(file.url).search)
    const theirs = data.map(({ sha256 }) => `/${sha256}.parquet`)
    const lines: Line[] = []
    for (const connections of CONNECTIONS) {
      const measured: number[] = []
      const against: number[] = []
      for (let round = 0; round < rounds; round++) {
        measured.push(await rate(reader, { url, paths: ours, connections, seconds }))
        if (nginx) against.push(await rate(reader, { url: nginx.url, paths: theirs, connections, seconds }))
      }
      const name = `whole parts of ${(data[0]!.bytes / 1e6).toFixed(1)} MB by signed URL, ${connections} at a time${nginx ? ' / nginx' : ''}`
      const peer = nginx ? { against: median(against), goal: { atLeast: 0.8 } } : {}
      lines.push({ name, measured: median(measured), unit: 'MB/s', ...peer })
    }
    return [...lines, { name: '  descriptors open after that', measured: await server.ask<number>('descriptors'), unit: '' }]
  } finally {
    nginx?.stop()
    await Promise.all([server.stop(), reader.stop()])
  }
}

const rate = async (reader: Child, order: FilesOrder): Promise<number> => (await reader.ask<number>('run', order)) / 1e6

async function listOf(url: string, key: string): Promise<Listed> {
  const answer = await fetch(`${url}/v2/datasets/${SLUG}/parts`, { headers: { 'x-api-key': key } })
  if (!answer.ok) throw new Error(await answer.text())
  return (await answer.json()) as Listed
}

async function startNginx(root: string) {
  if (spawnSync('nginx', ['-v']).error) return null
  const home = mkdtempSync(join(tmpdir(), 'twmd-nginx-'))
  const port = await freePort()
  const config = join(home, 'nginx.conf')
  writeFileSync(
    config,
    `user root; daemon off; master_process off; pid ${home}/pid; error_log ${home}/error.log;
events { worker_connections 64; }
http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; open_file_cache max=1000;
  client_body_temp_path ${home}; proxy_temp_path ${home}; fastcgi_temp_path ${home}; uwsgi_temp_path ${home}; scgi_temp_path ${home};
  server { listen 127.0.0.1:${port}; root ${root}; } }`,
  )
  const child = spawn('nginx', ['-p', home, '-c', config], { stdio: 'ignore' })
  await sleep(500)
  return {
    url: `http://127.0.0.1:${port}`,
    stop(): void {
      child.kill()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}
