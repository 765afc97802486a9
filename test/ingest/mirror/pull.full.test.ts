import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ended, startTwmd, twmd } from '../../fixtures/cli/twmd.ts'
import { type Copy, type Remote, remoteService, SLUG, servedBy, usedBy } from './remote.ts'

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

describe('killed pulls', () => {
  const start = (...more: readonly string[]) => startTwmd(r.dir, ['pull', SLUG, r.root, '--from', r.url, ...more], { TWMD_API_KEY: r.key })

  it('twmd pull killed between files serves nothing, and resumes without a second charge', async () => {
    const delayed = Promise.withResolvers<{ readonly draft: string; readonly bytes: number }>()
    let files = 0
    r.disturb((path, response, body) => {
      if (!path.startsWith('/files/') || ++files < 3) return undefined
      response.writeHead(200, { 'content-length': body.length })
      const half = body.subarray(0, body.length >> 1)
      response.write(half)
      delayed.resolve({ draft: here('.pull', `${/[0-9a-f]{64}/.exec(path)![0]}.draft`), bytes: half.length })
      return true
    })
    const child = start()
    const { draft, bytes } = await delayed.promise
    await expect.poll(() => statSync(draft, { throwIfNoEntry: false })?.size, { timeout: 10_000 }).toBe(bytes)
    child.kill('SIGKILL')
    await once(child, 'close')
    expect(await servedBy(r)).toBe(null)
    expect(statSync(here('.pull', 'urls.json')).mode & 0o077).toBe(0)
    const paid = await usedBy(r)
    expect(paid).toBeGreaterThan(0)
    r.disturb(() => undefined)
    r.requests.length = 0
    const again = await ended(start())
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining(`pulled ${r.first}`) })
    expect(r.fileRequests().some(({ range }) => range !== undefined)).toBe(true)
    expect(await usedBy(r)).toBe(paid)
    expect(await servedBy(r)).toBe(r.first)
    expect((await twmd(r.dir, 'releases', 'verify', SLUG)).code).toBe(0)
    expect(readdirSync(here('_delta_log'))).toContain('00000000000000000000.json')
  }, 60_000)

  it('the next twmd pull writes a missing table log', async () => {
    expect(await ended(start())).toMatchObject({ code: 0 })
    await rm(here('_delta_log'), { recursive: true })
    expect(await ended(start())).toMatchObject({ code: 0, stdout: expect.stringContaining('is up to date') })
    expect(readdirSync(here('_delta_log'))).toContain('00000000000000000000.json')
  }, 60_000)

  it('twmd pull --follow serves the next release once the remote service serves it', async () => {
    const child = start('--follow', '--every', '5')
    await expect.poll(() => readFileSync(here('current'), { encoding: 'utf8', flag: 'a+' }).trim(), { timeout: 20_000 }).toBe(r.first)
    await r.serve(r.second)
    await expect.poll(() => readFileSync(here('current'), 'utf8').trim(), { timeout: 20_000 }).toBe(r.second)
    child.kill('SIGTERM')
    await once(child, 'close')
    expect(await servedBy(r)).toBe(r.second)
  }, 60_000)
})

it('the errors of twmd pull name a missing address, a missing key and an unknown dataset', async () => {
  const run = (args: readonly string[], rest: Readonly<Record<string, string>> = {}) => ended(startTwmd(r.dir, ['pull', ...args], rest))
  expect(await run([SLUG, r.root])).toMatchObject({ code: 2, stderr: expect.stringContaining('--from') })
  expect(await run([SLUG, r.root, '--from', r.url])).toMatchObject({ code: 2, stderr: expect.stringContaining('TWMD_API_KEY') })
  const keyFile = join(r.dir, 'key')
  await writeFile(keyFile, `${r.key}\n`, { mode: 0o600 })
  const wrong = await run(['institutional-positionin', r.root, '--from', r.url, '--key-file', keyFile])
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining(`did you mean ${SLUG}?`) })
  const result = await run([SLUG, r.root, '--from', r.url, '--key-file', keyFile, '--json'])
  expect(JSON.parse(result.stdout)).toMatchObject({ dataset: SLUG, status: 'pulled', release: r.first })
}, 30_000)

it('twmd pull --follow stops after two file lists in a row were cut off', { timeout: 60_000 }, async () => {
  r.disturb((path, response) => {
    if (!path.includes('/parts?')) return undefined
    response.destroy()
    return true
  })
  const args = ['pull', SLUG, r.root, '--from', r.url, '--follow', '--every', '5']
  const { code, stderr } = await ended(startTwmd(r.dir, args, { TWMD_API_KEY: r.key }))
  expect([code, stderr]).toEqual([1, expect.stringContaining('stopped, because 2 responses in a row were lost')])
  expect(r.requests.filter(({ path }) => path.includes('/parts?'))).toHaveLength(2)
})

it.each(['/files/', '/releases?', '/parts?', '/spans.json'])(
  'twmd pull fails when answers to %s are truncated, and succeeds when repeated',
  async file => {
    r.disturb((path, response, body) => {
      if (!path.includes(file)) return undefined
      response.writeHead(200, { 'content-length': body.length })
      response.write(body.subarray(0, body.length >> 1), () => setTimeout(() => response.destroy(), 20))
      return true
    })
    await expect(r.pull(1)).rejects.toMatchObject({ code: 'overloaded' })
    r.disturb(() => undefined)
    await r.pull()
    expect(await servedBy(r)).toBe(r.first)
  },
)
