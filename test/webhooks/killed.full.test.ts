import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { readEmail } from '../../src/accounts/index.ts'
import { openControl } from '../../src/control/index.ts'
import { serving } from '../fixtures/cli/twmd.ts'
import { dataFolder, SECRETS } from '../support.ts'
import { receiver } from './receiver.ts'

const [KILLS, MESSAGES] = [12, 400]
const ENVIRONMENT = { ...SECRETS, WEBHOOK_PRIVATE_HOSTS: 'on' }

let folder: Awaited<ReturnType<typeof dataFolder>>
let r: Awaited<ReturnType<typeof receiver>>
beforeAll(async () => {
  ;[folder, r] = [await dataFolder(), await receiver()]
})
afterAll(async () => {
  r.close()
  await folder.remove()
})

/**
 * Writes messages for an endpoint at the receiver.
 * @returns their ids, in order
 */
function written(): readonly string[] {
  const control = openControl({ stateDb: `${folder.dir}/state.sqlite` }, SECRETS)
  const now = new Date()
  const account = control.accounts.ensure(readEmail('owner@example.test')!, now)
  const choice = { url: r.url, description: '', events: [], datasets: [], symbols: [] }
  const { id } = control.webhooks.endpoints.create(account.id, choice, now)
  const ids = control.transaction(() => Array.from({ length: MESSAGES }, () => control.webhooks.test(id, now)))
  control.close()
  return ids
}

it('if the service is killed 12 times while it sends webhooks, no message is lost and only messages in flight are repeated', async () => {
  const ids = written()
  r.answers(response => void sleep(2).then(() => response.end()))
  for (let kill = 1; kill <= KILLS; kill++) {
    const { child } = await serving(folder.dir, 'serve', ENVIRONMENT)
    const before = r.messages.length
    await vi.waitUntil(() => r.messages.length > before + ((kill * 7) % 12), { timeout: 60_000, interval: 1 })
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
  expect(new Set(r.messages.map(({ id }) => id)).size).toBeLessThan(MESSAGES)
  const last = await serving(folder.dir, 'serve', ENVIRONMENT)
  await vi.waitUntil(() => new Set(r.messages.map(({ id }) => id)).size === MESSAGES, { timeout: 120_000, interval: 20 })
  expect(await last.stop()).toBe(0)
  expect([...new Set(r.messages.map(({ id }) => id))]).toEqual(ids)
  expect(r.messages.length - MESSAGES).toBeLessThanOrEqual(KILLS)
}, 300_000)
