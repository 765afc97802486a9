import type { LookupFunction } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSender } from '../../src/accounts/webhooks/sender.ts'
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
    expect(await post(`${base}:${port}/hook`)).toEqual({ status: null, error: 'address_not_public', retryAfter: undefined })
    expect(r.messages).toEqual([])
  })

  it.each(['127.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1', 'fe80::1'])('that a name leads to: %s', async address => {
    const url = r.url.replace('127.0.0.1', 'hooks.example.test')
    expect(await post(url, leads(address))).toMatchObject({ error: 'address_not_public' })
    expect(r.messages).toEqual([])
  })

  it('that a name leads to by the time it is connected to, whatever it led to before', async () => {
    const url = r.url.replace('127.0.0.1', 'rebinds.example.test')
    const sender = createSender({ privateHosts: false, timeoutMs: 300, lookup: leads('192.0.78.9', '127.0.0.1') })
    await sender.post(url, {}, '{}', GOES_ON)
    expect(await sender.post(url, {}, '{}', GOES_ON)).toMatchObject({ error: 'address_not_public' })
    expect(r.messages).toEqual([])
  })

  it('but where the operator allows it', async () => {
    expect(await post(r.url, undefined, true)).toMatchObject({ status: 200 })
    expect(await post(r.url.replace('127.0.0.1', 'inside.example.test'), leads('127.0.0.1'), true)).toMatchObject({ status: 200 })
    expect(r.taken()).toHaveLength(2)
  })
})
