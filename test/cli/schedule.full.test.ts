import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { serving } from '../fixtures/cli/twmd.ts'
import { source } from '../fixtures/fetch/source.ts'
import { companyRegister } from '../fixtures/ingest/bodies.ts'

let dir: string
let s: Awaited<ReturnType<typeof source>>
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twmd-'))
  s = await source(({ path }) => companyRegister(path.endsWith('_L') ? 1 : 9))
})
afterEach(async () => {
  await s.close()
  await rm(dir, { recursive: true, force: true })
})

const settings = () => ({ FETCH_BASES: ['openapi.twse.com.tw', 'mopsfin.twse.com.tw'].map(host => `${host}=${s.url}`).join(',') })
it('twmd serve with SCHEDULE runs the schedule in a second process, serves the published rows and stops the process', async () => {
  const service = await serving(dir, 'serve', { ...settings(), SCHEDULE: 'companies' })
  await service.waitFor('"event":"fetched"')
  const record = service
    .output()
    .split('\n')
    .find(text => text.includes('"event":"fetched"'))!
  expect(JSON.parse(record)).toMatchObject({ feed: 'companies', outcome: 'came' })
  await service.waitFor('"dataset":"company-names"')
  expect(await service.stop()).toBe(0)
  const requestCount = s.requests.length
  await sleep(200)
  expect(s.requests.length).toBe(requestCount)
})
