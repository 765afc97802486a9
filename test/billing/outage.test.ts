import { afterAll, beforeAll, expect, it } from 'vitest'
import { readEmail } from '../../src/accounts/index.ts'
import { openBilling } from '../../src/billing/index.ts'
import { openControl } from '../../src/control/index.ts'
import { createLog, readConfig } from '../../src/core/index.ts'
import { controlOf } from '../fixtures/provider/client.ts'
import { startProvider } from '../fixtures/provider/server.ts'
import { dataFolder, NOW, SECRETS } from '../support.ts'
import { paidEnvironment, type Shop, STRIPE_KEY, shop, until } from './shop.ts'

let s: Shop
beforeAll(async () => {
  s = await shop()
})
afterAll(() => s.close())

const SYNC = '/v1/subscriptions/'
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** More events than one statement reads. */
const EVENTS = 120
const waiting = () => s.rows<{ attempts: number; error: string }>("SELECT attempts, error FROM payment_event WHERE state = 'new'")

it('P6: while the provider is down, events are accepted and retried at intervals; they are applied when it is back', async () => {
  const member = s.member()
  const { session_id } = (await s.checkout(member)).json
  await s.provider.trouble({ times: 'until told', status: 503, path: SYNC })
  await s.provider.delivery({ drop: 'all' })
  await s.provider.complete(session_id)
  await s.provider.delivery({})
  const { id } = (await s.provider.events()).findLast(({ type }) => type === 'invoice.paid')!
  const { deliveries } = await s.provider.sendAgain(id)
  expect(deliveries[0]!.status).toBe(200)
  for (let attempts = 1; attempts <= 3; attempts++) {
    await until(`attempt ${attempts} fails`, () => waiting()[0]?.attempts === attempts)
    expect(await s.planOf(member)).toBe('free')
    s.pass(MINUTE_MS)
  }
  s.pass(2 * MINUTE_MS)
  await s.provider.trouble(null)
  await s.settled()
  expect(await s.planOf(member)).toBe('pro')
  expect(s.rows('SELECT attempts, error, state FROM payment_event WHERE id = ?', id)).toEqual([
    { attempts: expect.any(Number), error: null, state: 'done' },
  ])
})

it('P6: a 404 of a failing provider does not end a subscription', async () => {
  const member = s.member()
  await s.provider.trouble({ times: 'until told', status: 404, path: SYNC })
  await s.provider.complete((await s.checkout(member)).json.session_id)
  await until('every event was tried', () => waiting().length === 3 && waiting().every(({ attempts }) => attempts === 1))
  await s.provider.trouble(null)
  s.pass(MINUTE_MS)
  await s.settled()
  expect(await s.planOf(member)).toBe('pro')
})

it('P6: an event that cannot be applied does not delay other events', async () => {
  const [stuck, free] = [s.member(), s.member()]
  const first = await s.buy(stuck)
  await s.provider.trouble({ times: 'until told', status: 503, path: `${SYNC}${first}` })
  await s.provider.cancel(first)
  await s.provider.complete((await s.checkout(free)).json.session_id)
  await until('the other account has the plan', () => s.keptPlan(free) === 'pro')
  expect(await s.planOf(stuck)).toBe('pro')
  await s.provider.trouble(null)
  s.pass(MINUTE_MS)
  await s.settled()
  expect(await s.planOf(stuck)).toBe('free')
})

it('P6: if the state file refuses writes, the service continues to run and retries the event', async () => {
  const member = s.member()
  const { session_id } = (await s.checkout(member)).json
  await s.provider.trouble({ times: 1, slowMs: 300, path: SYNC })
  await s.provider.complete(session_id)
  s.service.control.db.pragma('query_only = ON')
  await until('the failure is logged', () => s.logged('failed').some(({ during }) => during === 'applying payment events'))
  expect((await s.call('GET', '/healthz')).status).toBe(200)
  expect(await s.planOf(member)).toBe('free')
  s.service.control.db.pragma('query_only = OFF')
  s.pass(MINUTE_MS)
  await s.settled()
  expect(await s.planOf(member)).toBe('pro')
})

it('one round of retries tries each due event once, even if the first event is due again before the round ends', async () => {
  const folder = await dataFolder()
  const provider = await startProvider({ secretKey: STRIPE_KEY })
  const config = readConfig(paidEnvironment(folder.dir, provider.url))
  const control = openControl(config, SECRETS)
  const { paymentEvents: events } = control
  // The clock advances an hour with each reading, as if each response had taken that long.
  let readings = 0
  const clock = (): Date => new Date(NOW.getTime() + readings++ * HOUR_MS)
  const billing = (await openBilling(config, control, clock, createLog('silent'), null))!
  const attempts = () => control.db.prepare('SELECT attempts, count(*) AS events FROM payment_event GROUP BY attempts').all()
  for (let nth = 0; nth < EVENTS; nth++) {
    const payload = JSON.stringify({ subscription: `sub_${nth}` })
    events.store({ id: `evt_${nth}`, type: 'invoice.paid', created: 1, livemode: false, payload }, NOW)
  }
  // The provider's client does not retry a 400.
  await controlOf(provider.url).trouble({ times: 'until told', status: 400 })
  await billing.worker.applyDue()
  expect(attempts()).toEqual([{ attempts: 1, events: EVENTS }])
  await billing.worker.applyDue()
  expect(attempts()).toEqual([{ attempts: 2, events: EVENTS }])
  expect(events.waiting()).toBe(EVENTS)
  await billing.close()
  control.close()
  await provider.close()
  await folder.remove()
})

it('P6: if a process crashes after it stored an event, the next process applies the event once', async () => {
  const member = s.member()
  const { session_id } = (await s.checkout(member)).json
  await s.provider.delivery({ drop: 'all' })
  const subscription = (await s.provider.complete(session_id)).result['subscription'] as string
  await s.provider.delivery({})
  const folder = await dataFolder()
  const config = readConfig(paidEnvironment(folder.dir, s.provider.url))
  const [log, clock] = [createLog('silent'), () => NOW]
  // The first process stores the event and exits before applying it, without closing anything.
  const crashed = openControl(config, SECRETS)
  const { id } = crashed.accounts.ensure(readEmail(member.email)!, NOW)
  const payload = JSON.stringify({ subscription, account: id })
  crashed.paymentEvents.store({ id: 'evt_1', type: 'checkout.session.completed', created: 1, livemode: false, payload }, NOW)
  const control = openControl(config, SECRETS)
  const billing = (await openBilling(config, control, clock, log, null))!
  const events = () => control.db.prepare('SELECT state, attempts FROM payment_event').all()
  expect([events(), control.accounts.byId(id, NOW)!.plan]).toEqual([[{ state: 'new', attempts: 0 }], 'free'])
  await billing.worker.applyDue()
  await billing.worker.applyDue()
  expect([events(), control.accounts.byId(id, NOW)!.plan]).toEqual([[{ state: 'done', attempts: 1 }], 'pro'])
  expect(control.subscriptions.byAccount(id)).toMatchObject([{ id: subscription, status: 'active' }])
  await billing.close()
  for (const { close } of [control, crashed]) close()
  await folder.remove()
})
