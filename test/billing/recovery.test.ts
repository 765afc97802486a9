import { afterAll, beforeAll, expect, it } from 'vitest'
import { buyUndelivered, replay, SINCE, writeSecrets } from './replay.ts'
import { type Shop, shop } from './shop.ts'

let s: Shop
beforeAll(async () => {
  s = await shop()
  writeSecrets(s)
})
afterAll(() => s.close())

it('twmd billing replay applies missed events to a running service', async () => {
  const member = s.member()
  const id = await buyUndelivered(s, member)
  expect(await s.planOf(member)).toBe('free')
  const { code, stdout, stderr } = await replay(s, [...SINCE, '--json'])
  expect([code, stderr]).toEqual([0, ''])
  expect(JSON.parse(stdout)).toEqual({
    since: '2026-06-30',
    events_replayed: 0,
    events_found: 3,
    subscriptions_read: 0,
    subscriptions_unread: 0,
    events_waiting: 0,
  })
  expect(await s.planOf(member)).toBe('pro')
  expect(s.service.control.subscriptions.byAccount(member.accountId).map(subscription => subscription.id)).toEqual([id])
  const { id: late } = (await s.provider.events()).findLast(({ type }) => type === 'checkout.session.completed')!
  const { deliveries } = await s.provider.sendAgain(late)
  expect(JSON.parse(deliveries[0]!.answer), 'a webhook delivered after the replay').toEqual({ received: true, duplicate: true })
})
