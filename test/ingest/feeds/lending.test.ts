import { expect, it } from 'vitest'
import { bodyOf, refusalOf, rowsOf } from '../../fixtures/feeds/bodies.ts'
import { feeds } from '../../fixtures/ingest/bodies.ts'

const twseLending = feeds.get('twse-lending')!
const tpexLending = feeds.get('tpex-lending')!

const OF = '113年01月02日'
const totalsOf = (parsed: ReturnType<typeof twseLending.parse>, dataset: string) =>
  parsed.kind === 'rows'
    ? Object.fromEntries((parsed.statedTotals?.[dataset]?.totals ?? []).map(({ column, stated }) => [column, stated]))
    : {}

const LENDING_FIELDS = (balance: readonly [string, string], adjusted: string, limit: string, who: readonly string[]) => [
  ...who,
  ...['前日餘額', '賣出', '買進', '現券', balance[0], '限額'],
  ...['前日餘額', '當日賣出', '當日還券', adjusted, balance[1], limit, '備註'],
]
const LENT = [
  '9958',
  '範例鋼',
  '2,031,000',
  '18,000',
  '40,000',
  '0',
  '2,009,000',
  '58,099,104',
  '10,282,049',
  '346,000',
  '302,000',
  '-5,000',
  '10,321,049',
  '422,995',
  'X ',
]
const LENT_SUM = [
  '',
  '合計',
  '2,031,000',
  '18,000',
  '40,000',
  '0',
  '2,009,000',
  '0',
  '10,282,049',
  '346,000',
  '302,000',
  '-5,000',
  '10,321,049',
  '0',
  ' ',
]
const TWSE_LENDING = LENDING_FIELDS(['今日餘額', '當日餘額'], '當日調整', '次一營業日可限額', ['代號', '名稱'])
const TPEX_LENDING = LENDING_FIELDS(['當日餘額', '當日餘額'], '當日調整數額', '次一營業日可借券賣出限額', ['股票代號', '股票名稱'])
const twt93u = (changes: object = {}) => ({
  stat: 'OK',
  date: '20240102',
  title: `${OF} 信用額度總量管制餘額表`,
  fields: TWSE_LENDING,
  data: [LENT, LENT_SUM],
  total: 2,
  ...changes,
})
const ROW = {
  ticker: '9958',
  previous_balance: 10_282_049,
  sold: 346_000,
  returned: 302_000,
  adjusted: -5_000,
  balance: 10_321_049,
  next_day_limit: 422_995,
  margin_short_previous_balance: 2_031_000,
  margin_short_sold: 18_000,
  margin_short_bought: 40_000,
  margin_short_returned: 0,
  margin_short_balance: 2_009_000,
  margin_short_limit: 58_099_104,
  remark: 'X',
}

const parsed = twseLending.parse(bodyOf(twt93u()), '2024-01-02')

it('TWSE lending finds the limit of short sales on margin under either of two headings', () => {
  const renamed = twseLending.parse(bodyOf(twt93u({ fields: TWSE_LENDING.with(7, '次一營業日限額') })), '2024-01-02')
  expect(rowsOf(renamed, 'securities-lending')).toEqual(rowsOf(parsed, 'securities-lending'))
})

it('TWSE lending rows contain short sales on loan and on margin, and the printed sums are returned as stated totals', () => {
  expect(rowsOf(parsed, 'securities-lending')).toEqual([{ market: 'TWSE', trade_date: '2024-01-02', name: '範例鋼', ...ROW }])
  expect(parsed.kind === 'rows' && parsed.statedTotals?.['securities-lending']?.held).toBe(1)
  const { ticker: _, next_day_limit: limit, margin_short_limit: most, remark, ...summed } = ROW
  expect([limit, most, remark]).not.toContain(undefined)
  expect(totalsOf(parsed, 'securities-lending')).toEqual(summed)
})

it('TPEx lending distinguishes two balances of the same name by their order', () => {
  const table = { title: '信用額度總量管制餘額表', date: '113/01/02', totalCount: 1, fields: TPEX_LENDING, data: [LENT] }
  const day = tpexLending.parse(bodyOf({ date: '20240102', tables: [table], stat: 'ok' }), undefined)
  expect(rowsOf(day, 'securities-lending')).toMatchObject([{ market: 'TPEX', ...ROW }])
  expect(totalsOf(day, 'securities-lending')).toEqual({})
})

it.each([
  ['row_count_mismatch', 'it states another number of lines', twt93u({ total: 3 })],
  ['unreadable_ticker', 'a row without a code is not the sum', twt93u({ data: [LENT, LENT_SUM.with(1, '其他')] })],
  ['wrong_table', 'the balance of the day is missing', twt93u({ fields: TWSE_LENDING.with(12, '餘額') })],
])('TWSE lending is refused as %s when %s', (rule, _, content) => expect(refusalOf(twseLending, bodyOf(content)).rule).toBe(rule))
