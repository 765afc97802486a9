import { expect, it } from 'vitest'
import feed from '../../../ingest/feeds/twse-indices.ts'
import { bodyOf, refusalOf, rowsOf } from '../../fixtures/feeds/bodies.ts'

const record = (name: string, value: string, sign: string, points: string, percent: string) => ({
  日期: '1130102',
  指數: name,
  收盤指數: value,
  漲跌: sign,
  漲跌點數: points,
  漲跌百分比: percent,
  特殊處理註記: '',
})
const LIST = [
  record('寶島股價指數', '20,005.47', '-', '20.23', '-0.10'),
  record('發行量加權股價指數', '17853.76', '-', '77.05', '0.43'),
  record('電子工業類指數', '900.00', '+', '1.50', '0.17'),
  record('電子工業類報酬指數', '1400.00', '+', '2.50', '0.18'),
  record('金融保險類指數', '1700.10', '', '0.00', '0.00'),
  record('半導體類指數', '400.00', 'X', '--', '--'),
  record('水泥類指數', '--', '', '', ''),
  record('範例主題指數', '1.00', '+', '1.00', '1.00'),
]

const parsed = feed.parse(bodyOf(LIST), '2024-01-02')

it('TWSE index closes contain price indices and return indices that have a code, with the sign of the sign column', () => {
  const day = { trade_date: '2024-01-02' }
  expect(rowsOf(parsed, 'market-indices')).toEqual([
    { index_code: 'FRMSA', name: '寶島股價指數', ...day, value: 20005.47, change: -20.23, change_pct: -0.1 },
    { index_code: 'IX0001', name: '發行量加權股價指數', ...day, value: 17853.76, change: -77.05, change_pct: -0.43 },
    { index_code: 'IX0027', name: '電子工業類指數', ...day, value: 900, change: 1.5, change_pct: 0.17 },
    { index_code: 'IR0027', name: '電子工業類報酬指數', ...day, value: 1400, change: 2.5, change_pct: 0.18 },
    { index_code: 'IX0039', name: '金融保險類指數', ...day, value: 1700.1, change: 0, change_pct: 0 },
    { index_code: 'IX0028', name: '半導體類指數', ...day, value: 400, change: null, change_pct: null },
  ])
})

it('TWSE index closes note how many indices were left out', () =>
  expect(parsed).toMatchObject({ notes: ['2 of 8 indices have no code in the service or no value, and were skipped'] }))

it.each([
  ['wrong_day', 'it covers another day', LIST, '2024-01-03'],
  ['wrong_day', 'its records cover two days', [...LIST, { ...LIST[0], 日期: '1130103' }], undefined],
  ['wrong_day', 'a record states no day', [{ ...LIST[0], 日期: '' }], undefined],
  ['wrong_table', 'it lacks the column of closes', LIST.map(({ 收盤指數: _, ...others }) => others), undefined],
  ['unreadable_number', 'a close is not a number', [record('水泥類指數', '1x', '+', '1', '1')], undefined],
])('TWSE index closes are refused as %s when %s', (rule, _, content, requestedDay) =>
  expect(refusalOf(feed, bodyOf(content), requestedDay).rule).toBe(rule),
)
