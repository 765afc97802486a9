import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, it } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { weekdays } from '../../fixtures/publish/rows.ts'
import { NOW, service } from '../../support.ts'
import { balanced, holder, usageOf } from '../../usage/ledger.ts'

const FLOWS = '/v2/datasets/institutional-positioning'

it('M3: a read of 50,000 rows past its time budget is not charged and counts as one error', async () => {
  const s = await service({ examples: false, inMemory: false, queryTimeoutMs: 1 })
  const sessions = weekdays('2020-01-01', 1_000)
  const flow = (index: number): Row => ({
    ticker: String(1_000 + (index % 50)),
    market: 'TWSE',
    trade_date: sessions[Math.floor(index / 50)]!,
    foreign_net_buy: index,
    investment_trust_net_buy: 1,
    dealer_net_buy: -1,
  })
  await s.publish(
    'institutional-positioning',
    Array.from({ length: 50_000 }, (_, index) => flow(index)),
  )
  const account = holder(s, 'pro', '504@example.test', NOW)
  const { statusCode, headers } = await s.get(
    `${FLOWS}?limit=100000&symbol=${Array.from({ length: 50 }, (_, index) => 1_000 + index)}`,
    account.key,
  )
  expect([statusCode, headers['x-credits-charged']]).toEqual([504, '0'])
  await expect.poll(() => usageOf(s.dir, account.accountId).errors).toBe(1)
  expect(balanced(s.dir, account.accountId)).toEqual({ requests: 0, credits: 0 })
  await s.close()
})

it('M3: a client that disconnects before the first byte is not charged, and its read counts as an error', async () => {
  const quick = await service({ inMemory: false })
  const [entry] = quick.dataset('theme-taxonomy').example as readonly Row[]
  await quick.publish(
    'theme-taxonomy',
    Array.from({ length: 10_000 }, (_, index) => ({ ...entry, symbol: String(10_000 + index) })),
  )
  const account = holder(quick, 'pro', 'gone@example.test', NOW)
  const others = ['one', 'two'].map(name => quick.keyOn('max', `${name}@example.test`))
  await quick.app.listen({ port: 0, host: '127.0.0.1' })
  const arrived = once(quick.app.server, 'request') as Promise<[IncomingMessage, ServerResponse]>
  // Longer reads are queued before this one, so that it has not started when the client
  // disconnects.
  const ahead = Promise.all([...others, ...others].map(key => quick.get('/v2/datasets/theme-taxonomy?limit=10000', key)))
  const caller = connect((quick.app.server.address() as AddressInfo).port, '127.0.0.1')
  caller.write(`GET ${FLOWS}?symbol=2330 HTTP/1.1\r\nHost: x\r\nX-API-Key: ${account.key}\r\n\r\n`)
  const [, response] = await arrived
  caller.destroy()
  await Promise.all([once(response, 'close'), ahead])
  await expect.poll(() => usageOf(quick.dir, account.accountId).errors).toBe(1)
  expect(balanced(quick.dir, account.accountId)).toEqual({ requests: 0, credits: 0 })
  await quick.close()
})
