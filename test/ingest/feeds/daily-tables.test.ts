import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { badge, counts } from '../../behaviour/reconciliation/badges.ts'
import { body, ingest, outcomes } from '../../fixtures/ingest/bodies.ts'
import { service, type TestService } from '../../support.ts'

let s: TestService
beforeEach(async () => {
  s = await service({ examples: false, indexed: false })
})
afterEach(() => s.close())

const SIDE = (returned: string) => ['買進', '賣出', returned, '前日餘額', '今日餘額', '限額']
/** An MI_MARGN body of a day with one security, its balance and the balance of the market. */
const margin = (balance: string, market = balance) =>
  JSON.stringify({
    stat: 'OK',
    date: '20260630',
    tables: [
      {
        title: '115年06月30日 信用交易統計',
        fields: ['項目', '買進', '賣出', '現金(券)償還', '前日餘額', '今日餘額'],
        data: [['融資(交易單位)', '100', '30', '10', '1,000', market]],
      },
      {
        title: '115年06月30日 融資融券彙總 (全部)',
        fields: ['代號', '名稱', ...SIDE('現金償還'), ...SIDE('現券償還'), '資券互抵', '註記'],
        data: [['2330', '台積電', '100', '30', '10', '1,000', balance, '9,000', '2', '5', '1', '20', '22', '9,000', '3', ' ']],
      },
    ],
  })
const take = async (content: string, accept: readonly string[] = []) =>
  outcomes(await ingest(s, 'twse-margin', [body(s, 'margin.json', content)], { accept }))[0]!.slice(2)
const read = async (): Promise<readonly Row[]> =>
  (await s.get('/v2/datasets/margin-trading?symbol=2330', s.keyOn('pro'))).json().envelope?.data ?? []

it('the API serves margin balances in shares and marks them as verified', async () => {
  expect(await take(margin('1,060'))).toEqual(['published', null])
  expect(await read()).toMatchObject([
    { margin_previous_balance: 1_000_000, margin_buy: 100_000, margin_balance: 1_060_000, short_balance: 22_000 },
  ])
  expect(await badge(s, 'margin-trading')).toMatchObject({ badge: 'verified', mismatched: 0 })
})

it('a day with a margin balance that does not add up is refused; if the rule is accepted, the badge shows a mismatch', async () => {
  expect(await take(margin('1,061'))).toEqual(['refused', 'margin_adds_up'])
  expect(await read()).toEqual([])
  expect(await take(margin('1,061'), ['margin_adds_up'])).toEqual(['published', null])
  expect(await counts(s, 'margin-trading', 'printed_balance')).toEqual([1, 1, 0])
})

it("a margin balance that differs from the market's printed sum shows as a mismatch", async () => {
  expect(await take(margin('1,060', '1,070'))).toEqual(['published', null])
  expect(await counts(s, 'margin-trading', 'source_totals')).toEqual([1, 1, 0])
  expect((await badge(s, 'margin-trading')).badge).toBe('mismatch')
})
