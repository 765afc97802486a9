import { readdirSync, readFileSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { loadCatalog } from '../../../catalog/index.ts'
import { openRemote, pullDataset } from '../../../ingest/mirror/index.ts'
import { partFiles, readManifest } from '../../../src/releases/index.ts'
import { service } from '../../support.ts'
import { type Copy, type Remote, remoteService, SLUG, servedBy, usedBy } from './remote.ts'

const catalog = await loadCatalog()
const dataset = catalog.get(SLUG)!

let remote: Remote
let r: Copy
beforeAll(async () => {
  remote = await remoteService()
})
afterAll(() => remote.close())
beforeEach(async () => {
  r = await remote.copy()
})
afterEach(() => r.close())

const here = (...path: readonly string[]) => join(r.root, SLUG, ...path)

describe('twmd pull', () => {
  it('twmd pull copies the served release byte for byte so that a service serves it', async () => {
    const pulled = await r.pull()
    const manifest = await readManifest(join(r.s.dir, 'releases'), SLUG, r.first)
    const files = partFiles(manifest)
    expect(manifest.months!.length).toBeGreaterThan(0)
    expect(pulled).toMatchObject({ status: 'pulled', release: r.first, files: files.length })
    expect(pulled.credits).toBe(await usedBy(r))
    for (const name of ['manifest.json', 'manifest.sha256', 'spans.json'])
      expect(readFileSync(here(r.first, name)).equals(readFileSync(join(r.s.dir, 'releases', SLUG, r.first, name)))).toBe(true)
    for (const [folder, files] of [
      ['parts', manifest.parts],
      ['months', manifest.months!],
    ] as const)
      expect(readdirSync(here(folder)).toSorted(), folder).toEqual(files.map(({ sha256 }) => `${sha256}.parquet`).toSorted())
    expect(readdirSync(here()).toSorted()).toEqual([r.first, 'current', 'months', 'parts'])
    expect(await servedBy(r)).toBe(r.first)
  })

  it('twmd pull fetches and pays for new files only, and pays nothing for an unchanged release', async () => {
    const first = await r.pull()
    await r.serve(r.second)
    r.requests.length = 0
    const second = await r.pull()
    const [before, after] = await Promise.all([r.first, r.second].map(id => readManifest(r.root, SLUG, id)))
    const had = new Set(partFiles(before!).map(({ sha256 }) => sha256))
    const fresh = partFiles(after!).filter(({ sha256 }) => !had.has(sha256))
    expect(second).toMatchObject({ status: 'pulled', files: fresh.length })
    expect(r.fileRequests()).toHaveLength(fresh.length)
    expect(await usedBy(r)).toBe(first.credits + second.credits)
    expect(await servedBy(r)).toBe(r.second)
    expect(await r.pull()).toMatchObject({ status: 'unchanged', credits: 0 })
    await r.serve(r.first)
    expect(await r.pull()).toMatchObject({ status: 'pulled', release: r.first, files: 0, credits: 0 })
    expect(await servedBy(r)).toBe(r.first)
  })

  it('twmd pull fetches a removed file again without rewriting the release', async () => {
    await r.pull()
    const before = statSync(here(r.first)).ino
    await rm(here('parts', readdirSync(here('parts'))[0]!))
    expect(await r.pull()).toMatchObject({ status: 'pulled', files: 1 })
    expect(statSync(here(r.first)).ino).toBe(before)
    expect(await servedBy(r)).toBe(r.first)
  })

  it('twmd pull sends its key with API requests and not with file URLs', async () => {
    await r.pull()
    expect(r.fileRequests().map(({ key }) => key)).toEqual(r.fileRequests().map(() => undefined))
    expect(r.requests.filter(({ path }) => !path.startsWith('/files/')).every(({ key: sent }) => sent === r.key)).toBe(true)
  })

  it('twmd pull resumes a truncated file with a range request', async () => {
    let cut = 0
    r.disturb((path, response, body) => {
      if (!path.startsWith('/files/') || cut++ > 0) return undefined
      response.writeHead(200, { 'content-length': body.length })
      response.write(body.subarray(0, body.length >> 1), () => setTimeout(() => response.destroy(), 100))
      return true
    })
    await r.pull()
    expect(r.fileRequests().filter(({ range }) => range !== undefined)).toHaveLength(1)
    expect(await servedBy(r)).toBe(r.first)
  })

  it('twmd pull refetches a corrupt file and serves nothing while it stays corrupt', async () => {
    let damage = 1
    const flip = (path: string, response: import('node:http').ServerResponse, body: Buffer) => {
      if (!path.startsWith('/files/') || damage-- <= 0) return undefined
      const flipped = Buffer.from(body)
      flipped[7] = flipped[7]! ^ 1
      response.writeHead(200, { 'content-length': flipped.length }).end(flipped)
      return true
    }
    r.disturb(flip)
    damage = Number.POSITIVE_INFINITY
    await expect(r.pull()).rejects.toThrow('did not match its checksum')
    expect(await servedBy(r)).toBe(null)
    damage = 1
    await r.pull()
    expect(await servedBy(r)).toBe(r.first)
  })

  it('twmd pull requests new URLs after they expired', async () => {
    let ended = 3
    r.disturb((path, response) => {
      if (!path.startsWith('/files/') || ended-- <= 0) return undefined
      response.writeHead(403).end('{"error":{"error_code":"expired_file_url","error_message":"The URL has expired."}}')
      return true
    })
    await r.pull()
    expect(r.requests.filter(({ path }) => path.includes('/parts')).length).toBeGreaterThan(1)
    expect(await servedBy(r)).toBe(r.first)
  })

  it.each(['manifest.json', 'spans.json'])('twmd pull refuses a damaged %s and serves nothing of the release', async name => {
    r.disturb((path, response, body) => {
      if (!path.endsWith(name)) return undefined
      const text = body.toString().replace(/\d(?=[^\d]*$)/, '0 ')
      response.writeHead(200, { 'content-length': Buffer.byteLength(text) }).end(text)
      return true
    })
    await expect(r.pull()).rejects.toThrow('arrived damaged')
    expect(await servedBy(r)).toBe(null)
  })

  it("twmd pull waits for Retry-After and reports a final refusal in the service's words", async () => {
    let refuse = 1
    r.disturb((_, response) => {
      if (refuse-- <= 0) return undefined
      response.writeHead(429, { 'retry-after': '1' }).end('{"error":{"error_message":"Too many requests. Wait 1 second."}}')
      return true
    })
    const waits: (readonly [number, string])[] = []
    let answered = 0
    const remote = openRemote({ url: r.url, key: r.key, waiting: (...wait) => waits.push(wait), answering: () => answered++ })
    await pullDataset(remote, r.root, dataset)
    expect([waits, answered]).toEqual([[[1, 'The service answered 429: Too many requests. Wait 1 second.']], 1])
    const low = openRemote({ url: r.url, key: r.s.keyOn('free') })
    await expect(pullDataset(low, join(r.dir, 'other'), dataset)).rejects.toThrow('403: This dataset requires a higher plan.')
  })

  it('a replica refuses a key of the primary, states where that key works, and accepts its own keys', async () => {
    const replica = await service({ examples: false, inMemory: false, indexed: false })
    const read = async (key: string) => (await replica.get(`/v2/datasets/${SLUG}/releases`, key)).json()
    const message = async () => (await read(r.key)).error.error_message
    expect(await message()).toMatch(/^The API key is invalid\./)
    await pullDataset(openRemote({ url: r.url, key: r.key }), join(replica.dir, 'releases'), dataset)
    await replica.releases.refresh()
    expect(await message()).toBe(
      'This service is a replica and does not know this API key, because a key works only at the service that created it. Use a key of this replica, or send the request to the primary.',
    )
    expect((await read(replica.keyOn('max'))).served).toBe(r.first)
    await replica.close()
  })
})
