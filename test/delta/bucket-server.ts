import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../fixtures/free-port.ts'
import { readersCommand } from './engines.ts'
import { startServer } from './server-process.ts'

export interface BucketServer {
  /** For example http://127.0.0.1:8333. */
  readonly endpoint: string
  stop(): Promise<void>
}

/** Starts SeaweedFS, a server of S3 that checks signatures. Its files are in `parent`. */
export async function startBucketServer(parent: string, accessKey: string, secretKey: string): Promise<BucketServer> {
  const folder = join(parent, 'bucket-server')
  mkdirSync(folder)
  const identity = { name: 'twmd', credentials: [{ accessKey, secretKey }], actions: ['Admin', 'Read', 'Write', 'List', 'Tagging'] }
  writeFileSync(join(folder, 's3.json'), JSON.stringify({ identities: [identity] }))
  const ports: Record<string, number> = {}
  for (const service of ['master', 'volume', 'filer', 's3'])
    for (const name of [`${service}.port`, `${service}.port.grpc`]) ports[name] = await freePort()
  const endpoint = `http://127.0.0.1:${ports['s3.port']}`
  const stop = await startServer({
    program: readersCommand('weed'),
    args: [
      'server',
      '-s3',
      '-ip=127.0.0.1',
      '-ip.bind=127.0.0.1',
      `-dir=${folder}`,
      `-s3.config=${join(folder, 's3.json')}`,
      '-s3.port.iceberg=0',
      '-s3.port.lance=0',
      '-master.volumeSizeLimitMB=100',
      '-volume.max=100',
      ...Object.entries(ports).map(([name, port]) => `-${name}=${port}`),
    ],
    log: join(folder, 'server.log'),
    // Any XML response shows that the S3 port is ready, here the refusal of a request without a
    // signature.
    probe: endpoint,
    isReady: body => body.includes('<Error>'),
    startMs: 60_000,
  })
  return { endpoint, stop }
}
