import { afterAll, beforeAll, expect, it } from 'vitest'
import { service, type TestService } from '../../support.ts'
import { counts } from './badges.ts'

let s: TestService
beforeAll(async () => {
  s = await service({ examples: false, inMemory: false })
})
afterAll(() => s.close())

const DAY = '2026-06-30'
const option = (option_type: 'call' | 'put', session: 'regular' | 'after_hours', volume: number, more: object = {}) => ({
  ...s.dataset('options-daily').example[1]!,
  trade_date: DAY,
  option_type,
  session,
  volume,
  ...(session === 'after_hours' && { settlement_price: null, open_interest: null }),
  ...more,
})
const ratio = { contract: 'TXO', trade_date: DAY, put_volume: 300, call_volume: 400, volume_ratio: 75 }
const positions = { put_open_interest: 30, call_open_interest: 40, open_interest_ratio: 75 }

it('a figure is compared with the sum of the rows of another dataset, in either order of publication', async () => {
  await s.publish('put-call-ratio', [{ ...ratio, ...positions }])
  expect(await counts(s, 'put-call-ratio', 'volume_of_options_daily')).toEqual([1, 0, 0])
  const rows = [
    option('put', 'regular', 200, { open_interest: 30 }),
    option('put', 'after_hours', 100),
    option('call', 'regular', 350, { open_interest: 40 }),
    option('call', 'after_hours', 50),
    option('call', 'regular', 0, { contract_month: '202606', settlement_price: 0, open_interest: 999 }),
    option('call', 'regular', 7, { contract: 'CAO', open_interest: 7 }),
  ]
  await s.publish('options-daily', rows)
  expect(await counts(s, 'put-call-ratio', 'volume_of_options_daily')).toEqual([1, 1, 1])
  expect(await counts(s, 'put-call-ratio', 'open_interest_of_options_daily')).toEqual([1, 1, 1])
  await s.publish('options-daily', rows.with(1, option('put', 'after_hours', 101)))
  expect(await counts(s, 'put-call-ratio', 'volume_of_options_daily')).toEqual([1, 1, 0])
  await s.publish('put-call-ratio', [{ ...ratio, ...positions, put_volume: 301, volume_ratio: 75.25 }])
  expect(await counts(s, 'put-call-ratio', 'volume_of_options_daily')).toEqual([1, 1, 1])
})
