import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { service, type TestService } from '../support.ts'
import { FEED, operatorOf, TRADES } from './operator.ts'

// Tests share the service; each ingests different days.
let s: TestService
let o: ReturnType<typeof operatorOf>
beforeAll(async () => {
  s = await service({ examples: false })
  o = operatorOf(s)
})
afterAll(() => s.close())

it('if POST accept does not name the broken rule, the quarantined file is refused again and the attempt is recorded', async () => {
  const { id } = await o.refused()
  const again = (await o.decide(`${id}/accept`)).json()
  expect(again).toMatchObject({ outcome: 'refused', faults: [{ rule: 'same_body' }], settled: null })
  expect((await o.read(`quarantine/${id}`)).attempt).toMatchObject({ outcome: 'refused' })
  expect(o.actions(id)).toMatchObject([{ actor: 'admin', action: 'quarantine accept', facts: expect.stringContaining('"rules":[]') }])
})

it('POST accept reports rows as unchanged if they were published before a crash but not recorded', async () => {
  const { id, file } = await o.refused()
  const home = join(s.workspace.quarantine, FEED)
  const folder = readdirSync(home).find(name => readdirSync(join(home, name)).includes(file))!
  const copy = join(home, folder, file)
  expect((await o.ingest(copy, ['same_body'])).results).toMatchObject([{ outcome: 'published' }])
  expect((await o.decide(`${id}/accept`, { accept: ['same_body'] })).json()).toMatchObject({ outcome: 'unchanged' })
  expect(existsSync(dirname(copy))).toBe(false)
})

it('if a quarantined file cannot be published, POST accept keeps the file and names the reason', async () => {
  const { id } = await o.refused()
  const lock = join(s.dir, 'releases', TRADES, '.publishing')
  writeFileSync(lock, `${process.pid}\n`)
  const { outcome, said, settled } = (await o.decide(`${id}/accept`, { accept: ['same_body'] })).json()
  expect([outcome, settled]).toEqual(['failed', null])
  expect(said).toContain(String(process.pid))
  expect(await o.listed(id)).toMatchObject({ id })
})

it('POST accept sent twice in parallel publishes once', async () => {
  const { id } = await o.refused()
  const [answer, parallel] = await Promise.all([
    o.decide(`${id}/accept`, { accept: ['same_body'] }),
    o.decide(`${id}/accept`, { accept: ['same_body'] }),
  ])
  expect(answer.json()).toMatchObject({ id, outcome: 'published' })
  expect(parallel.json()).toEqual(answer.json())
  expect(o.actions(id)).toHaveLength(1)
})
