import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../fixtures/free-port.ts'
import { service, type TestService } from '../../support.ts'
import { blocksOf } from '../documents/documents.ts'

const NGINX = process.env['NGINX'] ?? 'nginx'
const isThere = spawnSync(NGINX, ['-v']).status === 0

describe.skipIf(!isThere)('nginx with the configuration of docs/scale-out.md (skipped if neither the path nor NGINX has nginx)', () => {
  let primary: TestService
  let replica: TestService
  let nginx: ChildProcess
  let proxy = ''
  const dir = mkdtempSync(join(tmpdir(), 'twmd-'))
  const keys = { primary: '', replica: '' }

  beforeAll(async () => {
    const port = await freePort()
    proxy = `http://127.0.0.1:${port}`
    primary = await service({ publicUrl: proxy })
    replica = await service({ publicUrl: proxy })
    Object.assign(keys, { primary: primary.keyOn('pro'), replica: replica.keyOn('pro') })
    const [primaryHost, replicaHost] = await Promise.all([primary, replica].map(async s => new URL(await listen(s)).host))
    const { keyId } = replica.control.keys.find(keys.replica, replica.now())!
    const [configuration, map] = ['# /etc/nginx/conf.d/twmd.conf', 'sk_live_EXAMPLE'].map(documented) as [string, string]
    writeFileSync(join(dir, 'twmd-keys.map'), map.replace('sk_live_EXAMPLE', keys.replica).replace('key_EXAMPLE', keyId))
    const site = configuration
      .replace('/etc/nginx/twmd-keys.map', join(dir, 'twmd-keys.map'))
      .replace('10.0.0.10:8080', primaryHost!)
      .replace('10.0.0.11:8080', replicaHost!)
      .replace('listen 80;', `listen 127.0.0.1:${port};`)
    writeFileSync(join(dir, 'nginx.conf'), mainConfiguration(site))
    nginx = spawn(NGINX, ['-p', dir, '-c', join(dir, 'nginx.conf'), '-e', join(dir, 'error.log')], { stdio: 'ignore' })
    while ((await statusOf('/healthz').catch(() => undefined)) !== 200) await sleep(50)
  }, 120_000)
  afterAll(async () => {
    nginx?.kill()
    await Promise.all([primary?.close(), replica?.close()])
    rmSync(dir, { recursive: true })
  })

  const send = (path: string, headers: Readonly<Record<string, string>> = {}) => request(new URL(path, proxy), { headers })
  const statusOf = async (path: string, headers: Readonly<Record<string, string>> = {}): Promise<number> => {
    const { statusCode, body } = await send(path, headers)
    await body.dump()
    return statusCode
  }
  const ENTITLEMENTS = '/v2/account/entitlements'

  it('nginx sends a request to the service that created its key, whichever header contains the key', async () => {
    expect((await primary.get(ENTITLEMENTS, keys.replica)).statusCode).toBe(401)
    expect((await replica.get(ENTITLEMENTS, keys.primary)).statusCode).toBe(401)
    for (const key of Object.values(keys)) {
      expect(await statusOf(ENTITLEMENTS, { 'x-api-key': key })).toBe(200)
      expect(await statusOf(ENTITLEMENTS, { authorization: `Bearer ${key}` })).toBe(200)
    }
  })

  it('nginx sends a signed URL without a key to the service that signed it', async () => {
    for (const key of Object.values(keys)) {
      const { body } = await send('/v2/datasets/securities-firm-master/parts', { 'x-api-key': key })
      const { data } = (await body.json()) as { readonly data: readonly { readonly url: string }[] }
      expect(data[0]!.url).toContain(`${proxy}/files/`)
      expect(await statusOf(data[0]!.url)).toBe(200)
    }
  })
})

const documented = (beginning: string): string => blocksOf('docs/scale-out.md').find(({ text }) => text.startsWith(beginning))!.text

const listen = (s: TestService): Promise<string> => s.app.listen({ port: 0, host: '127.0.0.1' })

/**
 * The directives around the files of conf.d in a distribution's nginx.conf. Paths are below the
 * prefix folder.
 */
const mainConfiguration = (site: string): string => `
daemon off;
pid nginx.pid;
events {}
http {
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  ${site}
}
`
