import { readFile } from 'node:fs/promises'
import type { LookupFunction } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createSender } from '../../src/webhooks/sender.ts'
import { nameServer } from './name-server.ts'
import { receiver } from './receiver.ts'

let r: Awaited<ReturnType<typeof receiver>>
beforeAll(async () => {
  r = await receiver()
})
afterAll(() => r.close())

const NEVER_ABORTED = new AbortController().signal
const post = (url: string, lookup?: LookupFunction, privateHosts = false) =>
  createSender({ privateHosts, timeoutMs: 30_000, ...(lookup && { lookup }) }).post(url, {}, '{}', NEVER_ABORTED)

/** A lookup that resolves names to these addresses in order, and finally always to the last one. */
const resolvesTo = (...addresses: readonly string[]): LookupFunction => {
  let lookups = 0
  return (_, options, callback) => {
    const address = addresses[Math.min(lookups++, addresses.length - 1)]!
    const family = address.includes(':') ? 6 : 4
    if (options.all) callback(null, [{ address, family }])
    else callback(null, address, family)
  }
}

describe('private addresses', () => {
  const PRIVATE_URLS = [
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
    'https://[::7f00:1]',
    'https://[::a9fe:a9fe]',
    'https://[4000::1]',
    'https://[100::1]',
    'https://[2001:db8::1]',
    'https://[2002:7f00:1::1]',
    'https://[fd00:ec2::254]',
    'https://168.63.129.16',
  ]
  it('the service sends no webhook to a private address in a URL', async () => {
    const port = new URL(r.url).port
    for (const base of PRIVATE_URLS)
      expect.soft(await post(`${base}:${port}/hook`), base).toEqual({ status: null, error: 'no_public_address', retryAfter: undefined })
    expect(r.messages).toEqual([])
  })

  it('the service sends no webhook to a name that resolves to a private address', async () => {
    const url = r.url.replace('127.0.0.1', 'hooks.example.test')
    for (const address of [
      '127.0.0.1',
      '169.254.169.254',
      '168.63.129.16',
      '::1',
      '::7f00:1',
      '::ffff:127.0.0.1',
      '4000::1',
      'fd00:ec2::254',
      'fe80::1',
    ])
      expect.soft(await post(url, resolvesTo(address)), address).toMatchObject({ error: 'no_public_address' })
    expect(r.messages).toEqual([])
  })

  it('the service sends no webhook to a name that resolves to a private address on its second lookup', async () => {
    const url = r.url.replace('127.0.0.1', 'rebinds.example.test')
    const sender = createSender({ privateHosts: false, timeoutMs: 300, lookup: resolvesTo('192.0.78.9', '127.0.0.1') })
    await sender.post(url, {}, '{}', NEVER_ABORTED)
    expect(await sender.post(url, {}, '{}', NEVER_ABORTED)).toMatchObject({ error: 'no_public_address' })
    expect(r.messages).toEqual([])
  })

  it('the service sends webhooks to private addresses when WEBHOOK_PRIVATE_HOSTS is on', async () => {
    expect(await post(r.url, undefined, true)).toMatchObject({ status: 200 })
    expect(await post(r.url.replace('127.0.0.1', 'inside.example.test'), resolvesTo('127.0.0.1'), true)).toMatchObject({ status: 200 })
    expect(r.taken()).toHaveLength(2)
  })
})

describe('name resolution', () => {
  const ask = async (url: string, privateHosts = false) => {
    const names = await nameServer({ 'inside.example.test': '10.0.0.1', 'hooks.example.test': '127.0.0.1' })
    try {
      const sender = createSender({ privateHosts, timeoutMs: 30_000, nameServers: [names.server] })
      return await sender.post(url, {}, '{}', NEVER_ABORTED)
    } finally {
      names.close()
    }
  }

  it('the service resolves the host of a webhook by DNS', async () => {
    expect(await ask(r.url.replace('127.0.0.1', 'hooks.example.test'), true)).toMatchObject({ status: 200 })
    expect(r.taken()).toHaveLength(1)
  })

  it('a name with a private address fails with the same error as an unknown name', async () => {
    const [inside, nowhere] = [await ask('https://inside.example.test/'), await ask('https://nowhere.example.test/')]
    expect(inside).toEqual({ status: null, error: 'no_public_address', retryAfter: undefined })
    expect(nowhere).toEqual(inside)
  })

  it('pending DNS queries do not block the threads that read files', async () => {
    const names = await nameServer({})
    const gone = new AbortController()
    let settled = 0
    const sender = createSender({ privateHosts: false, nameServers: [names.server] })
    const posts = Array.from({ length: 16 }, (_, index) =>
      sender.post(`https://silent-${index}.example.test/`, {}, '{}', gone.signal).finally(() => settled++),
    )
    await vi.waitUntil(() => new Set(names.queries).size === 16, { timeout: 30_000 })
    expect((await readFile('package.json')).length).toBeGreaterThan(0)
    expect(settled).toBe(0)
    gone.abort()
    expect(new Set((await Promise.all(posts)).map(({ error }) => error))).toEqual(new Set(['timed_out']))
    names.close()
  })

  it('the service resolves localhost when private addresses are allowed', async () => {
    expect(await post(r.url.replace('127.0.0.1', 'localhost'), undefined, true)).toMatchObject({ status: 200 })
    expect(r.taken()).toHaveLength(1)
  })
})
