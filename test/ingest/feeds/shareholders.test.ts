import { expect, it } from 'vitest'
import feed from '../../../ingest/feeds/tdcc-distribution.ts'
import { bodyOf, refusalOf, rowsOf } from '../../fixtures/feeds/bodies.ts'

const HEAD = '\ufeff資料日期,證券代號,持股分級,人數,股數,占集保庫存數比例%'

/**
 * The seventeen levels of a security. `nonempty` has holders and shares of the levels that are not
 * empty.
 */
const levels = (code: string, nonempty: Readonly<Record<number, string>> = {}, day = '20241025'): readonly string[] =>
  Array.from({ length: 17 }, (_, index) => `${day},${code},${index + 1},${nonempty[index + 1] ?? '0,0,0.00'}`)
const file = (...lines: readonly string[]): string => `${[HEAD, ...lines].join('\r\n')}\r\n`
const FUND = levels('00632R  ', { 1: '5,1500,2.77', 15: '1,53000,98.14', 16: '1,500,0.92', 17: '6,54000,100.00' })

const rows = (content: string, requestedDay?: string) => rowsOf(feed.parse(bodyOf(content), requestedDay), 'shareholder-distribution')

it('the shareholder distribution has one row per level, with padding removed from codes', () => {
  const read = rows(file(...FUND, ...levels('006208'), ...levels('Y5810A')), '2024-10-25')
  expect(read).toHaveLength(51)
  expect(read.filter(row => Number(row['shares']) > 0)).toEqual([
    { ticker: '00632R', week_date: '2024-10-25', level: 1, holders: 5, shares: 1_500, percent: 2.77 },
    { ticker: '00632R', week_date: '2024-10-25', level: 15, holders: 1, shares: 53_000, percent: 98.14 },
    { ticker: '00632R', week_date: '2024-10-25', level: 16, holders: 1, shares: 500, percent: 0.92 },
    { ticker: '00632R', week_date: '2024-10-25', level: 17, holders: 6, shares: 54_000, percent: 100 },
  ])
  expect(new Set(read.map(row => row['ticker']))).toEqual(new Set(['00632R', '006208', 'Y5810A']))
})

it('the shareholder distribution as JSON gives the same rows as CSV', () => {
  const [, ...lines] = file(...FUND)
    .trim()
    .split('\r\n')
  const names = HEAD.slice(1).split(',')
  const records = lines.map(line => Object.fromEntries(line.split(',').map((cell, at) => [names[at], cell])))
  expect(rowsOf(feed.parse(bodyOf(records), undefined), 'shareholder-distribution')).toEqual(rows(file(...FUND)))
})

it.each([
  ['wrong_day', 'it covers another week than requested', file(...FUND), '2024-10-18', 'for 2024-10-25, not for the requested 2024-10-18'],
  ['wrong_day', 'it covers two days', file(...FUND, ...levels('2330', {}, '20241018')), undefined, '20241025, 20241018'],
  ['incomplete_body', 'a security lacks a level', file(...FUND, ...levels('2330').slice(1)), undefined, 'for example 2330'],
  ['incomplete_body', 'a security has a level twice', file(...levels('2330').slice(1), FUND[1]!), undefined, '2 securities'],
  ['absent_number', 'a number is absent', file(...levels('2330', { 3: ',5,0.00' })), undefined, '2330 level 3: 人數'],
  ['damaged_body', 'its last line is incomplete', file(...FUND).trimEnd(), undefined, 'no line break'],
  ['wrong_table', 'it is another table', '證券代號,股數\r\n2330,1\r\n', undefined, 'TDCC_OD_1-5'],
])('the shareholder distribution is refused as %s when %s', (rule, _where, content, requestedDay, message) => {
  const refusal = refusalOf(feed, bodyOf(content), requestedDay)
  expect([refusal.rule, refusal.message]).toEqual([rule, expect.stringContaining(message)])
})
