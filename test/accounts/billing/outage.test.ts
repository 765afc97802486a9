import { afterAll, beforeAll, expect, it } from 'vitest'
import { openBilling, openControl } from '../../../src/accounts/index.ts'
import { createLog, readConfig } from '../../../src/core/index.ts'
import { controlOf } from '../../fixtures/provider/client.ts'
import { type RunningProvider, startProvider } from '../../fixtures/provider/server.ts'
import { dataFolder, NOW, SECRETS } from '../../support.ts'
import { paidEnvironment, STRIPE_KEY } from './paid.ts'

/** More than are looked at in one statement. */
const EVENTS = 120
const HOUR_MS = 3_600_000

let folder: Awaited<ReturnType<typeof dataFolder>>
let provider: RunningProvider
beforeAll(async () => {
  folder = await dataFolder()
  provider = await startProvider({ secretKey: STRIPE_KEY })
})
afterAll(async () => {
  await provider.close()
  await folder.remove()
})

it('while the provider fails so slowly that events are due again before the last was tried, each is tried once', async () => {
  const config = readConfig(paidEnvironment(folder.dir, provider.url))
  const control = openControl(config, SECRETS)
  const { paymentEvents: events } = control
  // Every look at the clock is an hour after the one before, as if each answer had taken that long.
  let looks = 0
  const clock = (): Date => new Date(NOW.getTime() + looks++ * HOUR_MS)
  const billing = (await openBilling(config, control, clock, createLog('silent'), null))!
  const attempts = () => control.db.prepare('SELECT attempts, count(*) AS events FROM payment_event GROUP BY attempts').all()
  for (let nth = 0; nth < EVENTS; nth++) {
    const payload = JSON.stringify({ subscription: `sub_${nth}` })
    events.store({ id: `evt_${nth}`, type: 'invoice.paid', created: 1, livemode: false, payload }, NOW)
  }
  // A refusal of this kind is not asked for again by the provider's client.
  await controlOf(provider.url).trouble({ times: 'until told', status: 400 })
  await billing.worker.applyDue()
  expect(attempts()).toEqual([{ attempts: 1, events: EVENTS }])
  await billing.worker.applyDue()
  expect(attempts()).toEqual([{ attempts: 2, events: EVENTS }])
  expect(events.waiting()).toBe(EVENTS)
  await billing.close()
  control.close()
})
