import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import { PLANS } from '../../catalog/index.ts'
import { openState } from '../../src/accounts/state/db.ts'
import { openLedger } from '../../src/accounts/usage/ledger.ts'
import { taipei } from '../../src/core/index.ts'
import { NOW, service } from '../support.ts'
import { holder, usageOf } from './ledger.ts'

afterEach(() => void vi.useRealTimers())

it('refusals in a flood are one log line and a count, by account and code', async () => {
  // The minute of the limits stands still.
  vi.useFakeTimers({ toFake: ['performance'] })
  const s = await service({ limits: true })
  const [one, other] = ['one', 'other'].map(name => holder(s, 'free', `${name}@example.test`, NOW))
  const ask = async (key: string, times: number): Promise<void> => {
    for (let time = 0; time < times; time++) await s.get('/v2/datasets/securities-firm-master', key)
  }
  const { requestsPerMinute } = PLANS.free
  await ask(one!.key, requestsPerMinute + 20)
  await ask(other!.key, requestsPerMinute + 1)
  await ask('sk_live_none', 3)
  await s.close()
  const refused = s.lines.map(line => JSON.parse(line)).filter(({ event }) => event === 'refused')
  const route = '/v2/datasets/securities-firm-master'
  const first = { request_id: expect.stringMatching(/^req_/), route, code: 'rate_limited', status: 429 }
  expect(refused).toMatchObject([
    { ...first, account: one!.accountId },
    { ...first, account: other!.accountId },
    ...Array(3).fill({ route, code: 'invalid_api_key' }),
    { code: 'rate_limited', account: one!.accountId, requests: 19 },
  ])
  expect(refused).toHaveLength(6)
})

it('refusals in a flood are few rows written, and each counts in the usage of its day', async () => {
  const s = await service({ examples: false, indexed: false })
  const { accountId, keyId } = holder(s, 'free', 'flood@example.test', NOW)
  const db = openState(join(s.dir, 'state.sqlite'))
  const ledger = openLedger(db)
  const written = () => (db.prepare('SELECT total_changes() AS rows').get() as { readonly rows: number }).rows
  for (let round = 0; round < 20; round++) {
    for (let time = 0; time < 50; time++) ledger.recordFailure({ accountId, keyId, dataset: 'events', at: taipei(NOW) })
    await turn()
  }
  ledger.recordFailure({ accountId, keyId, dataset: 'query', at: taipei(NOW) })
  ledger.close()
  expect(written()).toBeLessThan(10)
  db.close()
  expect(usageOf(s.dir, accountId).errors).toBe(1_001)
  await s.close()
})
