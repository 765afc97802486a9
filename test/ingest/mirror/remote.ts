import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect } from 'vitest'
import { loadCatalog } from '../../../catalog/index.ts'
import { openRemote, pullDataset } from '../../../ingest/mirror/index.ts'
import { createLog } from '../../../src/core/index.ts'
import { openReleases } from '../../../src/releases/index.ts'
import { service } from '../../support.ts'

export const SLUG = 'institutional-positioning'
/** Folder with two releases that have months. The second one appends to the first. */
const GOLDEN = new URL('../../behaviour/compatibility/months/', import.meta.url).pathname

/**
 * Changes an answer in the proxy. If it returns undefined, the proxy forwards the answer unchanged.
 */
export type Fault = (path: string, response: ServerResponse, body: Buffer) => boolean | undefined

/** A service with two releases, behind a proxy that records requests and can change answers. */
export async function remoteService() {
  const s = await service({ examples: false, inMemory: false, indexed: false })
  await cp(GOLDEN, join(s.dir, 'releases'), { recursive: true })
  const serve = async (release: string): Promise<void> => {
    writeFileSync(join(s.dir, 'releases', SLUG, 'current'), `${release}\n`)
    await s.releases.refresh()
  }
  const [first, second] = (await s.releases.retainedIds(s.dataset(SLUG))) as readonly [string, string]
  await serve(first)
  const behind = await s.app.listen({ port: 0, host: '127.0.0.1' })
  const requests: { readonly path: string; readonly range: string | undefined; readonly key: string | undefined }[] = []
  let copies = 0
  let fault: Fault = () => undefined
  const proxy = createServer((sent, response) => void passOn(sent, response))
  const passOn = async (sent: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { range, 'x-api-key': key } = sent.headers
    requests.push({ path: sent.url!, range, key: key as string | undefined })
    const forwarded = request(new URL(sent.url!, behind), { headers: sent.headers }).end()
    const [answer] = (await once(forwarded, 'response')) as [IncomingMessage]
    const bytes = await buffer(answer)
    const body = sent.url!.includes('/parts') ? Buffer.from(bytes.toString().replaceAll('http://127.0.0.1/', `${url}/`)) : bytes
    const { 'content-length': _, ...headers } = answer.headers
    if (fault(sent.url!, response, body)) return
    response.writeHead(answer.statusCode!, { ...headers, 'content-length': body.length }).end(body)
  }
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  return {
    /**
     * A new folder that pulls from the service with the key of a new account. Resets the proxy, and
     * makes the service serve the first release.
     */
    async copy() {
      const dir = await mkdtemp(join(tmpdir(), 'twmd-'))
      const [root, key, dataset] = [join(dir, 'releases'), s.keyOn('max', `copy-${copies++}@example.test`), s.dataset(SLUG)]
      fault = () => undefined
      requests.length = 0
      await serve(first)
      return {
        s,
        url,
        dir,
        root,
        key,
        pull: (tries = 3, as = key) => pullDataset(openRemote({ url, key: as, tries }), root, dataset),
        fileRequests: () => requests.filter(({ path }) => path.startsWith('/files/')),
        first,
        second,
        serve,
        requests,
        disturb: (next: Fault): void => {
          fault = next
        },
        close: () => rm(dir, { recursive: true }),
      }
    },
    async close() {
      proxy.closeAllConnections()
      proxy.close()
      await s.close()
    },
  }
}

export type Remote = Awaited<ReturnType<typeof remoteService>>
export type Copy = Awaited<ReturnType<Remote['copy']>>

/**
 * Id of the release that a service on the copy serves after verifying every file. Null if it serves
 * none.
 */
export async function servedBy(copy: Copy): Promise<string | null> {
  const catalog = await loadCatalog()
  const releases = await openReleases({ root: copy.root, catalog, log: createLog('silent') })
  const found = releases.served(catalog.get(SLUG)!)
  releases.close()
  expect(found?.degraded ?? false).toBe(false)
  return found?.id ?? null
}

/** Credits that the key's account used. */
export const usedBy = async ({ s, key }: Copy) => (await s.get('/v2/account/entitlements', key)).json().credits.used as number
