import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openRemote, pullDataset, type RemoteOptions } from '../../../ingest/mirror/index.ts'
import { readCurrent } from '../../../src/releases/index.ts'
import { type Copy, type Fault, type Remote, remoteService, SLUG, servedBy, usedBy } from './remote.ts'

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

const served = () => readCurrent(r.root, SLUG)

it('twmd pull stops requesting charged file lists when their URLs keep expiring', async () => {
  r.disturb((path, response) => {
    if (!path.startsWith('/files/')) return undefined
    response.writeHead(403).end('{"error":{"error_code":"expired_file_url","error_message":"The URL has expired."}}')
    return true
  })
  await expect(r.pull()).rejects.toThrow('The URL has expired.')
  expect(r.requests.filter(({ path }) => path.includes('/parts'))).toHaveLength(3)
})

it('twmd pull resumes with a new key after the key of its file URLs was revoked', async () => {
  let cut = true
  r.disturb((path, response) => {
    if (!path.startsWith('/files/') || !cut) return undefined
    response.writeHead(404).end()
    return true
  })
  await expect(r.pull()).rejects.toThrow('404')
  cut = false
  const { accountId, keyId } = r.s.control.keys.find(r.key, r.s.now())!
  r.s.control.keys.revoke(accountId, keyId, r.s.now())
  await r.pull(3, r.s.keyOn('max'))
  expect(await served()).toBe(r.first)
})

it('twmd pull refuses a file with more bytes than the release states', async () => {
  const piece = Buffer.alloc(1 << 20)
  let sent = 0
  r.disturb((path, response) => {
    if (!path.startsWith('/files/')) return undefined
    response.writeHead(200)
    let left = 64
    const more = (error?: Error | null): void => {
      if (error || response.destroyed) return
      if (left-- === 0) return void response.end()
      sent++
      response.write(piece, more)
    }
    more()
    return true
  })
  await expect(r.pull()).rejects.toThrow('more bytes than the release states')
  expect(sent).toBeLessThan(64 * r.fileRequests().length)
  expect(readdirSync(join(r.root, SLUG, '.pull')).filter(name => name.endsWith('.draft'))).toEqual([])
})

it.each(['<html>', '{}'])('twmd pull refuses %s as a list of releases', async text => {
  r.disturb((path, response) => {
    if (!path.includes('/releases?')) return undefined
    response.writeHead(200).end(text)
    return true
  })
  await expect(r.pull()).rejects.toThrow('The response is not one of a twmd service of this version')
})

/** Answers paths that include `part` with this body. */
const answer =
  (part: string, text: string): Fault =>
  (path, response) => {
    if (!path.includes(part)) return undefined
    response.writeHead(200).end(text)
    return true
  }

/** Applies each fault to the answers that earlier faults leave unchanged. */
const combined =
  (...faults: readonly Fault[]): Fault =>
  (path, response, body) =>
    faults.some(fault => fault(path, response, body) === true) || undefined

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Sends another manifest and its matching hash. */
const forgeManifest = (text: string): Fault => combined(answer('/manifest.json', text), answer('/manifest.sha256', sha256(text)))
const manifestText = (): string => readFileSync(join(r.s.dir, 'releases', SLUG, r.first, 'manifest.json'), 'utf8')

const pullWith = (options: Partial<RemoteOptions>) =>
  pullDataset(openRemote({ url: r.url, key: r.key, tries: 1, ...options }), r.root, r.s.dataset(SLUG))

/**
 * Expects that the refused release is not visible, and that the next pull of an undisturbed service
 * completes.
 */
async function expectRecovery(): Promise<void> {
  expect(await servedBy(r)).toBe(null)
  r.disturb(() => undefined)
  expect(await r.pull()).toMatchObject({ status: 'pulled', release: r.first })
  expect(await servedBy(r)).toBe(r.first)
}

describe('sizes', () => {
  const NESTED = '['.repeat(4_000_000)
  it.each([
    ['the list of releases', () => answer('/releases?', NESTED)],
    ['the manifest', () => forgeManifest(NESTED)],
    [
      'the statistics',
      () => combined(forgeManifest(manifestText().replace(/(?<="spans": ?")\w+/, sha256(NESTED))), answer('/spans.json', NESTED)),
    ],
    ['the list of files', () => answer('/parts?', NESTED)],
  ])('twmd pull refuses deeply nested JSON in %s before parsing it', async (_, fault) => {
    r.disturb(fault())
    await expect(r.pull(1)).rejects.toThrow('The service sent JSON with more than 32 levels; the document was discarded.')
    await expectRecovery()
  })

  it('twmd pull counts the values of a list before parsing it', async () => {
    r.disturb(answer('/releases?', `[${'{},'.repeat(2_000_000)}0]`))
    await expect(r.pull(1)).rejects.toThrow('The service sent JSON with more than 1000000 values')
  })

  it('twmd pull stops reading a list that exceeds its maximum size', async () => {
    let sent = 0
    r.disturb((path, response) => {
      if (!path.includes('/releases?')) return undefined
      const more = (error?: Error | null): void => {
        if (!error && !response.destroyed && sent < 200) response.write(Buffer.alloc(2 ** 20, ' '), more)
        sent++
      }
      more()
      return true
    })
    await expect(r.pull(1)).rejects.toThrow('The service sent a list or document of more than 33554432 bytes')
    expect(sent).toBeLessThan(100)
  })

  it('twmd pull requests no file of a release that is larger than the free disk space', async () => {
    r.disturb(forgeManifest(manifestText().replace(/(?<="bytes": ?)\d+(?=,\s*"rows": ?\d+,\s*"role")/, String(2 ** 50))))
    await expect(r.pull(1)).rejects.toThrow(
      /The service reports 1125899\.9 GB for the files of \w+, but only [\d.]+ GB of disk space are free\./,
    )
    expect(r.fileRequests()).toEqual([])
    expect(await usedBy(r)).toBe(0)
    await expectRecovery()
  })
})

describe('numbers', () => {
  const withStatistic = (rows: string): string => manifestText().replace(/(?<="statistics": ?\{\s*"rows": ?)\d+/, rows)
  const withMeasurement = (value: string): string => manifestText().replace(/(?<="measured": ?\{)/, `"extra":${value},`)
  it.each([
    ['a negative number of rows', () => withStatistic('-1')],
    ['a fraction of rows', () => withStatistic('1.5')],
    ['rows above 2^53', () => withStatistic('9007199254740993')],
    ['infinite rows', () => withStatistic('1e999')],
    ['an infinite measurement', () => withMeasurement('1e999')],
  ])('twmd pull refuses a manifest with %s', async (_, text) => {
    expect(text()).not.toBe(manifestText())
    r.disturb(forgeManifest(text()))
    await expect(r.pull(1)).rejects.toThrow('This version of twmd cannot read the')
    expect(await servedBy(r)).toBe(null)
  })

  it.each(['Infinity', '-1', '0.5', 'NaN', '1e300'])('twmd pull refuses %s as the price of a file list in credits', async credits => {
    r.disturb((path, response, body) => {
      if (!path.includes('/parts?')) return undefined
      response.writeHead(200, { 'x-credits-charged': credits }).end(body)
      return true
    })
    await expect(r.pull(1)).rejects.toThrow(`The service sent x-credits-charged: ${credits}, which is not a count.`)
    await expectRecovery()
  })

  it('if a refusal of the service has values of unexpected types, twmd pull leaves them out of its error', async () => {
    const error = '"error_message":"Later.","credits_needed":1e999,"resets_at":{},"required_plan":[]'
    r.disturb((path, response) => {
      if (!path.includes('/parts?')) return undefined
      response.writeHead(403).end(`{"error":{${error}},"detail":[null]}`)
      return true
    })
    await expect(r.pull(1)).rejects.toThrow(/^The service answered 403: Later\.$/)
  })
})

describe('origins', () => {
  /** An origin that forwards requests to the service and records their headers. */
  async function otherOrigin() {
    const received: IncomingHttpHeaders[] = []
    const server = createServer(({ headers, url }, response) => {
      received.push(headers)
      send(new URL(url!, r.url), { headers }, answered => answered.pipe(response.writeHead(answered.statusCode!, answered.headers))).end()
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const close = () => {
      server.closeAllConnections()
      server.close()
    }
    return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, close }
  }
  let other: Awaited<ReturnType<typeof otherOrigin>>
  beforeEach(async () => {
    other = await otherOrigin()
  })
  afterEach(() => other.close())

  const namesOther: Fault = (path, response, body) => {
    if (!path.includes('/parts?')) return undefined
    response.end(body.toString().replaceAll(r.url, other.origin))
    return true
  }
  /** Redirects the first request for each path, or all of them. */
  const redirects = (part: string, location: (path: string) => string, isEndless = false): Fault => {
    const redirected = new Set<string>()
    return (path, response) => {
      if (!path.includes(part) || (redirected.has(path) && !isEndless)) return undefined
      redirected.add(path)
      response.writeHead(302, { location: location(path) }).end()
      return true
    }
  }
  const foreign = () => `The service sent a file URL at another origin, ${other.origin}. If you trust it, add it to --file-origins`

  it('if a request carries the key, twmd pull follows no redirect', async () => {
    r.disturb(redirects('/releases?', path => other.origin + path))
    await expect(r.pull()).rejects.toThrow(`302: it redirects to ${other.origin}; use that address if it is yours.`)
    expect(other.received).toEqual([])
  })

  it.each([
    ['a file URL', () => namesOther],
    ['a redirect of a file', () => redirects('/files/', path => other.origin + path)],
  ])('twmd pull refuses %s to an origin that is not allowed', async (_, fault) => {
    r.disturb(fault())
    await expect(pullWith({})).rejects.toThrow(foreign())
    expect(other.received).toEqual([])
    expect(await servedBy(r)).toBe(null)
  })

  it.each([
    ['a file URL', () => namesOther],
    ['a redirect of a file', () => redirects('/files/', path => other.origin + path)],
  ])('twmd pull follows %s to an allowed origin, but sends no key to it', async (_, fault) => {
    r.disturb(fault())
    const { files } = await pullWith({ fileOrigins: [other.origin] })
    expect(other.received).toHaveLength(files)
    expect(other.received.every(headers => headers['x-api-key'] === undefined)).toBe(true)
    expect(await servedBy(r)).toBe(r.first)
  })

  it('twmd pull follows redirects of a file within the service', async () => {
    r.disturb(redirects('/files/', path => path, true))
    await expect(pullWith({})).rejects.toThrow('The service redirected a file request more than 5 times.')
    r.disturb(redirects('/files/', path => path))
    expect(await pullWith({})).toMatchObject({ status: 'pulled', release: r.first })
  })

  it('twmd pull reuses a paid file list after the origin of its URLs is allowed, and discards the list for another service', async () => {
    r.disturb(namesOther)
    await expect(pullWith({})).rejects.toThrow(foreign())
    const paid = await usedBy(r)
    await expect(pullWith({})).rejects.toThrow(foreign())
    expect(await usedBy(r)).toBe(paid)
    r.disturb(() => undefined)
    const good = await otherOrigin()
    expect(await pullWith({ url: good.origin, fileOrigins: [r.url] })).toMatchObject({ status: 'pulled', release: r.first })
    expect(r.fileRequests().length).toBeGreaterThan(0)
    expect(other.received).toEqual([])
    good.close()
  })
})
