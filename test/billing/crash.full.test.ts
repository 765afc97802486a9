import { afterEach, beforeEach, expect, it } from 'vitest'
import { type ServiceProcess, serviceProcess } from './service-process.ts'
import { until } from './shop.ts'

const SYNC = '/v1/subscriptions/'

let service: ServiceProcess
beforeEach(async () => {
  service = await serviceProcess()
})
afterEach(() => service.close())

it('P6: if the service is killed after it acknowledged an event, it applies the event once after the next start', async () => {
  const { provider } = service
  const { token, key } = service.member()
  const session = await service.checkout(token, 'pro')
  // The provider never responds, so no stored event can be applied.
  await provider.trouble({ times: 'until told', slowMs: 600_000, path: SYNC })
  const { deliveries } = await provider.complete(session)
  expect(deliveries.map(({ status, answer }) => [status, JSON.parse(answer).duplicate])).toEqual(Array(6).fill([200, false]))
  expect(await service.planOf(key)).toBe('free')
  await service.kill()
  expect(service.created()).toEqual([{ state: 'new', attempts: 0 }])
  await provider.trouble(null)
  await service.start()
  await until('every event is applied', service.allApplied)
  expect(await service.planOf(key)).toBe('pro')
  expect(service.created()).toEqual([{ state: 'done', attempts: 1 }])
  const again = await provider.sendAgain(deliveries[1]!.event)
  expect(again.deliveries.map(({ answer }) => JSON.parse(answer).duplicate)).toEqual([true])
  expect(service.rows('SELECT 1 FROM payment_event')).toHaveLength(7)
  expect(service.rows('SELECT 1 FROM subscription')).toHaveLength(1)
})

it('P6: if the service is killed after it stored an event, it retries after the start until the provider is back', async () => {
  const { provider } = service
  const { token, key } = service.member()
  const session = await service.checkout(token, 'max')
  await provider.trouble({ times: 'until told', slowMs: 600_000, path: SYNC })
  await provider.delivery({ drop: 'all' })
  await provider.complete(session)
  await provider.delivery({})
  const created = (await provider.events()).find(({ type }) => type === 'customer.subscription.created')!
  await provider.sendAgain(created.id)
  await service.kill()
  await provider.trouble({ times: 'until told', status: 503, path: SYNC })
  await service.start()
  await until('the first attempt fails', () => service.created()[0]?.attempts === 1)
  expect([service.created()[0]!.state, await service.planOf(key)]).toEqual(['new', 'free'])
  await provider.trouble(null)
  await until('the event is applied', () => service.created()[0]?.state === 'done')
  expect(await service.planOf(key)).toBe('max')
})

it.each([
  ['', () => {}],
  [
    ', even if the clock was ahead at the last check',
    () => void service.rows('UPDATE payment_catch_up SET at = at + 31 * 86400 RETURNING at'),
  ],
])('P6: at its start, the service applies events that occurred while it was down and webhooks were lost%s', async (_, putBack) => {
  const { provider } = service
  const { token, key } = service.member()
  const session = await service.checkout(token, 'pro')
  await until('the first check for missed events ends', () => service.rows('SELECT at FROM payment_catch_up').length === 1)
  await service.kill()
  putBack()
  await provider.delivery({ drop: 'all' })
  await provider.complete(session)
  await provider.delivery({})
  expect(service.rows("SELECT 1 FROM payment_event WHERE type <> 'customer.created'")).toEqual([])
  await service.start()
  await until('every event is found and applied', () => service.rows("SELECT 1 FROM payment_event WHERE state = 'done'").length === 3)
  expect(await service.planOf(key)).toBe('pro')
})

it('P6: SIGTERM stops the service while the provider does not respond, and no event is lost', async () => {
  const { provider } = service
  const { token, key } = service.member()
  const session = await service.checkout(token, 'pro')
  await provider.trouble({ times: 'until told', slowMs: 600_000, path: SYNC })
  await provider.complete(session)
  const { child, output } = service.serving()
  child.kill('SIGTERM')
  await until('the process ends', () => child.exitCode !== null, 60_000)
  expect([child.exitCode, output().includes('"stopped"')]).toEqual([0, true])
  expect(service.created()).toEqual([{ state: 'new', attempts: 0 }])
  await provider.trouble(null)
  await service.start()
  await until('every event is applied', service.allApplied)
  expect(await service.planOf(key)).toBe('pro')
})
