import { describe, expect, it } from 'vitest'
import { decode } from '../../../ingest/formats/content.ts'
import { csvLines } from '../../../ingest/formats/csv.ts'
import { daysIn, rangeOf } from '../../../ingest/formats/days.ts'
import {
  dayOf,
  dayOrNull,
  decimalCell,
  figureOf,
  heading,
  htmlTables,
  integerCell,
  plainText,
  presentInteger,
  tickerCell,
  tidyOrNull,
  tidyText,
} from '../../../ingest/formats/index.ts'

const bytes = (...values: readonly number[]) => ({ name: 'bytes', bytes: Uint8Array.from(values) })
const text = (value: string) => ({ name: 'text', bytes: new TextEncoder().encode(value) })

describe('figures', () => {
  it.each([
    ['1,234', 1234],
    ['-51,058,721', -51058721],
    ['-3.26 ', -3.26],
    ['+0.64', 0.64],
    ['X0.00', 0],
    ['0', 0],
    ['-0', 0],
    [0, 0],
    [97.42, 97.42],
    ['"100.00"'.slice(1, -1), 100],
    ['<p style= color:red>1.35</p>', 1.35],
    ['１２３', 123],
    ['.5', 0.5],
  ])('the figure %j is read as %j', (cell, figure) => expect(figureOf(cell)).toBe(figure))

  it('a cell with more significant digits than a double can store is refused as a figure', () => {
    expect(figureOf('1505.1234567890123456789')).toBeUndefined()
    expect(figureOf('1,505.500000000000000000')).toBe(1505.5)
  })

  it.each(['', '-', '--', '---', ' ---', '--- ', 'N/A', '<p> </p>', null, undefined])(
    'the cell %j is read as an absent figure instead of zero',
    cell => expect(figureOf(cell)).toBeNull(),
  )

  it.each(['除息 ', '4,916(55)', '1,23', '12,34,567', '1.2.3', '+', Number.NaN, Number.POSITIVE_INFINITY, true, {}])(
    'the cell %j is unreadable as a figure',
    cell => expect(figureOf(cell)).toBeUndefined(),
  )

  it('an unreadable figure is refused with its row and column', () => {
    expect(() => decimalCell('除息', '漲跌', '2330')).toThrow('2330: 漲跌 is "除息"')
    expect(() => integerCell('1.5', '成交股數', '2330')).toThrow('expected a whole number')
    expect(() => integerCell('9007199254740993', '成交股數', '2330')).toThrow('expected a whole number')
    expect(() => presentInteger('--', '成交股數', '2330')).toThrow('2330: 成交股數 is empty')
  })
})

describe('days', () => {
  it.each([
    ['20230130', '2023-01-30'],
    ['1130502', '2024-05-02'],
    ['510209', '1962-02-09'],
    ['0510209', '1962-02-09'],
    ['112/01/30', '2023-01-30'],
    ['113.05.02', '2024-05-02'],
    ['112年01月30日', '2023-01-30'],
    ['民國 114 年 05 月 12 日', '2025-05-12'],
    ['1962/02/09', '1962-02-09'],
    ['2026-06-30', '2026-06-30'],
    [' １１３/２/２９ ', '2024-02-29'],
  ])('the day %j is read as %s', (cell, day) => expect(dayOf(cell)).toBe(day))

  it.each(['20230229', '112/13/01', '1120230', '113/02/30', '0', '', '--', '一百十三年三月十一日', '2023', '99999999'])(
    'the cell %j is unreadable as a day',
    cell => expect(dayOf(cell)).toBeUndefined(),
  )

  it('Republic years before and after 100 sort by date', () => {
    const days = ['991231', '1000101', '0510209'].map(dayOf)
    expect([...days].sort()).toEqual(['1962-02-09', '2010-12-31', '2011-01-01'])
  })

  it.each(['115/05/07～115/05/20', '1150507~1150520', '115.05.07〜115.05.20'])('the range %j is read as its first and last day', range =>
    expect(rangeOf(range)).toEqual(['2026-05-07', '2026-05-20']),
  )

  it('a range of days is refused if it ends before it begins or has an impossible day', () => {
    expect(rangeOf('1150520~1150507')).toBeUndefined()
    expect(rangeOf('1150507~1150540')).toBeUndefined()
  })

  it('days in a title are found, and an impossible day is reported', () => {
    expect(daysIn('114年10月28日 外資及陸資買賣超彙總表')).toEqual(['2025-10-28'])
    expect(daysIn('114年02月30日 三大法人買賣超日報')).toEqual([undefined])
    expect(daysIn('臺灣50權重上限30%指數')).toEqual([])
  })

  it('an optional day is null for 0 or dashes, and refused for any other text without a day', () => {
    expect(['0', '', '--', '0000000'].map(cell => dayOrNull(cell, '設立日期'))).toEqual([null, null, null, null])
    expect(() => dayOrNull('1130230', '設立日期')).toThrow('設立日期 is "1130230", not a date')
  })
})

describe('encodings', () => {
  it('UTF-8 is decoded with or without a byte order mark', () => {
    expect(decode(text('臺積電')).value).toBe('臺積電')
    expect(decode(bytes(0xef, 0xbb, 0xbf, 0x41)).value).toBe('A')
  })

  it('bytes that are not UTF-8 are decoded as cp950', () => expect(decode(bytes(0xa5, 0x78, 0xbf, 0x6e, 0xb9, 0x71)).value).toBe('台積電'))

  it('characters outside cp950 become U+FFFD and are counted in a note', () => {
    expect(decode(bytes(0xa5, 0x78, 0xfe, 0xfe))).toEqual({
      value: '台\ufffd\ufffd',
      notes: ['2 characters are not in cp950 and were replaced by U+FFFD'],
    })
  })

  it('a body that stops inside a UTF-8 character is damaged', () => {
    expect(() => decode({ name: 'cut', bytes: text('{"stat":"很抱歉').bytes.slice(0, -1) })).toThrow('ends in the middle of a character')
  })

  it.each(['', '\r\n'])('the blank body %j is refused as damaged instead of read as an empty day', blank =>
    expect(() => decode(text(blank))).toThrow('The file is empty'),
  )
})

it('column headings match regardless of bracket width, blanks, breaks and markup', () => {
  expect(heading('基本每股盈餘（元）')).toBe(heading('基本每股盈餘(元)'))
  expect(heading('次日 參考價')).toBe('次日參考價')
  expect(heading('公司<br>代號')).toBe('公司代號')
  expect(heading(' 成交金額(元)\n')).toBe('成交金額(元)')
  expect(heading('主旨 ')).toBe('主旨')
})

describe('text', () => {
  it('text cells have HTML entities decoded and compatibility characters normalized', () => {
    expect(tidyText('台&#63843;市中山區南京東&#63799;二段')).toBe('台北市中山區南京東路二段')
    expect(tidyText('信義區松智路１號（部分）')).toBe('信義區松智路1號(部分)')
    expect(tidyOrNull(' \u3000 ')).toBeNull()
  })

  it('ticker cells keep zeros, letters and case', () => {
    expect(['0050', '00632R', '9105', '910322', '2881A', '2409  '].map(tickerCell)).toEqual([
      '0050',
      '00632R',
      '9105',
      '910322',
      '2881A',
      '2409',
    ])
    expect(() => tickerCell('台積電')).toThrow('"台積電" is not a security code')
    expect(() => tickerCell('50')).toThrow()
  })
})

describe('CSV', () => {
  it('CSV keeps ="0050" as text and quoted commas in their cell', () => {
    expect(csvLines('="0050","a,b",\n="00632R",c,\n')).toEqual([
      ['0050', 'a,b', ''],
      ['00632R', 'c', ''],
    ])
  })

  it('CSV without a line break after its last line is refused as damaged', () =>
    expect(() => csvLines('a,b\n1,2')).toThrow('last line has no line break'))
  it('CSV with unbalanced quotes is damaged', () => expect(() => csvLines('a,b\n"1,2\n')).toThrow('CSV is damaged'))
})

describe('HTML', () => {
  it('the HTML parser returns the innermost tables, with tags in any case', () => {
    const page = '<html><table><tr><td><TABLE><TR><TH>甲</th><TD>1&nbsp;</TD></TR></TABLE></td></tr></table></html>'
    expect(htmlTables(page)).toEqual([[['甲', '1']]])
  })

  it.each(['<html><table><tr><td>1</td></tr></table>', '<table><tr><td>1'])('truncated HTML is damaged: %s', page =>
    expect(() => htmlTables(page)).toThrow('page is incomplete'),
  )

  it("HTML markup is removed from a cell's text", () => expect(plainText("<p style ='color:green'>-</p>")).toBe('-'))
})
