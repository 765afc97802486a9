import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { readCurrent } from '../../../src/releases/index.ts'
import { type Copy, type Remote, remoteService, SLUG } from './remote.ts'

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
    response.writeHead(403).end('{"error":{"error_code":"expired_file_url","error_message":"This URL has expired."}}')
    return true
  })
  await expect(r.pull()).rejects.toThrow('This URL has expired.')
  expect(r.asked.filter(({ path }) => path.includes('/parts'))).toHaveLength(3)
})

it('twmd pull resumes with a new key after the key of its URLs was revoked', async () => {
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
  await expect(r.pull()).rejects.toThrow('more bytes than the release names')
  expect(sent).toBeLessThan(64 * r.filesAsked().length)
  expect(readdirSync(join(r.root, SLUG, '.pull')).filter(name => name.endsWith('.draft'))).toEqual([])
})

it.each(['<html>', '{}'])('twmd pull refuses %s as a list of releases', async text => {
  r.disturb((path, response) => {
    if (!path.includes('/releases?')) return undefined
    response.writeHead(200).end(text)
    return true
  })
  await expect(r.pull()).rejects.toThrow('What answers is not a service of this version')
})

it('twmd pull sends its key to no redirect target and no other origin', async () => {
  const keys: unknown[] = []
  const other = createServer(({ headers }, response) => {
    keys.push(headers['x-api-key'])
    response.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const host = `127.0.0.1:${(other.address() as AddressInfo).port}`
  r.disturb((path, response) => {
    if (!path.includes('/releases?')) return undefined
    response.writeHead(302, { location: `http://${host}/v2` }).end()
    return true
  })
  await expect(r.pull()).rejects.toThrow(`302: it sends on to http://${host}; name that address if it is yours.`)
  expect(keys).toEqual([])
  r.disturb((path, response, body) => {
    if (!path.includes('/parts?')) return undefined
    response.end(body.toString().replaceAll(r.url, `//${host}`))
    return true
  })
  await expect(r.pull()).rejects.toThrow('404')
  expect(keys.length).toBeGreaterThan(0)
  expect(keys.every(sent => sent === undefined)).toBe(true)
  other.close()
})
