import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Serving, serving, twmd } from '../fixtures/cli/twmd.ts'
import { dataFolder } from '../support.ts'

let dir: string
let remove: () => Promise<void>
let service: Serving
beforeEach(async () => {
  ;({ dir, remove } = await dataFolder())
  service = await serving(dir, 'serve')
})
afterEach(async () => {
  service.child.kill('SIGKILL')
  await remove()
})

it('the service keeps answering after its log reader has closed, and stops on SIGTERM', { timeout: 120_000 }, async () => {
  service.child.stdout!.destroy()
  const path = `${service.url}/v2/datasets`
  for (let reads = 0; reads < 20; reads++) expect((await fetch(path)).status).toBe(200)
  // The log lines of reads are written with a delay.
  await sleep(400)
  expect((await fetch(path, { signal: AbortSignal.timeout(50_000) })).status).toBe(200)
  const exited = once(service.child, 'exit')
  service.child.kill('SIGTERM')
  expect(await Promise.race([exited, sleep(50_000, 'still alive')])).toEqual([0, null])
})

it('a slow log reader receives every line in order', { timeout: 120_000 }, async () => {
  service.child.stdout!.pause()
  await service.waitFor('listening')
  const { stdout: key } = await twmd(dir, 'keys', 'create', '--email', 'reader@example.test', '--plan', 'max')
  const headers = { 'x-api-key': key.split('\n')[0]! }
  const exited = once(service.child, 'close')
  // Refusals of callers without an account are logged only in part.
  for (let reads = 0; reads < 100; reads++) await fetch(`${service.url}/v2/account/usage-summary?window=${reads}`, { headers })
  service.child.stdout!.resume()
  service.child.kill('SIGTERM')
  await exited
  const events = service
    .output()
    .trim()
    .split('\n')
    .map(line => JSON.parse(line).event)
  expect(events.at(-1)).toBe('stopped')
  expect(events.filter(event => event === 'refused').length).toBe(100)
})
