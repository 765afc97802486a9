import { afterEach, beforeEach, expect, it } from 'vitest'
import { type ServiceProcess, serviceProcess } from './service-process.ts'
import { until } from './shop.ts'

let service: ServiceProcess
beforeEach(async () => {
  service = await serviceProcess()
})
afterEach(() => service.close())

it('P6: an event acknowledged before a kill is applied once after the next start', async () => {
  const { provider } = service
  const { token, key } = service.member()
  const session = await service.checkout(token, 'pro')
  // The provider never responds, so no stored event can be applied.
  await provider.trouble({ times: 'until told', slowMs: 600_000, path: '/v1/subscriptions/' })
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
