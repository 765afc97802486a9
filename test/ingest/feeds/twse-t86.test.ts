import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import feed from '../../../ingest/feeds/twse-t86.ts'
import { bodyOf, refusalOf, rowsOf, T86_FIELDS, T86_ROW, t86 } from '../../fixtures/feeds/bodies.ts'

const rows = (content: unknown, requestedDay?: string) => rowsOf(feed.parse(bodyOf(content), requestedDay), 'institutional-positioning')
const row = (ticker: string, [foreign, trust, dealer, total]: readonly number[], day = '2024-01-02') => ({
  ticker,
  market: 'TWSE',
  trade_date: day,
  foreign_net_buy: foreign,
  investment_trust_net_buy: trust,
  dealer_net_buy: dealer,
  institutional_net_buy_total: total,
})

describe('T86', () => {
  it('T86 is read by column names in each of its three forms', () => {
    expect(rows(t86(), '2024-01-02')).toEqual([row('0050', [100, -30, 7, 77])])
    const four = ['0050', '範例', '100', '0', '100', '0', '30', '-30', '7', '7', '0', '0', '0', '0', '0', '77']
    expect(rows(t86({ fields: T86_FIELDS[2014], data: [four] }))).toEqual([row('0050', [100, -30, 7, 77])])
    const first = ['0050', '範例', '100', '0', '100', '0', '30', '-30', '7', '9', '2', '77']
    expect(rows(t86({ fields: T86_FIELDS[2012], data: [first] }))).toEqual([row('0050', [100, -30, 7, 77])])
  })

  it('T86 is read with its columns in any order', () => {
    const turned = t86({ fields: [...T86_FIELDS[2017]].reverse(), data: [[...T86_ROW].reverse()] })
    expect(rows(turned)).toEqual([row('0050', [100, -30, 7, 77])])
  })

  it('T86 excludes foreign dealers from the trades of foreign investors', () => expect(rows(t86())[0]?.['foreign_net_buy']).toBe(100))

  it('T86 returns the printed total even if the institutions do not add up to it', () => {
    expect(rows(t86({ data: [T86_ROW.with(-1, '78')] }))[0]?.['institutional_net_buy_total']).toBe(78)
  })

  it('T86 skips a row with too few cells and counts the row in a note', () => {
    const parsed = feed.parse(bodyOf(t86({ data: [T86_ROW, ['00679B', '範例債', '1', '0', '1']], total: 2 })), undefined)
    expect(rowsOf(parsed, 'institutional-positioning').map(each => each['ticker'])).toEqual(['0050'])
    expect(parsed.kind === 'rows' && parsed.notes).toEqual(['1 rows have too few cells and were skipped: 00679B'])
  })

  it('T86 returns both rows of a repeated ticker, so that the publication refuses the rows', () =>
    expect(rows(t86({ data: [T86_ROW, T86_ROW], total: 2 }))).toHaveLength(2))
})

describe('T86 refusals', () => {
  it.each([
    ['it echoes another date', t86({ date: '20171218' }), 'date has 2017-12-18, title has 2024-01-02, the request has 2024-01-02'],
    [
      'its title states another day',
      t86({ title: '106年12月18日 三大法人買賣超日報' }),
      'date has 2024-01-02, title has 2017-12-18, the request has 2024-01-02',
    ],
    [
      'both state another day',
      t86({ date: '20171218', title: '106年12月18日 三大法人買賣超日報' }),
      'date has 2017-12-18, title has 2017-12-18, the request has 2024-01-02',
    ],
    ['its date does not exist', t86({ date: '20240231' }), 'date has no single date'],
    ['its title states an impossible day', t86({ title: '113年02月30日 三大法人買賣超日報' }), 'title has no single date'],
    ['it covers more than a day', t86({ date: '20240102~20240105' }), 'date has no single date'],
    ['it states no day', t86({ date: undefined, title: '三大法人買賣超日報' }), 'the file has no date, the request has 2024-01-02'],
  ])('T86 is refused as wrong_day when %s', (_, content, message) => {
    const refusal = refusalOf(feed, bodyOf(content), '2024-01-02')
    expect(refusal.rule).toBe('wrong_day')
    expect(refusal.message).toContain(message)
  })

  it('if no day is requested, T86 is refused when its date and title disagree', () => {
    expect(refusalOf(feed, bodyOf(t86({ date: '20171218' }))).message).toContain('the request has no date')
  })

  it('T86 refuses another table, and names a wrong day of this table in the same message', () => {
    const other = {
      fields: ['', '證券代號', '證券名稱', '買進股數', '賣出股數', '買賣超股數'],
      data: [[' ', '2330  ', '範例', '1', '0', '1']],
    }
    const right = refusalOf(feed, bodyOf(t86({ ...other, title: '113年01月02日 外資及陸資買賣超彙總表' })))
    expect(right).toMatchObject({ rule: 'wrong_table', rules: ['wrong_table'] })
    expect(right.message).toContain('it is "113年01月02日 外資及陸資買賣超彙總表"')
    const wrong = refusalOf(feed, bodyOf(t86({ ...other, date: '20171218', title: '113年01月02日 外資及陸資買賣超彙總表' })))
    expect(wrong.rules).toEqual(['wrong_day', 'wrong_table'])
    expect(wrong.message).toContain('date has 2017-12-18')
    expect(wrong.message).toContain('外資及陸資買賣超彙總表')
  })

  it.each([
    ['row_count_mismatch', 'it states more rows than it contains', t86({ total: 2 })],
    ['row_count_mismatch', 'it states rows and contains none', t86({ total: 1120, data: [] })],
    ['row_shape', 'a row is longer than the fields', t86({ data: [[...T86_ROW, '1']] })],
    ['row_shape', 'every row is short', t86({ data: [['0050', '範例', '1']] })],
    ['partial_list', 'it covers one industry', t86({ selectType: '24' })],
    ['wrong_table', 'a column appears twice', t86({ fields: T86_FIELDS[2017].with(2, '投信買賣超股數') })],
    ['unreadable_number', 'an amount is not a number', t86({ data: [T86_ROW.with(4, '一百')] })],
    ['absent_number', 'an amount is empty', t86({ data: [T86_ROW.with(4, '--')] })],
    ['unreadable_ticker', 'a row is shifted', t86({ data: [['範例', ...T86_ROW.slice(0, -1)]] })],
    ['source_refused', 'the day is before the first published day', { stat: '查詢日期小於101年05月02日，請重新查詢!' }],
  ])('T86 is refused as %s when %s', (rule, _, content) => expect(refusalOf(feed, bodyOf(content)).rule).toBe(rule))
})

describe('T86 as CSV', () => {
  const file = { name: 't86.csv', bytes: readFileSync(new URL('../../fixtures/feeds/t86-cp950.csv', import.meta.url)) }

  it('T86 as CSV is read from cp950 and keeps the zeros of a code', () => {
    const read = rowsOf(feed.parse(file, '2024-01-02'), 'institutional-positioning')
    expect(read).toEqual([row('0050', [100, -30, 7, 77]), row('9912B', [0, 0, 0, 0])])
  })

  it('T86 as CSV is refused for another day or without its closing notes', () => {
    expect(refusalOf(feed, file, '2024-01-03').rule).toBe('wrong_day')
    const beforeNotes = file.bytes.indexOf('\r\n', file.bytes.indexOf('9912B')) + 2
    expect(refusalOf(feed, { ...file, bytes: file.bytes.subarray(0, beforeNotes) })).toMatchObject({
      rule: 'damaged_body',
      message: expect.stringContaining('notes'),
    })
  })
})

describe('T86 in the wide form', () => {
  const heads =
    'date,market,stock_no,stock_name,foreign_net,foreign_dealer_net,foreign_total_net,investment_trust_net,dealer_total_net,overall_net'
  const wide = (...lines: readonly string[]) => [heads, ...lines, ''].join('\r\n')

  it('T86 in the wide form contains rows of many days', () => {
    const read = rows(wide('2024-01-02,TWSE,0050,範例,100,5,105,-30,7,77', '2024-01-03,TWSE,0050,範例,1,0,1,0,0,1'))
    expect(read).toEqual([row('0050', [100, -30, 7, 77]), row('0050', [1, 0, 0, 1], '2024-01-03')])
  })

  it.each([
    ['wrong_table', 'a row belongs to the other market', wide('2024-01-02,TPEX,6201,範例,1,0,1,0,0,1'), undefined],
    ['wrong_day', 'a row is of another day than requested', wide('2024-01-02,TWSE,0050,範例,1,0,1,0,0,1'), '2024-01-03'],
    ['impossible_date', 'a row has an impossible day', wide('2024-02-30,TWSE,0050,範例,1,0,1,0,0,1'), undefined],
    ['damaged_body', 'the last line is truncated', wide('2024-01-02,TWSE,0050,範例,1,0,1,0,0,1').trimEnd(), undefined],
    ['damaged_body', 'a line has fewer cells', wide('2024-01-02,TWSE,0050,範例,1,0'), undefined],
    ['wrong_table', 'a column is missing', 'date,market,stock_no\n2024-01-02,TWSE,0050\n', undefined],
  ])('T86 in the wide form is refused as %s when %s', (rule, _, content, requestedDay) =>
    expect(refusalOf(feed, bodyOf(content), requestedDay).rule).toBe(rule),
  )

  it('T86 in the wide form is read as empty if it has only a heading', () =>
    expect(feed.parse(bodyOf(wide()), '2024-01-02')).toMatchObject({ kind: 'empty', date: '2024-01-02' }))
})
