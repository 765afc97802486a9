import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo, LookupFunction } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createSender } from '../../../src/accounts/webhooks/sender.ts'
import { certificateChain, hasOpenssl } from '../../fixtures/certificates.ts'
import { nameServer } from './name-server.ts'
import { receiver } from './receiver.ts'

let r: Awaited<ReturnType<typeof receiver>>
beforeAll(async () => {
  r = await receiver()
})
afterAll(() => r.close())

const GOES_ON = new AbortController().signal
const post = (url: string, lookup?: LookupFunction, privateHosts = false) =>
  createSender({ privateHosts, timeoutMs: 5_000, ...(lookup && { lookup }) }).post(url, {}, '{}', GOES_ON)

/** A name server that leads a name to an address, another one each time it is asked. */
const leads = (...addresses: readonly string[]): LookupFunction => {
  let asked = 0
  return (_, options, done) => {
    const address = addresses[Math.min(asked++, addresses.length - 1)]!
    const family = address.includes(':') ? 6 : 4
    if (options.all) done(null, [{ address, family }])
    else done(null, address, family)
  }
}

describe('a message is never sent to an address that is not public', () => {
  it.each([
    'http://127.0.0.1',
    'https://127.0.0.1',
    'https://169.254.169.254',
    'https://10.0.0.1',
    'https://100.64.0.1',
    'https://0.0.0.0',
    'https://[::1]',
    'https://[::ffff:10.0.0.1]',
    'https://[fd00::1]',
    'https://[64:ff9b::7f00:1]',
    'https://2130706433',
  ])('that a URL spells: %s', async base => {
    const port = new URL(r.url).port
    expect(await post(`${base}:${port}/hook`)).toEqual({ status: null, error: 'no_public_address', retryAfter: undefined })
    expect(r.messages).toEqual([])
  })

  it.each(['127.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1', 'fe80::1'])('that a name leads to: %s', async address => {
    const url = r.url.replace('127.0.0.1', 'hooks.example.test')
    expect(await post(url, leads(address))).toMatchObject({ error: 'no_public_address' })
    expect(r.messages).toEqual([])
  })

  it('that a name leads to by the time it is connected to, whatever it led to before', async () => {
    const url = r.url.replace('127.0.0.1', 'rebinds.example.test')
    const sender = createSender({ privateHosts: false, timeoutMs: 300, lookup: leads('192.0.78.9', '127.0.0.1') })
    await sender.post(url, {}, '{}', GOES_ON)
    expect(await sender.post(url, {}, '{}', GOES_ON)).toMatchObject({ error: 'no_public_address' })
    expect(r.messages).toEqual([])
  })

  it('but where the operator allows it', async () => {
    expect(await post(r.url, undefined, true)).toMatchObject({ status: 200 })
    expect(await post(r.url.replace('127.0.0.1', 'inside.example.test'), leads('127.0.0.1'), true)).toMatchObject({ status: 200 })
    expect(r.taken()).toHaveLength(2)
  })
})

describe('a name', () => {
  const ask = async (url: string, privateHosts = false) => {
    const names = await nameServer({ 'inside.example.test': '10.0.0.1', 'hooks.example.test': '127.0.0.1' })
    try {
      const sender = createSender({ privateHosts, timeoutMs: 5_000, nameServers: [names.server] })
      return await sender.post(url, {}, '{}', GOES_ON)
    } finally {
      names.close()
    }
  }

  it('is asked of name servers, and its address is sent to', async () => {
    expect(await ask(r.url.replace('127.0.0.1', 'hooks.example.test'), true)).toMatchObject({ status: 200 })
    expect(r.taken()).toHaveLength(1)
  })

  it('that only the operator’s network knows looks from outside as one that nobody knows', async () => {
    const [inside, nowhere] = [await ask('https://inside.example.test/'), await ask('https://nowhere.example.test/')]
    expect(inside).toEqual({ status: null, error: 'no_public_address', retryAfter: undefined })
    expect(nowhere).toEqual(inside)
  })

  it('that no name server answers for holds no thread that files are read by', async () => {
    const names = await nameServer({})
    const gone = new AbortController()
    let over = 0
    const sender = createSender({ privateHosts: false, nameServers: [names.server] })
    const posts = Array.from({ length: 16 }, (_, at) =>
      sender.post(`https://silent-${at}.example.test/`, {}, '{}', gone.signal).finally(() => over++),
    )
    await vi.waitUntil(() => new Set(names.asked).size === 16)
    expect((await readFile('package.json')).length).toBeGreaterThan(0)
    expect(over).toBe(0)
    gone.abort()
    expect(new Set((await Promise.all(posts)).map(({ error }) => error))).toEqual(new Set(['timed_out']))
    names.close()
  })

  it('of this machine alone is known where the operator allows its addresses', async () => {
    expect(await post(r.url.replace('127.0.0.1', 'localhost'), undefined, true)).toMatchObject({ status: 200 })
    expect(r.taken()).toHaveLength(1)
  })
})

it.skipIf(!hasOpenssl())(
  'a receiver that no known authority vouches for is told to its account as one with a bad certificate',
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'twmd-ca-'))
    const server = createServer(certificateChain(dir), (_, answer) => answer.end()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    try {
      const { port } = server.address() as AddressInfo
      expect(await post(`https://127.0.0.1:${port}/hook`, undefined, true)).toMatchObject({ status: null, error: 'certificate' })
    } finally {
      server.close()
      rmSync(dir, { recursive: true, force: true })
    }
  },
)
